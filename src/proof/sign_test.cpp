#include "tacore/ops/sign.hpp"

#include "base/sha256.hpp"
#include "proof/statement.hpp"
#include "support/create_files.hpp"
#include "tacore/dataset.hpp"
#include "tacore/extensions/sha256.hpp"
#include "tacore/ops/edit.hpp"

namespace tacore {
namespace {

/// FOLDERs with two FILEs each, in both containers, and a key.
struct Signed {
  Workshop shop = Workshop::in_memory();
  std::string zip = shop.out("set.tacozip"), folder = shop.out("set"), key = shop.source("key"), public_key;

  explicit Signed(bool with_hashes = false) : public_key(create_key(key)) {
    Workshop files;
    for (const char* name : {"a/red", "a/nir", "b/red", "b/nir", "c/red", "c/nir"})
      files.add(name, std::string("data of ") + name);
    const Tortilla tree = with_hashes ? extensions::with_sha256(files.tree()) : files.tree();
    create({tree, collection()}, zip);
    create({tree, collection()}, folder);
  }
  SignResult sign(const std::string& path, bool overwrite = false) const {
    return sign_dataset(path, {.key = key, .overwrite = overwrite});
  }
  VerifyResult verify(const std::string& path, const Strings& samples = {}) const {
    return verify_dataset(path, {.key = public_key, .samples = samples});
  }
  std::string why_not(const std::string& path, const Strings& samples = {}) const {
    try {
      verify(path, samples);
    } catch (const ValidationError& error) {
      return error.message();
    }
    return "";
  }
};

TEST_CASE("a ZIP and a folder of the same samples have one root, by which all and each are verified") {
  const Signed set;
  const SignResult zip = set.sign(set.zip), folder = set.sign(set.folder);
  CHECK(zip.root == folder.root);
  CHECK(zip.num_samples == 9);
  CHECK(zip.files == Strings{set.zip + ".merkle", set.zip + ".proof", set.zip + ".proof.minisig"});
  for (const auto& path : {set.zip, set.folder}) {
    CHECK(set.verify(path).num_samples == 9);
    CHECK(set.verify(path).root == zip.root);
    CHECK(set.verify(path, {"b"}).num_samples == 3);
    CHECK(set.verify(path, {"b/red"}).num_samples == 2);  // with the FOLDER that it is in
    CHECK(set.verify(path, {"a", "c/nir", "c/nir"}).num_samples == 5);
    CHECK(verify_dataset(path).key_id == "");
    CHECK_THROWS_AS(set.verify(path, {"d"}), NavigationError);
    CHECK_THROWS_AS(set.verify(path, {"a/red/x"}), NavigationError);
    CHECK_THROWS_AS(set.verify(path, {""}), NavigationError);
    CHECK(load(path).data().num_rows() == 3);
  }
}

TEST_CASE("signing again changes nothing but by overwrite, and an edit is found until then") {
  const Signed set;
  const auto first = set.sign(set.zip);
  const std::string bytes = file_text(set.zip);
  CHECK_THROWS_WITH_AS(set.sign(set.zip), (set.zip + ".merkle: exists already").c_str(), ValidationError);
  CHECK(set.sign(set.zip, true).root == first.root);
  CHECK(file_text(set.zip) == bytes);
  edit(set.zip, {.set = {{"title", "\"Others\""}}});
  CHECK(has_text(set.why_not(set.zip), "so that COLLECTION.json differs"));
  CHECK(has_text(set.why_not(set.zip, {"a"}), "COLLECTION.json or "));
  CHECK(set.sign(set.zip, true).root != first.root);
  CHECK(set.why_not(set.zip) == "");
}

TEST_CASE("changed data are found in the sample that has them, and in no other") {
  for (const bool with_hashes : {false, true}) {
    const Signed set(with_hashes);
    for (const auto& path : {set.zip, set.folder}) {
      set.sign(path);
      REQUIRE(edit_file(path == set.zip ? path : path + "/DATA/b/nir", "data of b/nir", "data of b/NIR"));
      CHECK(has_text(set.why_not(path), "'b/nir': "));
      CHECK(has_text(set.why_not(path, {"b"}), "'b/nir': "));
      CHECK(has_text(set.why_not(path, {"b/nir"}), "'b/nir': "));
      CHECK(set.why_not(path, {"b/red", "a"}) == "");
      if (with_hashes && path == set.folder) CHECK(has_text(set.why_not(path), "taco:sha256 is another one"));
    }
  }
}

TEST_CASE("a missing FILE is the fault of its sample") {
  const Signed set;
  set.sign(set.folder);
  fs::remove(set.folder + "/DATA/a/red");
  CHECK(has_text(set.why_not(set.folder), "'a/red': "));
  CHECK(has_text(set.why_not(set.folder, {"a"}), "'a/red': "));
  CHECK(set.why_not(set.folder, {"b"}) == "");
}

TEST_CASE("a __meta__ that contradicts its level is found, and not signed") {
  Signed set;
  set.sign(set.folder);
  fs::copy_file(set.folder + "/DATA/b/__meta__", set.folder + "/DATA/c/__meta__", fs::copy_options::overwrite_existing);
  CHECK(set.why_not(set.folder) == "");  // with the same ids and no other metadata, both have the same rows
  edit(set.folder, {.level = 1, .columns = {[&] {
                                  set.shop.add("new.csv", "id,n\na/red,1\nb/red,2\nc/red,3\n");
                                  return set.shop.source("new.csv");
                                }()}});
  set.sign(set.folder, true);
  CHECK(set.why_not(set.folder) == "");
  fs::copy_file(set.folder + "/DATA/b/__meta__", set.folder + "/DATA/c/__meta__", fs::copy_options::overwrite_existing);
  CHECK(has_text(set.why_not(set.folder), "'c': row "));
  CHECK(has_text(set.why_not(set.folder, {"c/red"}), "'c/red': row "));
  CHECK(set.why_not(set.folder, {"b"}) == "");
  CHECK_THROWS_WITH_AS(set.sign(set.folder, true), doctest::Contains("contradicts itself"), ValidationError);
}

TEST_CASE("without a root, hashes of data are compared, where a column has them") {
  const Signed hashed(true), plain;
  CHECK(verify_dataset(hashed.zip).root == "");
  CHECK(verify_dataset(hashed.zip, {.samples = {"a/red"}}).num_samples == 2);
  CHECK_THROWS_WITH_AS(hashed.verify(hashed.zip), doctest::Contains("is not signed"), ValidationError);
  CHECK_THROWS_WITH_AS(verify_dataset(plain.zip), doctest::Contains("is not signed"), ValidationError);
  REQUIRE(edit_file(hashed.folder + "/DATA/c/red", "data", "Data"));
  CHECK_THROWS_WITH_AS(verify_dataset(hashed.folder), doctest::Contains("'c/red': its data have the SHA-256 "),
                       ValidationError);
}

TEST_CASE("hashes of FOLDERs are those of the hashes of their children") {
  Workshop files;
  files.add("a/x", "1");
  files.add("a/y", "2");
  const Tortilla hashed = extensions::with_sha256(files.tree());
  const auto hash_of = [](const std::string& text) {
    const auto hash = sha256(tacore::bytes_of(text));
    return std::string(reinterpret_cast<const char*>(hash.data()), hash.size());
  };
  CHECK(hashed.column("taco:sha256", 1) == std::vector<Value>{Binary{hash_of("1")}, Binary{hash_of("2")}});
  CHECK(hashed.column("taco:sha256", 0) == std::vector<Value>{Binary{hash_of(hash_of("1") + hash_of("2"))}});
  CHECK_THROWS_AS(extensions::with_sha256(hashed), SchemaError);
}

TEST_CASE("what cannot be signed says what to sign instead, and stays as it is") {
  const Signed set;
  for (const auto& path : Strings{golden("cascade_tacocat"), golden("v1/flat.taco"), golden("v1/flat.tortilla")}) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(set.sign(path), doctest::Contains("has no Merkle root"), ValidationError);
    CHECK_THROWS_WITH_AS(set.verify(path), doctest::Contains("has no Merkle root"), ValidationError);
  }
  CHECK_THROWS_AS(set.sign("https://127.0.0.1:1/x.tacozip"), IoError);
  CHECK_THROWS_AS(sign_dataset(set.zip, {.key = set.zip}), FormatError);
  CHECK_THROWS_AS(sign_dataset(set.zip, {.key = set.key + ".pub"}), FormatError);
  CHECK_THROWS_AS(set.sign(set.shop.out("none.tacozip")), IoError);
}

TEST_CASE("a stop before the end leaves the dataset as it was, and no file") {
  const Signed set;
  const std::string bytes = file_text(set.zip);
  const int before = set.shop.num_made();
  for (int calls = 0; calls < 3; ++calls) {
    int left = calls;
    const auto stop = [](uint64_t, uint64_t, void* user) { return (*static_cast<int*>(user))-- > 0; };
    CHECK_THROWS_WITH_AS(sign_dataset(set.zip, {.task = {.progress = stop, .user = &left}, .key = set.key}),
                         doctest::Contains("stopped"), IoError);
    CHECK(file_text(set.zip) == bytes);
    CHECK(set.shop.num_made() == before);
  }
}

TEST_CASE("a root is stated once, as the value of a member") {
  const std::string digits(64, 'a'), root = "\"taco:merkle_root\": \"" + digits + "\"";
  CHECK_FALSE(find_root("{\"id\": \"x\"}", "c"));
  const auto found = find_root("{\"id\": \"x\", " + root + "}", "c");
  REQUIRE(found);
  CHECK(hex(found->root) == digits);
  CHECK(found->text == "{\"id\": \"x\", \"taco:merkle_root\": \"" + std::string(64, '0') + "\"}");
  for (const auto& json : Strings{
           "{" + root + ", " + root + "}", "{\"a\": {" + root + "}}", std::string("{\"taco:merkle_root\": 1}"),
           "{\"taco:merkle_root\": \"" + digits + "a\"}", "{\"taco:merkle_root\": \"" + std::string(64, 'A') + "\"}",
           std::string("{\"a\": \"taco:merkle_root\"}"), "{\"taco:merkle_root\": {" + root + "}}"}) {
    CAPTURE(json);
    CHECK_THROWS_AS(find_root(json, "c"), FormatError);
  }
}

TEST_CASE("keys are private files, and none is replaced unasked") {
  const Signed set;
  CHECK((fs::status(set.key).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(set.public_key.size() == 56);
  CHECK_FALSE(is_encrypted_key(set.key));
  CHECK_THROWS_AS(create_key(set.key), IoError);
  fs::remove(set.key);
  CHECK_THROWS_AS(create_key(set.key), IoError);  // the public key is still there
  CHECK_FALSE(fs::exists(set.key));
  CHECK(create_key(set.key, {.overwrite = true}) != set.public_key);
  const std::string other = set.shop.source("other.pub");
  create_key(set.shop.source("other"), {.public_key = other});
  CHECK(fs::exists(other));
}

}  // namespace
}  // namespace tacore
