#pragma once

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "path.hpp"
#include "tacore/plumbing/options.hpp"
#include "tacore/write/byte_size.hpp"

/// Conversion of keyword arguments to options, by the list of options.
namespace tacore::python {

/// Keyword arguments by name.
using Keywords = nb::typed<nb::dict, nb::str, nb::any>;

/// Throws TypeError for the unknown keyword `name`; if the option was renamed, the message has the new name.
[[noreturn]] void throw_unknown(const std::string& name);

/// Throws TypeError for `value`, which the option `name` cannot have.
[[noreturn]] void throw_wrong(const std::string& name, nb::handle value);

/// Sets the options in `given`; None keeps a default. Throws TypeError for names that are not in the list, and for
/// values of a wrong type.
template <class Options>
void fill(Options& options, const nb::dict& given);

/// A size from a number of bytes, or text such as "4GB".
inline void set_option(nb::handle value, uint64_t& into) {
  into = nb::isinstance<nb::str>(value) ? parse_size(nb::cast<std::string>(value)) : nb::cast<uint64_t>(value);
}
/// Text from a str or a path.
inline void set_option(nb::handle value, std::string& into) { into = nb::cast<Path>(value).value; }
inline void set_option(nb::handle value, std::vector<std::string>& into) {
  if (nb::isinstance<nb::str>(value)) into = {nb::cast<std::string>(value)};
  else
    for (const nb::handle each : value) into.push_back(nb::cast<std::string>(each));
}
inline void set_option(nb::handle value, std::vector<std::pair<std::string, std::string>>& into) {
  for (const auto& [name, text] : nb::cast<nb::dict>(value)) {
    into.emplace_back(nb::cast<std::string>(name), nb::cast<std::string>(text));
  }
}
inline void set_option(nb::handle value, std::vector<int>& into) { into = nb::cast<std::vector<int>>(value); }
inline void set_option(nb::handle value, OnError& into) {
  const auto text = nb::cast<std::string>(value);
  if (text != "raise" && text != "skip") {
    throw nb::value_error(("on_error is '" + text + "'; 'raise' or 'skip' is expected").c_str());
  }
  into = text == "skip" ? OnError::Skip : OnError::Throw;
}
template <class T>
void set_option(nb::handle value, T& into) {
  if constexpr (std::is_class_v<T>) fill(into, nb::cast<nb::dict>(value));
  else into = nb::cast<T>(value);
}
template <class T>
void set_option(nb::handle value, std::optional<T>& into) {
  set_option(value, into.emplace());
}

template <class Options>
void fill(Options& options, const nb::dict& given) {
  for (const auto& [key, value] : given) {
    const auto wanted = nb::cast<std::string>(key);
    bool is_known = false;
    visit_options(options, [&, value = nb::handle(value)](std::string_view name, auto& member, const char*) {
      if (name != wanted) return;
      is_known = true;
      if (value.is_none()) return;
      try {
        set_option(value, member);
      } catch (const nb::cast_error&) {
        throw_wrong(wanted, value);
      }
    });
    if (!is_known) throw_unknown(wanted);
  }
}

/// Options of this type, with the values of `given`.
template <class Options>
Options options_of(const nb::dict& given, Options options = {}) {
  fill(options, given);
  return options;
}

/// Options of create() with the values of `given`, and pyproj as transformer.
CreateOptions create_options(const nb::dict& given);

/// The list of options for tests: for each struct (name, default, description) of each option.
void bind_options(nb::module_& m);

}  // namespace tacore::python
