#include "validate/parts.hpp"

#include <algorithm>

#include "base/little_endian.hpp"
#include "validate/report.hpp"

namespace tacore::validator {
namespace {

constexpr const char* kPart = "a part of a validation";

void put(FieldWriter& out, std::string_view text) {
  out.u64(text.size());
  out.text(text);
}

std::string take_text(Cursor& in) { return std::string(in.text(in.u64())); }

}  // namespace

std::string encode_part(const PartOfFiles& part) {
  FieldWriter out;
  out.u64(part.facts.size());
  for (const std::string& facts : part.facts) put(out, facts);
  out.u64(part.faults.size());
  for (const PlacedFault& fault : part.faults) {
    put(out, fault.rule);
    put(out, fault.message);
    put(out, fault.sample);
    out.u32(static_cast<uint32_t>(fault.level));
  }
  const auto bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PartOfFiles decode_part(std::string_view bytes) {
  Cursor in(std::as_bytes(std::span(bytes)), kPart);
  PartOfFiles out;
  for (uint64_t left = in.u64(); left > 0; --left) out.facts.push_back(take_text(in));
  for (uint64_t left = in.u64(); left > 0; --left) {
    PlacedFault fault{.rule = take_text(in), .message = take_text(in), .sample = take_text(in)};
    fault.level = static_cast<int>(in.u32());
    if (std::ranges::none_of(rules(), [&](const Rule& rule) { return rule.id == fault.rule; }))
      throw FormatError(std::string(kPart) + " names a rule that does not exist");
    out.faults.push_back(std::move(fault));
  }
  if (in.remaining() > 0) throw FormatError(std::string(kPart) + " has bytes after its end");
  return out;
}

}  // namespace tacore::validator
