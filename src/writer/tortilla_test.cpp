#include <doctest/doctest.h>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/verbose.hpp"
#include "tacore/write/create.hpp"
#include "writer/tortilla_impl.hpp"

namespace {

using namespace tacore;
Strings names(const Tortilla& tortilla, int level = 0) {
  Strings out;
  for (const auto& field : tortilla.fields(level)) out.push_back(field.name + " " + field.type);
  return out;
}

TEST_CASE("an empty list of samples and samples with one id are refused") {
  says(error_of([] { Tortilla(std::vector<Sample>{}); }), "SchemaError: no samples; at least one expected");
  says(error_of([] { Tortilla({file("a"), file("b"), file("a")}); }), "duplicate ids: 'a' (2 times)");
}

TEST_CASE("a strict schema reports the first differing sample and the difference") {
  const Sample first = file("a", {{"x", 1}, {"y", 2}});
  const auto difference = [&](std::vector<MetadataField> second) {
    return error_of([&] { Tortilla({first, file("b", std::move(second))}); });
  };
  says(difference({{"x", 1}}), "sample 1 ('b') lacks 'y' (int64), unlike sample 0 ('a'); all samples");
  says(difference({{"x", 1}, {"y", 2}, {"z", 3}}), "has 'z' (int64) besides");
  says(difference({{"x", 1}, {"y", 2.5}}), "has 'y' (double), int64 expected");
  // F7: fields are matched by their names, in whatever order.
  const Tortilla swapped({first, file("b", {{"y", 4}, {"x", 3}})});
  CHECK(names(swapped) == Strings{"x int64", "y int64"});
  CHECK(swapped.column("x") == std::vector<Value>{1, 3});
  CHECK(swapped.column("y") == std::vector<Value>{2, 4});
  CHECK(Tortilla({first, file("b", {{"x", {}}, {"y", 2}})}).num_samples() == 2);  // a null fits any type
}

TEST_CASE("a loose schema has all fields in order of first appearance, with types that hold all values") {
  const Tortilla loose({file("a", {{"z", 1}, {"x", 1}}), file("b", {{"x", 2.5}, {"a", "t"}}), file("c", {{"a", {}}})},
                       false);
  CHECK(names(loose) == Strings{"z int64", "x double", "a string"});
  CHECK(loose.column("x") == std::vector<Value>{1.0, 2.5, {}});
  CHECK(loose.column("a") == std::vector<Value>{{}, "t", {}});
  says(error_of([] { Tortilla({file("a", {{"x", 1}}), file("b", {{"x", "t"}})}, false); }),
       "sample 'b' has field 'x' of type string, those before it int64");
}

TEST_CASE("a FILE before a FOLDER is a warning only") {
  static std::string told;
  verbose(true);
  set_log_sink([](LogLevel, std::string_view text, void*) { told = text; }, nullptr);
  const Tortilla mixed({file("a"), Sample("t", Tortilla({file("x")}))});
  set_log_sink(nullptr);
  verbose(false);
  CHECK(told == "FILE 'a' precedes FOLDER 't'; FOLDERs usually come first");
}

TEST_CASE("depth counts the levels below the root, at most five for a dataset of 2.0") {
  Tortilla deep({file("a")});
  CHECK(deep.depth() == 0);
  for (int depth = 1; depth <= 8; ++depth) {
    deep = Tortilla({Sample("t", deep)});
    CHECK(deep.depth() == depth);
  }
  CHECK(deep.ids(8) == Strings{"a"});
  says(error_of([&] { deep.pad(); }),
       "a tree of 9 levels; at most 6 expected in TACO 2.0, and 't/t/t/t/t/t/t' is deeper");
}

TEST_CASE("a level has the children of all samples, in order, with their fields") {
  const auto below = [](int i) {
    return Tortilla({file("x", {{"n", i}}), Sample("u", Tortilla({file("y", {{"m", i}})}), {{"n", i + 10}})});
  };
  const Tortilla all({Sample("a", below(1)), file("f"), Sample("b", below(2))}, false);
  CHECK(all.ids(1) == Strings{"x", "u", "x", "u"});
  CHECK(all.column("n", 1) == std::vector<Value>{1, 11, 2, 12});
  CHECK(all.column("m", 2) == std::vector<Value>{1, 2});
  CHECK(impl_of(all)->tree.levels[1].parents == std::vector<int64_t>{0, 0, 2, 2});
  CHECK(impl_of(all)->tree.levels[2].parents == std::vector<int64_t>{1, 3});
  CHECK(all.sizes() == std::vector<uint64_t>{2, 1, 2});
  CHECK(all.num_bytes() == 5);
}

TEST_CASE("a row of a level is a FILE with its metadata and bytes") {
  const Tortilla low(
      {Sample("x", Bytes(3, std::byte{7}), {{"k", 1, "int32", "a number"}}), file("y", {{"k", 2, "int32"}})});
  const Tortilla whole({Sample("a", low), Sample("b", low)});
  const Sample x = whole.sample(2, 1);
  CHECK(x.id() == "x");
  CHECK(x.read_bytes() == Bytes(3, std::byte{7}));
  REQUIRE(x.metadata().size() == 1);
  CHECK(x.metadata()[0].value == Value(1));
  CHECK(x.metadata()[0].type == "int32");
  CHECK(x.metadata()[0].description == "a number");
  CHECK(whole.types(0) == std::vector(2, SampleType::Folder));
  CHECK(whole.types(1) == std::vector(4, SampleType::File));
  says(error_of([&] { whole.sample(0); }), "SchemaError: sample 'a' of level 0 is a FOLDER, a FILE expected");
  says(error_of([&] { whole.sample(4, 1); }), "SchemaError: row 4 does not exist at level 1, which has 4");
  says(error_of([&] { whole.sample(-1, 1); }), "row -1 does not exist");
  says(error_of([&] { Sample("a", low).read_bytes(); }), "sample 'a' is a FOLDER, which has no bytes");
}

TEST_CASE("PIT-2: FOLDERs whose children have other fields are refused, with the first of them") {
  const auto below = [](std::vector<MetadataField> metadata) { return Tortilla({file("x", std::move(metadata))}); };
  const std::vector<Sample> uneven{Sample("a", below({{"n", 1}})), Sample("b", below({{"k", 1}}))};
  says(error_of([&] { Tortilla{uneven}; }),
       "PIT violation: level 1 below 'b' lacks 'n' (int64); has 'k' (int64) besides, as below 'a'");
  CHECK(names(Tortilla(uneven, false), 1) == Strings{"n int64", "k int64"});
}

TEST_CASE("levels that cannot be exported have distinct errors") {
  const Tortilla flat({file("a")});
  says(error_of([&] { flat.fields(-1); }), "level -1 is negative");
  says(error_of([&] { flat.fields(6); }), "level 6 does not exist: the deepest is 0");
  says(error_of([&] { flat.fields(1); }), "level 1 does not exist: the deepest is 0");
}

TEST_CASE("the order of columns does not depend on the number of rows, at any level") {
  const auto below = [](int n) {
    std::vector<Sample> out;
    for (int i = 0; i < n; ++i) out.push_back(file("x" + std::to_string(i), {{"z", 1}, {"a", 2}}));
    return Tortilla(std::move(out));
  };
  for (const int n : {1, 2}) {
    CHECK(names(below(n)) == Strings{"z int64", "a int64"});
    CHECK(names(Tortilla({Sample("t", below(n))}), 1) == Strings{"z int64", "a int64"});
  }
}

struct Numbers : TortillaExtension {
  std::vector<FieldDescription> schema() const override { return {{"x:n", "int32", "a number"}}; }
  std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const override {
    std::vector<Value> out;
    for (int64_t i = 0; i < tortilla.num_samples() - missing; ++i) out.emplace_back(i);
    return {out};
  }
  int missing = 0;
};

TEST_CASE("an extension adds a column with a value for each sample, under a new name") {
  const Tortilla two({file("a", {{"k", 1}}), file("b", {{"k", 2}})});
  const Tortilla more = two.extend_with(Numbers());
  CHECK(names(more) == Strings{"k int64", "x:n int32"});
  CHECK(more.column("x:n") == std::vector<Value>{0, 1});
  CHECK(more.fields()[1].description == "a number");
  CHECK(names(two) == Strings{"k int64"});
  Numbers fewer;
  fewer.missing = 1;
  says(error_of([&] { two.extend_with(fewer); }), "field 'x:n' has 1 values; one for each of 2 samples expected");
  says(error_of([&] { more.extend_with(Numbers()); }), "field 'x:n' exists already");
}

TEST_CASE("schema_only gives a null for each sample") {
  const Tortilla two = Tortilla({file("a"), file("b")}).extend_with(Numbers(), true);
  CHECK(two.column("x:n") == std::vector<Value>{{}, {}});
  CHECK(names(two) == Strings{"x:n int32"});
}

TEST_CASE("pop removes a column, and core and unknown fields are errors") {
  const Tortilla two = Tortilla({file("a", {{"k", 1}}), file("b", {{"k", 2}})}).extend_with(Numbers());
  CHECK(names(two.pop("x:n")) == Strings{"k int64"});
  CHECK(names(two.pop("x:n").pop("k")).empty());
  says(error_of([&] { two.pop("type"); }), "field 'type' is part of every sample");
  says(error_of([&] { two.pop("zz"); }), "no field 'zz'; there are: k, x:n");
  says(error_of([&] { two.column("zz"); }), "no field 'zz' at level 0; there are: k, x:n");
}

TEST_CASE("columns added to the samples of a FOLDER are those of its level") {
  const Tortilla below = Tortilla({file("x"), file("y")}).extend_with(Numbers());
  const Tortilla all({Sample("a", below), Sample("b", below)});
  CHECK(all.column("x:n", 1) == std::vector<Value>{0, 1, 0, 1});
}

TEST_CASE("columns of values are added at any level") {
  const Tortilla all({Sample("a", Tortilla({file("x"), file("y")}))});
  const Tortilla more = all.extend_with({{"w", {1, 2.5}}}, 1);
  CHECK(names(more, 1) == Strings{"w double"});
  says(error_of([&] { all.extend_with({{"w", {1, "t"}}}, 1); }), "field 'w' has int64 and string; one type expected");
  says(error_of([&] { all.extend_with({{"internal:w", {1, 2}}}, 1); }), "key 'internal:w'");
}

TEST_CASE("table columns that no dataset can hold, and duplicate ones, are errors that name them") {
  const TemporaryFolder folder;
  const auto fault_of = [&](const std::string& name, const std::string& text) -> std::string {
    try {
      Tortilla::from_table(folder.write(name, text));
    } catch (const SchemaError& error) {
      return error.message();
    }
    return "";
  };
  CHECK(fault_of("twins.csv", "id,id,path\na,b,c\n") == "column 'id' occurs twice");
  CHECK(fault_of("latin1.jsonl", "{\"id\":\"a\",\"path\":\"p\",\"k\":\"\xff\"}\n") ==
        "field 'k' is not UTF-8 in row 0");
}

TEST_CASE("samples from columns are FILEs with those paths") {
  const std::string path = TACORE_SOURCE_DIR "/VERSION";
  const Tortilla columns({"a", "b"}, {path, "/vsisubfile/0_3," + path}, {{"k", {1, 2}}});
  CHECK(columns.ids() == Strings{"a", "b"});
  CHECK(columns.sizes()[1] == 3);
  CHECK(columns.column("k") == std::vector<Value>{1, 2});
  says(error_of([&] { Tortilla({"a"}, Strings{}); }), "1 ids and 0 paths");
  says(error_of([&] { Tortilla({"a", "a"}, {path, path}); }), "'a' occurs twice");
}

}  // namespace
