#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "call.hpp"
#include "json.hpp"
#include "tacore/plumbing/options.hpp"

/// Options as JSON, by the list of options.
namespace tacore::c {

/// The members of a JSON object, each of which sets one option. A member that is null keeps the default.
///
///     CreateOptions how;
///     Options given(text, "options");
///     given.fill(how);
///     given.finish();
class Options {
 public:
  /// Throws ArgumentError for text that is not a JSON object. NULL and "" are an empty one. `what` names it in
  /// messages.
  Options(const char* text, std::string what);
  Options(Json object, std::string what);

  /// Sets the options of a struct, those of its Parquet files too.
  template <class T>
  void fill(T& options) {
    visit_options(options, [&](const char* name, auto& member, const char*) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(member)>, ParquetOptions>) fill(member);
      else take(name, member);
    });
  }

  /// Sets one option. Returns whether it is given.
  template <class T>
  bool take(const std::string& name, T& into) {
    const Json* value = find(name);
    if (value == nullptr) return false;
    set(name, *value, into);
    return true;
  }

  /// A required member. Throws ArgumentError when it is missing.
  template <class T>
  T require(const std::string& name) {
    T out{};
    if (!take(name, out)) throw_missing(name);
    return out;
  }

  /// The value of a member; nullptr when it is missing or null.
  const Json* find(const std::string& name);

  /// Throws ArgumentError, with the names that there are, for a member that nobody took.
  void finish() const;

 private:
  [[noreturn]] void throw_missing(const std::string& name) const;
  [[noreturn]] void throw_wrong(const std::string& name, const Json& found, const char* expected) const;

  void set(const std::string& name, const Json& value, bool& into) const;
  void set(const std::string& name, const Json& value, double& into) const;
  void set(const std::string& name, const Json& value, std::string& into) const;
  void set(const std::string& name, const Json& value, std::vector<std::string>& into) const;
  void set(const std::string& name, const Json& value, std::vector<std::pair<std::string, std::string>>& into) const;
  void set(const std::string& name, const Json& value, OnError& into) const;
  void set(const std::string& name, const Json& value, uint64_t& into) const;
  void set(const std::string& name, const Json& value, Json& into) const;
  int64_t integer(const std::string& name, const Json& value, int64_t least, int64_t most) const;

  template <class T>
    requires std::is_integral_v<T>
  void set(const std::string& name, const Json& value, T& into) const {
    into = static_cast<T>(integer(name, value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
  template <class T>
  void set(const std::string& name, const Json& value, std::vector<T>& into) const {
    if (!value.is_array()) throw_wrong(name, value, "an array of numbers");
    into.clear();
    for (const Json& each : value) set(name, each, into.emplace_back());
  }
  template <class T>
  void set(const std::string& name, const Json& value, std::optional<T>& into) const {
    set(name, value, into.emplace());
  }

  Json object_;
  std::string what_;
  std::set<std::string> known_ = {};
};

/// Options of pixel values: "scale" and "fill".
void take_scale(Options& given, TensorOptions& into);
/// Options of pixels: "bands", "window" ([x, y, width, height]), "dtype", "scale" and "fill".
TensorOptions take_tensor(Options& given);

}  // namespace tacore::c
