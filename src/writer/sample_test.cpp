#include "tacore/write/sample.hpp"

#include <arrow/c/abi.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/spill_buffer.hpp"
#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "table/arrow_stream.hpp"
#include "table/read_table.hpp"
#include "writer/tortilla_impl.hpp"

namespace {

using namespace tacore;
using Keys = Strings;

Sample made(const std::string& id, std::vector<MetadataField> metadata = {}) { return file(id, std::move(metadata)); }

Keys keys(const Sample& sample) {
  Keys out;
  for (const auto& field : sample.metadata()) out.push_back(field.key);
  return out;
}

/// Types of the fields of a sample, as they would be written.
std::vector<std::string> types(const Sample& sample) {
  std::vector<std::string> out;
  for (const auto& field : Tortilla({sample}).fields()) out.push_back(field.type);
  return out;
}

std::string content_of(const Sample& sample) {
  std::string out(sample.size(), ' ');
  sample.content()->file->held->read(0, std::as_writable_bytes(std::span(out)));
  return out;
}

struct Doubled : SampleExtension {
  std::vector<FieldDescription> schema() const override { return {{"x:twice", "int32", "two times a"}}; }
  std::vector<Value> compute(const Sample& sample) const override { return {*sample.find("a")->get<int64_t>() * 2}; }
};

TEST_CASE("a byte range of a file is read as a sample, with a /vsisubfile/ name") {
  const TemporaryFolder folder;
  const std::string path = folder.write("abc", "0123456789");
  const Sample part("part", "/vsisubfile/3_4," + path), whole("whole", path), held = made("held");
  CHECK(part.read_bytes() == to_bytes("3456"));
  CHECK(part.vsi_path() == "/vsisubfile/3_4," + path);
  CHECK(whole.read_bytes() == to_bytes("0123456789"));
  CHECK(whole.vsi_path() == path);
  CHECK(held.vsi_path().empty());
  folder.write("abc", "01");
  says(error_of([&] { whole.read_bytes(); }), "IoError");
}

TEST_CASE("a sample of a file is a FILE, one of samples a FOLDER") {
  const TemporaryFolder folder;
  CHECK(Sample("a", folder.write("a.tif", "abc")).type() == SampleType::File);
  CHECK(made("a").type() == SampleType::File);
  CHECK(Sample("t", Tortilla({made("a")})).type() == SampleType::Folder);
}

TEST_CASE("ids with slashes, colons or a leading __ are refused") {
  says(error_of([] { made("a/b"); }), "SchemaError: sample 'a/b': its id contains a slash");
  says(error_of([] { made("a\\b"); }), "slash");
  says(error_of([] { made("a:b"); }), "colon");
  says(error_of([] { made("__a"); }), "__");
}

TEST_CASE("ids with blanks, dots, dashes and any letters are kept") {
  for (const std::string id : {"a b", "x.tif", "-", "\xC3\xB1", "\xF0\x9F\x8C\xAE"}) CHECK(made(id).id() == id);
}

TEST_CASE("a missing path is refused") {
  says(error_of([] { Sample("a", std::string("/nowhere/a.tif")); }), "IoError: /nowhere/a.tif");
}

TEST_CASE("relative paths become absolute, and links are kept") {
  const TemporaryFolder folder;
  folder.write("a.tif", "abc");
  fs::create_symlink("a.tif", folder.path("link"));
  CHECK(Sample("a", folder.path("link")).path() == folder.path("link"));
  const auto relative = fs::relative(folder.path("a.tif")).string();
  CHECK(Sample("a", relative).path().starts_with('/'));
  CHECK(Sample("a", relative).size() == 3);
}

TEST_CASE("a folder is refused as a FILE") {
  const TemporaryFolder folder;
  says(error_of([&] { Sample("a", folder.path()); }), "a folder, the file of a sample expected");
}

TEST_CASE("a /vsisubfile/ path of GDAL is a sample") {
  const TemporaryFolder folder;
  const auto path = folder.write("a", "0123456789");
  const Sample part("a", "/vsisubfile/2_5," + path);
  CHECK(part.size() == 5);
  says(error_of([&] { Sample("a", "/vsisubfile/8_3," + path); }), "bytes 8 to 11 are outside of the file of 10 bytes");
  says(error_of([&] { Sample("a", "oss://bucket/a.tif"); }), "reading from this storage needs GDAL");
}

TEST_CASE("bytes stay in memory up to a limit and then spill to temp_dir, until the last copy is destroyed") {
  const TemporaryFolder folder;
  const auto temp = fs::path(folder.path("made/below"));
  CHECK(content_of(Sample("e", to_bytes(""))).empty());
  std::optional<Sample> large = Sample("l", Bytes(SpillBuffer::kMaxInMemory - 8), {}, temp.string());
  CHECK(large->content()->file->held->in_memory());
  CHECK_FALSE(fs::exists(temp));
  std::optional<Sample> spilled = Sample("s", to_bytes("0123456789"), {}, temp.string());
  CHECK_FALSE(spilled->content()->file->held->in_memory());
  CHECK(fs::is_directory(temp));
  CHECK(fs::is_empty(temp));  // nothing that a killed process would leave
  const Sample copy = *spilled;
  spilled.reset();
  CHECK(content_of(copy) == "0123456789");
  large.reset();
  CHECK(made("again").content()->file->held->in_memory());
}

TEST_CASE("cleanup releases the bytes, any number of times, and copies keep them") {
  Sample sample("a", to_bytes("123"));
  const Sample copy = sample;
  const Tortilla of({sample});
  for (int i = 0; i < 2; ++i) {
    sample.cleanup();
    CHECK(sample.size() == 0);
  }
  CHECK(content_of(copy) == "123");
  CHECK(of.num_bytes() == 3);
  Sample file("f", TACORE_SOURCE_DIR "/VERSION");
  file.cleanup();
  CHECK(file.size() > 0);
}

TEST_CASE("bytes in temp_dir outlive a forked child that had copies and samples of its own") {
  const TemporaryFolder folder;
  const Sample large("l", Bytes(SpillBuffer::kMaxInMemory));
  std::optional<Sample> spilled = Sample("s", to_bytes("0123456789"), {}, folder.path());
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    spilled.reset();
    const Sample own("o", to_bytes("abcdefghij"), {}, folder.path());
    ::_exit(content_of(own) == "abcdefghij" ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(content_of(*spilled) == "0123456789");
  CHECK(content_of(Sample("t", to_bytes("later"), {}, folder.path())) == "later");
  CHECK(content_of(*spilled) == "0123456789");
}

TEST_CASE("a path with a NUL byte is refused, not cut there") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "x") + std::string(1, '\0') + "b";
  says(error_of([&] { Sample("a", path); }), "contains a NUL byte");
}

TEST_CASE("metadata that readers could not open are refused immediately") {
  says(error_of([&] { made("a", {{"k", "\xff"}}); }), "field 'k' is not UTF-8 in row 0");
  says(error_of([&] { made("a", {{"k", Struct{}}}); }), "field 'k' has a struct without fields");
}

TEST_CASE("the size is that of the data, and of all children") {
  const Sample a("a", to_bytes("12345")), b("b", to_bytes("123"));
  CHECK(a.size() == 5);
  CHECK(Sample("t", Tortilla({a, Sample("u", Tortilla({b, a}))})).size() == 13);
}

TEST_CASE("metadata given to the constructor equal those of extend_with") {
  Sample later("a", to_bytes("x"));
  later.extend_with({{"a", 1}, {"b", "c"}});
  const Sample at_once = made("a", {{"a", 1}, {"b", "c"}});
  CHECK(keys(later) == keys(at_once));
  CHECK(*later.find("b") == *at_once.find("b"));
  CHECK(later.find("c") == nullptr);
}

TEST_CASE("keys are ASCII words with at most one colon, never internal") {
  for (const std::string key : {"a", "A_1", "stac:crs", "schema", "copy", "json"})
    CHECK(keys(made("s", {{key, 1}})) == Keys{key});
  for (const std::string key : {"", "a b", "a-b", "a.b", "a!", "a:b:c", ":a", "a:", "a\n", "\xC3\xB1", "internal:x"}) {
    CAPTURE(key);
    says(error_of([&] { made("s", {{key, 1}}); }), "SchemaError: sample 's': key ");
  }
}

TEST_CASE("id, type and path cannot be overridden") {
  for (const std::string key : {"id", "type", "path"})
    says(error_of([&] { made("s", {{key, 1}}); }), "key '" + key + "'");
}

TEST_CASE("a refused extension changes nothing") {
  Sample sample = made("s", {{"a", 1}});
  says(error_of([&] { sample.extend_with({{"b", 1}, {"bad key", 2}}); }), "bad key");
  says(error_of([&] { sample.extend_with({{"b", "text", "int64"}}); }),
       "field 'b': value 0 is string, which int64 does not hold");
  CHECK(keys(sample) == Keys{"a"});
}

TEST_CASE("values get Arrow types") {
  const Sample sample = made("s", {{"i", 1},
                                   {"d", 1.5},
                                   {"b", true},
                                   {"s", "x"},
                                   {"y", Binary{"\1"}},
                                   {"n", {}},
                                   {"t", Timestamp{5}},
                                   {"l", Value::List{1, 2}},
                                   {"m", Value::List{1, 2.5}},
                                   {"e", Value::List{}},
                                   {"r", Struct{{"a", 1}, {"b", "c"}}},
                                   {"f", 1.5, "float"},
                                   {"z", Timestamp{5}, "timestamp[ms, tz=UTC]"}});
  CHECK(types(sample) == Keys{"int64", "double", "bool", "string", "binary", "null", "timestamp[us]",
                              "list<item: int64>", "list<item: double>", "list<item: null>",
                              "struct<a: int64, b: string>", "float", "timestamp[ms, tz=utc]"});
}

TEST_CASE("a repeated key gets the new value and type, and others are kept") {
  Sample sample = made("s", {{"a", 1}, {"b", 2}});
  sample.extend_with({{"a", "text"}, {"c", 3}});
  CHECK(keys(sample) == Keys{"a", "b", "c"});
  CHECK(*sample.find("a") == Value("text"));
  CHECK(types(sample) == Keys{"string", "int64", "int64"});
}

TEST_CASE("an extension adds its fields with their types and descriptions") {
  Sample sample = made("s", {{"a", 4}});
  sample.extend_with(Doubled());
  CHECK(*sample.find("x:twice") == Value(8));
  CHECK(types(sample) == Keys{"int64", "int32"});
  CHECK(Tortilla({sample}).fields()[1].description == "two times a");
  struct None : Doubled {
    std::vector<Value> compute(const Sample&) const override { return {}; }
  };
  says(error_of([&] { sample.extend_with(None()); }), "an extension gave 0 values for 1 fields");
}

TEST_CASE("schema_only gives nulls of the right type and computes nothing") {
  Sample sample = made("s");  // has no a to compute with
  sample.extend_with(Doubled(), true);
  CHECK(sample.find("x:twice")->is_null());
  CHECK(types(sample) == Keys{"int32"});
}

TEST_CASE("pop removes a field, and core and unknown fields are errors that list the fields") {
  Sample sample = made("s", {{"a", 1}, {"b", 2, "int8"}});
  const MetadataField popped = sample.pop("b");
  CHECK(popped.value == Value(2));
  CHECK(popped.type == "int8");
  CHECK(keys(sample) == Keys{"a"});
  says(error_of([&] { sample.pop("id"); }), "field 'id' is part of every sample");
  says(error_of([&] { sample.pop("zz"); }), "no field 'zz'; there are: a");
}

TEST_CASE("a sample is exported as one row of id, type, path and metadata, without path where it has none") {
  const TemporaryFolder folder;
  const auto exported = [](const Sample& sample) {
    ArrowArrayStream stream;
    sample.export_metadata(&stream);
    return import_table(&stream);
  };
  const auto path = folder.write("a.tif", "abc");
  const auto file = exported(Sample("a", path, {{"z", 1}, {"b", "x"}}));
  CHECK(column_names(*file) == Keys{"id", "type", "path", "z", "b"});
  CHECK(text_column(*file, "path", "") == std::vector<std::optional<std::string>>{path});
  CHECK(text_column(*file, "type", "") == std::vector<std::optional<std::string>>{"FILE"});
  for (const Sample& sample : {made("b"), Sample("t", Tortilla({made("a")}))}) {
    const auto row = exported(sample);
    CHECK(column_names(*row) == Keys{"id", "type", "path"});
    CHECK(text_column(*row, "path", "") == std::vector<std::optional<std::string>>{std::nullopt});
  }
}

}  // namespace
