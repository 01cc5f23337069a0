#pragma once

#include <cstdlib>

namespace tacore {

/// For tests: whether `check long` runs them, with thirty times as many random cases.
inline bool is_long() { return std::getenv("TACORE_LONG_TESTS") != nullptr; }

/// The number of random cases of a test.
inline unsigned rounds(unsigned usual) { return is_long() ? 30 * usual : usual; }

}  // namespace tacore
