#include "tortilla/footer_columns.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "table/derived_column.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {

namespace {

const std::string kId(columns::kId), kFileFormat(columns::kFileFormat), kOffset(columns::kOffset),
    kLength(columns::kLength), kParent(columns::kParent), kIndex(columns::kIndex);

}  // namespace

std::vector<DerivedColumn> footer_columns(const std::vector<Column>& stored, int64_t base,
                                          const std::optional<std::string>& file_format, const ErrorContext& where) {
  using Derivation = DerivedColumn::Kind;
  const auto has = [&](const std::string& name) {
    return std::any_of(stored.begin(), stored.end(), [&](const Column& c) { return c.name == name; });
  };
  std::vector<std::string> required{kId, kOffset, kLength};
  if (!file_format) required.insert(required.begin() + 1, kFileFormat);
  std::erase_if(required, [&](const std::string& name) { return has(name); });
  if (!required.empty()) throw SchemaError("the footer lacks " + join(required, ", "), where);

  std::vector<DerivedColumn> out{{.name = std::string(tacore::names::kId), .kind = Derivation::Copy, .from = kId}};
  const std::string type(tacore::names::kType);
  if (has(kFileFormat)) {
    out.push_back({.name = type, .kind = Derivation::Type, .from = kFileFormat});
  } else {
    out.push_back({.name = type, .kind = Derivation::Constant, .text = is_nested(*file_format) ? "FOLDER" : "FILE"});
    out.push_back({.name = kFileFormat, .kind = Derivation::Constant, .text = *file_format});
  }
  if (base > 0) out.push_back({.name = kOffset, .kind = Derivation::Whole, .from = kOffset, .add = base});
  if (has(kParent))
    out.push_back({.name = std::string(tacore::names::kParentId), .kind = Derivation::Whole, .from = kParent});
  out.push_back({.name = std::string(tacore::names::kOffset), .kind = Derivation::Whole, .from = kOffset, .add = base});
  out.push_back({.name = std::string(tacore::names::kSize), .kind = Derivation::Whole, .from = kLength});
  if (has(kIndex)) out.push_back({.name = "", .kind = Derivation::Hidden, .from = kIndex});
  return out;
}

}  // namespace tacore::v1
