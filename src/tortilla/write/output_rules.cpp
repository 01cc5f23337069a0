#include "tortilla/write/output_rules.hpp"

#include "base/text.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"
#include "tortilla/collection.hpp"

namespace tacore::v1 {

void check_name(const std::string& path, Kind kind) {
  const std::string suffix = kind == Kind::Taco ? ".taco" : ".tortilla";
  if (path.find('\0') == path.npos && ends_with_ignoring_case(path, suffix) && file_name(path).size() > suffix.size())
    return;
  throw ValidationError(
      std::string("the name of ") + (kind == Kind::Taco ? "a TACO 0.2.0" : "a Tortilla") + " must end in " + suffix,
      {.path = path});
}

void check_absent(const std::string& path, bool overwrite) {
  require_local(path, "written");
  if (!overwrite && entry_at(path)) throw ValidationError("exists already", {.path = path});
}

std::string collection_text(const Collection& collection) {
  auto out = encode_collection(collection);
  const auto faults = collection_faults(out);
  if (faults.empty()) return out;
  throw ValidationError("the collection breaks " + std::to_string(faults.size()) +
                        (faults.size() == 1 ? " rule" : " rules") + " of TACO 0.2.0: " + join(faults, "; "));
}

}  // namespace tacore::v1
