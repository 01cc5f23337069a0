#include "tacore/ops/diff.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/create_files.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/v1/create.hpp"

// What differs between two datasets, whatever their containers.
namespace tacore {
namespace {

/// All of a Diff, a line for each thing that differs.
std::string lines_of(const Diff& found) {
  std::string out;
  const auto change = [](const ValueChange& value) {
    return value.name + " " + value.a.value_or("-") + " > " + value.b.value_or("-");
  };
  for (const auto& member : found.collection) {
    if (!member.name.starts_with("taco:")) out += change(member) + "\n";
  }
  for (const auto& column : found.columns)
    out += "level" + std::to_string(column.level) + " " + change(column.type) + "\n";
  for (const auto& sample : found.samples) {
    out += std::string(to_string(sample.change)) + " " + std::to_string(sample.level) + " " + sample.path;
    for (const auto& field : sample.fields) out += ", " + change(field);
    out += (sample.bytes.empty() ? "" : ", data " + sample.bytes) + "\n";
  }
  return out;
}
std::string difference_of(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
  return lines_of(diff(a, b, options));
}

/// Two folders of two files.
struct Chips : Workshop {
  Chips() {
    for (const std::string folder : {"a", "b"}) {
      add(folder + "/green", "green of " + folder);
      add(folder + "/red", "red " + folder);
    }
  }
  std::string make(const std::string& name) const { return create({tree(), collection()}, out(name)).at(0); }
};

}  // namespace

TEST_CASE("a dataset equals its copy in another container") {
  const Chips shop;
  const auto zip = shop.make("set.tacozip"), folder = shop.make("set");
  for (const bool quick : {false, true}) {
    CAPTURE(quick);
    CHECK(diff(zip, folder, {.quick = quick}).equal());
    CHECK(diff(folder, zip, {.quick = quick}).equal());
    CHECK(diff(zip, zip, {.quick = quick}).equal());
  }
  for (const std::string name : {"nested_padded", "nested"}) {
    CAPTURE(name);
    CHECK(difference_of(golden(name), golden(name + ".tacozip")) == "");
  }
}

TEST_CASE("samples are matched by their paths, not by their positions") {
  const Chips shop;
  const auto zip = shop.make("set.tacozip");
  std::vector<Sample> turned;
  for (const std::string folder : {"b", "a"}) {
    turned.emplace_back(folder, Tortilla(Strings{"green", "red"},
                                         Strings{shop.source(folder + "/green"), shop.source(folder + "/red")}));
  }
  const auto other = create({Tortilla(std::move(turned)), collection()}, shop.out("turned")).at(0);
  CHECK(difference_of(zip, other) == "");
}

TEST_CASE("samples that only one dataset has are reported, and counted at each level") {
  const Chips shop;
  const auto a = shop.make("set.tacozip");
  shop.add("c/green", "new");
  shop.add("c/red", "new");
  const auto b = shop.make("set");
  CHECK(difference_of(a, b) == "added 0 c\nadded 1 c/green\nadded 1 c/red\n");
  CHECK(difference_of(b, a) == "removed 0 c\nremoved 1 c/green\nremoved 1 c/red\n");
  const auto found = diff(a, b);
  CHECK(found.num_added == 3);
  CHECK(found.num_removed + found.num_changed == 0);
  CHECK(!found.equal());
}

TEST_CASE("different data is found by size, by CRC-32, or by comparing bytes") {
  const Chips shop;
  const auto zip = shop.make("a.tacozip"), folder = shop.make("a");
  shop.add("a/red", "red of a");
  shop.add("b/green", "green ov b");
  const auto other_zip = shop.make("b.tacozip"), other = shop.make("b");
  CHECK(difference_of(zip, other) ==
        "changed 1 a/red, data has 8 bytes, 5 before\nchanged 1 b/green, data differs at byte 7\n");
  CHECK(difference_of(zip, other_zip) ==
        "changed 1 a/red, data has 8 bytes, 5 before\nchanged 1 b/green, data has a different CRC-32\n");
  CHECK(difference_of(zip, other_zip, {.quick = true}) == difference_of(zip, other_zip));
  CHECK(difference_of(folder, other, {.quick = true}) == "changed 1 a/red, data has 8 bytes, 5 before\n");
}

TEST_CASE("data is compared up to its last byte, in blocks") {
  const Chips shop;
  std::string data(3'000'000, 'x');
  for (const std::string name : {"a/green", "b/green"}) shop.add(name, data);
  const auto a = shop.make("a");
  for (const std::size_t byte : {std::size_t{0}, std::size_t{1} << 20, (std::size_t{2} << 20) - 1, data.size() - 1}) {
    CAPTURE(byte);
    std::string other = data;
    other[byte] = 'y';
    shop.add("b/green", other);
    const auto b = shop.make("b");
    CHECK(difference_of(a, b) == "changed 1 b/green, data differs at byte " + std::to_string(byte) + "\n");
    fs::remove_all(b);
  }
}

TEST_CASE("data that does not match its CRC-32 is an error, not a difference") {
  const Chips shop;
  const auto a = shop.make("a.tacozip"), b = shop.make("b.tacozip");
  REQUIRE(edit_file(b, "red b", "red c"));
  CHECK(diff(a, b, {.quick = true}).equal());
  CHECK_THROWS_WITH_AS(diff(a, b), doctest::Contains("sample 'red': the CRC-32 of its bytes is"), FormatError);
}

TEST_CASE("different metadata is reported with both values") {
  const Chips shop;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [&](std::vector<Value> n, std::vector<Value> text) {
    return shop.tree().extend_with({{.key = "n", .values = std::move(n), .type = "double"},
                                    {.key = "text", .values = std::move(text), .type = "string"}},
                                   1);
  };
  const auto a = create({with({1, nan, {}, 4}, {"a", "b", {}, "d"}), collection()}, shop.out("a")).at(0);
  const auto b = create({with({1, nan, 3, {}}, {"a", "B", {}, "d"}), collection()}, shop.out("b.tacozip")).at(0);
  CHECK(difference_of(a, b) == "changed 1 a/red, text b > B\nchanged 1 b/green, n - > 3\nchanged 1 b/red, n 4 > -\n");
  CHECK(difference_of(a, a) == "");
}

TEST_CASE("-0.0 is not 0.0, and numbers of the collection are compared exactly") {
  const Chips shop;
  const auto with = [&](double zero) { return shop.tree().extend_with({{.key = "z", .values = {1.0, zero}}}); };
  const auto a = create({with(0.0), collection()}, shop.out("a")).at(0);
  const auto b = create({with(-0.0), collection()}, shop.out("b")).at(0);
  CHECK(difference_of(a, b) == "changed 0 b, z 0 > -0\n");
  const auto c = shop.make("c"), d = shop.make("d");
  edit(c, {.set = {{"my:n", "9007199254740992.0"}, {"my:m", "[1, 2.0]"}, {"my:z", "0.0"}}});
  edit(d, {.set = {{"my:n", "9007199254740993"}, {"my:m", "[1.0, 2]"}, {"my:z", "-0.0"}}});
  CHECK(difference_of(c, d) == "my:n 9.007199254740992e+15 > 9007199254740993\nmy:z 0.0 > -0.0\n");
}

TEST_CASE("samples of a v1 file at any depth are compared") {
  const Workshop shop;
  const auto make = [&](const std::string& name, const std::string& bytes, int depth) {
    Sample deep("h", to_bytes(bytes));
    for (int i = 0; i < depth; ++i) deep = Sample("g", Tortilla({deep}));
    const Tortilla tree({Sample("a", Tortilla({Sample("f", to_bytes("1"))})), Sample("b", Tortilla({deep}))});
    return v1::create_tortilla(tree, shop.out(name), {.stats = false}).at(0);
  };
  for (const int depth : {1, 8}) {
    CAPTURE(depth);
    const std::string number = std::to_string(depth);
    const auto a = make("a" + number + ".tortilla", "one", depth), b = make("b" + number + ".tortilla", "two", depth);
    CHECK(diff(a, a).equal());
    CHECK_FALSE(diff(a, b).equal());
  }
}

TEST_CASE("added columns, removed columns and changed types are reported") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto make = [&](const std::string& name, const std::string& text) {
    const auto path = shop.make(name);
    edit(path, {.columns = {tables.write("t.csv", text)}});
    return path;
  };
  const auto a = make("a", "id,n,m,k\na,1,x,1\nb,2,y,2\n"), b = make("b.tacozip", "id,m,n,o\na,x,1.5,7\nb,y,2.0,7\n");
  CHECK(difference_of(a, b) ==
        "level0 k int64 > -\nlevel0 n int64 > double\nlevel0 o - > int64\nchanged 0 a, n 1 > 1.5\n");
}

TEST_CASE("members of the collection are compared by value") {
  const Chips shop;
  const auto a = shop.make("a.tacozip"), b = shop.make("b");
  edit(a, {.set = {{"my:key", R"({"x": 1, "y": [2]})"}, {"title", "\"one\""}}, .unset = {"keywords"}});
  edit(b, {.set = {{"my:key", R"({"y":[2],"x":1.0})"}, {"title", "\"two\""}}});
  CHECK(difference_of(a, b) == "title \"one\" > \"two\"\n");
  edit(b, {.unset = {"title"}});
  CHECK(difference_of(a, b) == "title \"one\" > -\n");
}

TEST_CASE("an index equals the dataset that was split into its parts") {
  const Chips shop;
  const auto whole = shop.make("whole");
  fs::create_directory(shop.out("parts"));
  const auto parts = create({shop.tree(), collection()}, shop.out("parts/x.tacozip"), {.split_size = 1});
  REQUIRE(parts.size() == 2);
  const auto index = shop.out("parts/.tacocat");
  CHECK(difference_of(whole, index) == "");
  fs::copy(index + "/COLLECTION.json", shop.out("parts/TACOLLECTION.json"));
  const auto collected = shop.out("parts/TACOLLECTION.json");
  CHECK(difference_of(index, collected, {.quick = true}) == "");
  CHECK(difference_of(collected, parts[0]) == "removed 0 b\nremoved 1 b/green\nremoved 1 b/red\n");
  const TemporaryFolder tables;
  edit(parts[1], {.columns = {tables.write("t.csv", "id,new\nb,1\n")}});
  CHECK(difference_of(index, collected) == "level0 new - > int64\n");  // of one part only
}

TEST_CASE("the first samples that differ are listed, all are counted") {
  const Workshop shop;
  std::vector<Sample> some, others;
  for (int k = 0; k < 150; ++k) {
    some.emplace_back("s" + std::to_string(1000 + k), to_bytes("x"));
    others.emplace_back("s" + std::to_string(1000 + k), to_bytes("xy"));
  }
  const auto a = create({Tortilla(some), collection()}, shop.out("a.tacozip")).at(0);
  const auto b = create({Tortilla(others), collection()}, shop.out("b.tacozip")).at(0);
  const auto found = diff(a, b);
  CHECK(found.num_changed == 150);
  REQUIRE(found.samples.size() == Diff::kMaxListed);
  CHECK(found.samples[99].path == "s1099");
}

TEST_CASE("a comparison can be stopped") {
  const Chips shop;
  const auto a = shop.make("a.tacozip"), b = shop.make("b");
  const auto stop = [](uint64_t, uint64_t, void*) { return false; };
  CHECK(text_of<IoError>([&] { diff(a, b, {.task = {.progress = stop}}); }) == a + ": stopped");
  uint64_t last = 0;
  const auto count = [](uint64_t done, uint64_t, void* user) {
    *static_cast<uint64_t*>(user) = done;
    return true;
  };
  diff(a, b, {.task = {.progress = count, .user = &last}});
  CHECK(last == 2 * 10 + 2 * 5);
}

TEST_CASE("a dataset that cannot be opened is an error, not a difference") {
  const Chips shop;
  const auto a = shop.make("a");
  CHECK(has_text(text_of<IoError>([&] { diff(a, shop.out("none")); }), "cannot open"));
  fs::remove(a + "/DATA/b/red");
  CHECK(has_text(text_of<IoError>([&] { diff(a, a); }), "DATA/b/red"));
}

}  // namespace tacore
