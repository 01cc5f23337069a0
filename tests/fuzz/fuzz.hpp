#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "tacore/error.hpp"

/// What the fuzz targets share. A target is a function over bytes, `fuzz`; TACORE_FUZZ_TARGET makes libFuzzer's entry
/// of it.
namespace tacore::fuzz {

using Input = std::span<const std::byte>;

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

/// Ends the process, as a sanitizer would.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// Only our own errors are an answer; anything else gets out, and ends the process.
template <class Body>
void expect_errors_only(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require(!error.message().empty(), "an error has a message");
  }
}

}  // namespace tacore::fuzz

#define TACORE_FUZZ_TARGET(function)                                              \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {  \
    function({reinterpret_cast<const std::byte*>(data), size});                   \
    return 0;                                                                     \
  }
