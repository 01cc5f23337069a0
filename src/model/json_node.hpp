#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/error.hpp"

namespace tacore {

/// The JSON value of `text`, which is that of the file `path`. Throws FormatError, with the byte: not JSON, not UTF-8,
/// nested deeper than 64, a NUL byte. `see` is called for each part as it is parsed, and drops it by returning false.
nlohmann::json parse_json(std::string_view text, const std::string& path,
                          const nlohmann::json::parser_callback_t& see = nullptr);

/// A JSON value and the keys that lead to it, which every FormatError names:
/// `JsonNode(document, path, "")["extent"].number()` throws "extent is object, expected a number". The document and
/// `path` have to outlive it.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, const std::string& path, std::string name)
      : value_(&value), path_(&path), name_(std::move(name)) {}

  const nlohmann::json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }

  /// The member `key`; null when it is absent.
  JsonNode operator[](const std::string& key) const {
    static const nlohmann::json absent;
    const auto found = value_->find(key);
    return {found == value_->end() ? absent : *found, *path_, name_.empty() ? key : name_ + "." + key};
  }

  std::string text() const {
    if (!value_->is_string()) wrong("a string");
    return value_->get<std::string>();
  }
  /// "" when it is null.
  std::string text_or_empty() const { return is_null() ? std::string() : text(); }
  double number() const {
    if (!value_->is_number()) wrong("a number");
    return value_->get<double>();
  }

  const JsonNode& object() const {
    if (!value_->is_object()) wrong("an object");
    return *this;
  }
  /// The elements of an array; none when it is null.
  std::vector<JsonNode> elements() const {
    if (!is_null() && !value_->is_array()) wrong("an array");
    return elements_or_self();
  }
  /// The elements() of an array; any other value is the only element of the list.
  std::vector<JsonNode> elements_or_self() const {
    if (is_null()) return {};
    if (!value_->is_array()) return {*this};
    std::vector<JsonNode> out;
    for (const nlohmann::json& element : *value_) {
      out.emplace_back(element, *path_, name_ + "[" + std::to_string(out.size()) + "]");
    }
    return out;
  }

  [[noreturn]] void wrong(const std::string& expected) const {
    fail(std::string("is ") + value_->type_name() + ", expected " + expected);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError((name_.empty() ? "the document" : name_) + " " + what, {.path = *path_});
  }

 private:
  const nlohmann::json* value_;
  const std::string* path_;
  std::string name_;
};

}  // namespace tacore
