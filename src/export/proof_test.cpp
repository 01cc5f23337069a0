#include "support/create_files.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/sign.hpp"

namespace tacore {
namespace {

TEST_CASE("a conversion keeps the Merkle root, and an export, which has other samples, has none") {
  const Workshop shop;
  shop.add("a/x", "1");
  shop.add("b/x", "2");
  const std::string zip = shop.out("set.tacozip"), copy = shop.out("copy"), some = shop.out("some.tacozip");
  create({shop.tree(), collection()}, zip);
  const std::string public_key = create_key(shop.out("key"));
  const auto done = sign_dataset(zip, {.key = shop.out("key")});
  convert(zip, copy);
  for (const char* suffix : {".merkle", ".proof", ".proof.minisig"}) fs::copy_file(zip + suffix, copy + suffix);
  CHECK(verify_dataset(copy, {.key = public_key}).root == done.root);
  export_dataset(load(zip).sql("SELECT * FROM data WHERE id = 'a'"), some);
  CHECK_THROWS_WITH_AS(verify_dataset(some), doctest::Contains("is not signed"), ValidationError);
}

}  // namespace
}  // namespace tacore
