#include "fuzz.hpp"
#include "query/sql_inspect.hpp"

/// The input is what a user writes: a query, or an expression.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const Select select = inspect_select(text_of(bytes));
    // It goes between brackets, so it must be a query there as well.
    require(inspect_select("SELECT * FROM (\n" + select.text + "\n)").tables == select.tables,
            "a query can stand in brackets");
  });
  expect_errors_only([&] { inspect_expression(text_of(bytes)); });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
