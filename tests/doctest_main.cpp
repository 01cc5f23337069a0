#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <string>

namespace {
bool is_skipped = false;
}

namespace tacore {
bool skip(const std::string& why);  // support/support.hpp

bool skip(const std::string& why) {
  std::cout << "skipped: " << why << "\n";
  return is_skipped = true;
}
}  // namespace tacore

// ctest shows 77 as skipped. A failure wins.
int main(int argc, char** argv) {
  const int failed = doctest::Context(argc, argv).run();
  return failed != 0 ? failed : is_skipped ? 77 : 0;
}
