#include <atomic>
#include <stdexcept>

#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/v1/convert.hpp"

namespace tacore::v1 {
namespace {

TEST_CASE("invalid samples are reported by their path") {
  const TemporaryFolder folder;
  // Text of which it is said that it is a GeoTIFF.
  const auto texts = sanity_check(load(golden("v1/nested.tortilla")).data());
  REQUIRE(!texts.empty());
  CHECK(texts[0].reason == "its first bytes are not those of the format GTiff");
  const auto bad = [](const Node& data, void* user) {
    ++*static_cast<std::atomic<int>*>(user);
    if (std::holds_alternative<Bytes>(data)) throw std::runtime_error("bytes");
    if (std::get<VsiPath>(data).value.find("_20,") != std::string::npos) throw std::runtime_error("twenty");
  };
  std::atomic<int> count = 0;
  const auto found = sanity_check(load(golden("v1/mixed.tortilla")).data(), bad, &count);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "img1/hrf");
  CHECK(found[0].reason == "twenty");
  CHECK(found[1].path == "note");
  CHECK(count == 3);
  // Pixels are decoded.
  const std::string image = std::string(TACORE_SOURCE_DIR) + "/examples/data/scene/elevation.tif";
  create_tortilla(Tortilla({Sample("a", image)}), folder.path("pixels.tortilla"));
  CHECK(sanity_check(load(folder.path("pixels.tortilla")).data()).empty());
  std::string pixels = file_text(folder.path("pixels.tortilla"));
  pixels.replace(10000, 5000, 5000, '\0');
  const auto zeros = sanity_check(load(folder.write("zeros.tortilla", pixels)).data());
  REQUIRE(zeros.size() == 1);
  CHECK(zeros[0].path == "a");
  std::string bytes = file_text(golden("v1/nested.tortilla"));
  bytes.replace(number_at(bytes, 2) - 4, 4, "xxxx");  // the end of the last nested footer
  const auto damaged = sanity_check(load(folder.write("x.tortilla", bytes)).data());
  REQUIRE(!damaged.empty());
  CHECK(damaged.back().path == "img2");
}

}  // namespace
}  // namespace tacore::v1
