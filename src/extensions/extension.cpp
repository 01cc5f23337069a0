#include "tacore/extension.hpp"

#include "tacore/crs.hpp"

namespace tacore {

SampleExtension::~SampleExtension() = default;
TortillaExtension::~TortillaExtension() = default;
TacoExtension::~TacoExtension() = default;
CrsTransformer::~CrsTransformer() = default;

}  // namespace tacore
