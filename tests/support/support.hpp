#pragma once

#include <doctest/doctest.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacore/error.hpp"
#include "tacore/types.hpp"

/// What the tests of all layers share: files, texts and errors.
namespace tacore {

namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

/// A file or folder of tests/golden.
inline std::string golden(const std::string& name) { return TACORE_SOURCE_DIR "/tests/golden/" + name; }
/// A dataset that the published tools wrote. It lies beside the repository, and not on every machine.
inline std::string published(const std::string& name) { return TACORE_SHARED_DIR "/golden/v2/" + name; }

/// The folder of images that other programs wrote, beside the repository, too.
inline const std::string kImagery = TACORE_SHARED_DIR "/imagery/";

/// Prints why a test, or a part of it, does not run here. Returns true; the test returns then. Such a test is in the
/// doctest suite "external", which is a ctest of its own: that shows as skipped, unless something failed.
bool skip(const std::string& why);
/// Whether a file or folder beside the repository is missing, which skip() tells.
inline bool missing(const fs::path& path) { return !fs::exists(path) && skip(path.string() + " is missing"); }

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces the first `old` of a file; false when the file does not have it.
inline bool edit_file(const std::string& path, const std::string& old, const std::string& now) {
  std::string text = file_text(path);
  const auto at = text.find(old);
  if (at == std::string::npos) return false;
  text.replace(at, old.size(), now);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return true;
}

inline std::string to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Random bytes, the same for the same seed.
inline std::string noise(std::size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out;
  while (out.size() < size) out += static_cast<char>(random());
  return out;
}

inline Bytes bytes_of(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

inline bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Checks that `text` has `part`, and prints both when it has not.
inline void says(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(has_text(text, part));
}

/// The error that `body` throws, as "Type: text"; "" when it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const FormatError& error) {
    return std::string("FormatError: ") + error.what();
  } catch (const SchemaError& error) {
    return std::string("SchemaError: ") + error.what();
  } catch (const IoError& error) {
    return std::string("IoError: ") + error.what();
  } catch (const QueryError& error) {
    return std::string("QueryError: ") + error.what();
  } catch (const ValidationError& error) {
    return std::string("ValidationError: ") + error.what();
  } catch (const NavigationError& error) {
    return std::string("NavigationError: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("untyped: ") + error.what();
  }
  return "";
}

/// The text of the error of this type that `body` throws; "" when it throws none. An error of another type is not
/// caught.
template <class Kind, class Body>
std::string text_of(const Body& body) {
  try {
    body();
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

}  // namespace tacore
