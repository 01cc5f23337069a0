#pragma once

#include <string>

namespace tacore::descriptions {

/// Text between tags or in a quoted attribute.
std::string escape_html(const std::string& text);
/// JSON for a <script> that holds data: no `<` in it, so that nothing can end the element.
std::string escape_script(const std::string& json);

/// `#rrggbb` and its variants: three quarters as bright, and 70 % of the way to white. Of anything else that is not
/// six hexadecimal digits with or without a `#`, those of #4CAF50.
struct Accent {
  std::string plain, dark, light;
};
Accent accent_of(const std::string& colour);

}  // namespace tacore::descriptions
