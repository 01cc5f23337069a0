#include "tacore/write/extension.hpp"

#include "tacore/crs.hpp"
#include "tacore/extensions/geo_layers.hpp"

namespace tacore {

SampleExtension::~SampleExtension() = default;
TortillaExtension::~TortillaExtension() = default;
TacoExtension::~TacoExtension() = default;
CrsTransformer::~CrsTransformer() = default;
extensions::GeoLayer::~GeoLayer() = default;

}  // namespace tacore
