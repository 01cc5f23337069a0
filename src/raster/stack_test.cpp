#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tensor.hpp"

using namespace tacore;

namespace {

DataFrame rows_of(const std::string& name) {
  return load(std::string(TACORE_SOURCE_DIR) + "/examples/data/" + name).data();
}

}  // namespace

TEST_CASE("samples of one shape are stacked in the order of their rows") {
  const DataFrame rows = rows_of("landsat.tacozip").head(3);
  const TensorOptions options{.bands = {4, 1}, .window = Window{3, 5, 20, 10}};
  const Tensor stack = read_stack(rows, options);
  CHECK(stack.shape() == std::vector<int64_t>{3, 2, 10, 20});
  const std::size_t size = stack.bytes().size() / 3;
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor one = read_tensor(*open_raster(rows, i), options);
    CHECK(one.type() == stack.type());
    CHECK(std::ranges::equal(one.bytes(), stack.bytes().subspan(static_cast<std::size_t>(i) * size, size)));
  }
}

TEST_CASE("children of a FOLDER with different shapes cannot be stacked, and both are named") {
  const Node node = rows_of("landsat_nested.tacozip").read("tile_r1_c1");
  const auto& children = std::get<DataFrame>(node);
  try {
    read_stack(children);
    FAIL("stacked");
  } catch (const QueryError& error) {
    const std::string text = error.what();
    CHECK(text.find("samples that differ cannot be stacked: /vsisubfile/") == 0);
    for (int64_t i = 0; i < 2; ++i) CHECK(has_text(text, std::get<VsiPath>(children.read(i)).value));
  }
  // The same band of each has the same shape but another type.
  CHECK_THROWS_AS(read_stack(children, {.bands = {1}}), QueryError);
  CHECK(read_stack(children, {.bands = {1}, .type = DataType::Float32}).shape().front() == children.num_rows());
}

TEST_CASE("an empty list and FOLDERs cannot be stacked") {
  CHECK_THROWS_WITH_AS(read_stack(rows_of("landsat.tacozip").head(0)), doctest::Contains("no samples to stack"),
                       QueryError);
  CHECK_THROWS_AS(read_stack(rows_of("landsat_nested.tacozip")), NavigationError);
}
