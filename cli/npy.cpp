#include "npy.hpp"

#include <bit>

namespace tacore::cli {
namespace {

/// "<u2"
std::string descr(DataType type) {
  const std::size_t size = size_of(type);
  const char order = size == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  const char kind = to_string(type)[0];  // i, u, f: NumPy's letters
  return std::string{order, kind} + std::to_string(size);
}

}  // namespace

std::string npy_header(const Tensor& tensor) {
  std::string dictionary = "{'descr': '" + descr(tensor.type()) + "', 'fortran_order': False, 'shape': (";
  for (const int64_t length : tensor.shape()) dictionary += std::to_string(length) + ",";
  dictionary += "), }";
  constexpr std::size_t kBefore = 10, kAligned = 64;
  while ((kBefore + dictionary.size() + 1) % kAligned != 0) dictionary += ' ';
  dictionary += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary;
}

}  // namespace tacore::cli
