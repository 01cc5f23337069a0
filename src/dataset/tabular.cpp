#include "tacore/write/tabular.hpp"

#include "dataset/frame_stream.hpp"
#include "table/encode.hpp"

namespace tacore::tabular {

void encode(const DataFrame& rows, Encoding encoding, Output& output) {
  encode_batches(*frame_batches(rows), encoding, output);
}

}  // namespace tacore::tabular
