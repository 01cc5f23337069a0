#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"

/// Samples in memory, and what refuses them.
namespace tacore {

using Strings = std::vector<std::string>;

/// A FILE of `size` zero bytes.
inline Sample file(const std::string& id, std::vector<MetadataField> metadata = {}, std::size_t size = 1) {
  return {id, Bytes(size), std::move(metadata)};
}

/// A FOLDER of FILEs.
inline Sample folder(const std::string& id, const Strings& children) {
  std::vector<Sample> below;
  for (const auto& child : children) below.push_back(file(child));
  return {id, Tortilla(std::move(below))};
}

/// "SchemaError: what it says", "" when nothing is thrown.
inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const SchemaError& error) {
    return std::string("SchemaError: ") + error.what();
  } catch (const IoError& error) {
    return std::string("IoError: ") + error.what();
  }
  return "";
}

/// Checks that `text` has `part`, and shows both when it has not.
inline void has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace tacore
