#include "thrift.hpp"

#include "bytes.hpp"

namespace tacore::mutate {
namespace {

// Types of the compact protocol.
enum Type {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16,
  kI32,
  kI64,
  kDouble,
  kBinary,
  kList,
  kSet,
  kMap,
  kStruct
};

class Walker {
 public:
  Walker(const Bytes& bytes, uint64_t at) : bytes_(bytes), at_(at), start_(at) {}

  ThriftStruct run() {
    structure(0);
    out_.size = at_ - start_;
    return std::move(out_);
  }

 private:
  uint8_t byte() { return static_cast<uint8_t>(bytes_.at(at_++)); }

  uint64_t varint() {
    uint64_t out = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t b = byte();
      if (shift < 64) out |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return out;
    }
  }
  static int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

  void number(ThriftNumber::Sort sort, int depth, int field) {
    ThriftNumber n{.sort = sort, .at = at_, .depth = depth, .field = field};
    const uint64_t raw = varint();
    n.value = sort == ThriftNumber::Sort::Integer ? unzigzag(raw) : static_cast<int64_t>(raw);
    n.size = at_ - n.at;
    out_.numbers.push_back(n);
  }

  void structure(int depth) {
    int field = 0;
    for (;;) {
      const uint8_t head = byte();
      if ((head & 0x0f) == kStop) return;
      field = head >> 4 ? field + (head >> 4) : static_cast<int>(unzigzag(varint()));
      value(head & 0x0f, depth, field, false);
    }
  }

  void list(int depth, int field) {
    ThriftNumber n{.sort = ThriftNumber::Sort::List, .at = at_, .depth = depth, .field = field};
    const uint8_t head = byte();
    n.header = static_cast<std::byte>(head & 0x0f);
    n.value = head >> 4 == 15 ? static_cast<int64_t>(varint()) : head >> 4;
    n.size = at_ - n.at;
    out_.numbers.push_back(n);
    for (int64_t i = 0; i < n.value; ++i) value(head & 0x0f, depth, field, true);
  }

  void value(int type, int depth, int field, bool in_list) {
    switch (type) {
      case kTrue:
      case kFalse:
        if (in_list) at_ += 1;
        return;
      case kByte:
        at_ += 1;
        return;
      case kDouble:
        at_ += 8;
        return;
      case kBinary:
        number(ThriftNumber::Sort::Length, depth, field);
        at_ += static_cast<uint64_t>(out_.numbers.back().value);
        return;
      case kList:
      case kSet:
        return list(depth, field);
      case kStruct:
        return structure(depth + 1);
      default:
        return number(ThriftNumber::Sort::Integer, depth, field);
    }
  }

  const Bytes& bytes_;
  uint64_t at_;
  uint64_t start_;
  ThriftStruct out_;
};

void append_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

}  // namespace

ThriftStruct walk_thrift(const Bytes& bytes, uint64_t at) { return Walker(bytes, at).run(); }

Bytes encode(const ThriftNumber& number, int64_t value) {
  Bytes out;
  if (number.sort == ThriftNumber::Sort::List) out.push_back(number.header | std::byte{0xf0});
  const auto raw = static_cast<uint64_t>(value);
  append_varint(out, number.sort == ThriftNumber::Sort::Integer ? raw << 1 ^ -(raw >> 63) : raw);
  return out;
}

}  // namespace tacore::mutate
