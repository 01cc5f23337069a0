#include "v1/footer_columns.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {

std::vector<DerivedColumn> footer_columns(const std::vector<Column>& stored, int64_t base,
                                          const std::optional<std::string>& file_format, const ErrorContext& where) {
  using Kind = DerivedColumn::Kind;
  const auto has = [&](const char* name) {
    return std::any_of(stored.begin(), stored.end(), [&](const Column& c) { return c.name == name; });
  };
  std::vector<std::string> required{kId, kOffset, kLength};
  if (!file_format) required.insert(required.begin() + 1, kFileFormat);
  std::erase_if(required, [&](const std::string& name) { return has(name.c_str()); });
  if (!required.empty()) throw SchemaError("the footer lacks " + join(required, ", "), where);

  std::vector<DerivedColumn> out{{.name = std::string(names::kId), .kind = Kind::Copy, .from = kId}};
  const std::string type(names::kType);
  if (has(kFileFormat)) {
    out.push_back({.name = type, .kind = Kind::Type, .from = kFileFormat});
  } else {
    const bool nested = lower(*file_format) == "tortilla";
    out.push_back({.name = type, .kind = Kind::Constant, .text = nested ? "FOLDER" : "FILE"});
    out.push_back({.name = kFileFormat, .kind = Kind::Constant, .text = *file_format});
  }
  if (base > 0) out.push_back({.name = kOffset, .kind = Kind::Whole, .from = kOffset, .add = base});
  if (has(kParent)) out.push_back({.name = std::string(names::kParentId), .kind = Kind::Whole, .from = kParent});
  out.push_back({.name = std::string(names::kOffset), .kind = Kind::Whole, .from = kOffset, .add = base});
  out.push_back({.name = std::string(names::kSize), .kind = Kind::Whole, .from = kLength});
  if (has(kPandasIndex)) out.push_back({.name = "", .kind = Kind::Hidden, .from = kPandasIndex});
  return out;
}

}  // namespace tacore::v1
