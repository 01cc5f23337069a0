#include <atomic>
#include <stdexcept>

#include "v1/v1_test_files.hpp"

namespace tacore::v1 {
namespace {

std::string golden(const std::string& name) { return std::string(TACORE_SOURCE_DIR) + "/tests/golden/v1/" + name; }

TEST_CASE("samples that are not sound are told by path") {
  const TemporaryFolder folder;
  CHECK(sanity_check(load(golden("nested.tortilla")).data()).empty());
  const auto bad = [](const Node& data, void* user) {
    ++*static_cast<std::atomic<int>*>(user);
    if (std::holds_alternative<Bytes>(data)) throw std::runtime_error("bytes");
    if (std::get<VsiPath>(data).value.find("_20,") != std::string::npos) throw std::runtime_error("twenty");
  };
  std::atomic<int> count = 0;
  const auto found = sanity_check(load(golden("mixed.tortilla")).data(), bad, &count);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "img1/hrf");
  CHECK(found[0].reason == "twenty");
  CHECK(found[1].path == "note");
  CHECK(count == 3);
  std::string bytes = text_of(golden("nested.tortilla"));
  bytes.replace(number_at(bytes, 2) - 4, 4, "xxxx");  // the end of the last nested footer
  const auto damaged = sanity_check(load(folder.write("x.tortilla", bytes)).data());
  REQUIRE(damaged.size() == 1);
  CHECK(damaged[0].path == "img2");
}

}  // namespace
}  // namespace tacore::v1
