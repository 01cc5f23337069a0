#include <unistd.h>

#include "support/rounds.hpp"
#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/ops/edit.hpp"

namespace tacore::v1 {
namespace {

Tortilla samples() {
  std::vector<Sample> out;
  for (const char* id : {"a", "b", "c"})
    out.emplace_back(id, to_bytes(std::string(500, id[0])), std::vector<MetadataField>{{"cloud", 0.5}});
  return Tortilla(out);
}

std::string make(const TemporaryFolder& folder, const std::string& name) {
  const auto path = folder.path(name);
  if (name.ends_with(".taco")) {
    create_taco({samples(), demo_collection()}, path, plain());
  } else {
    create_tortilla(samples(), path, plain());
  }
  return path;
}

std::string collection_of(const std::string& bytes) {
  const Fields header = fields_of(bytes);
  return bytes.substr(header.collection, header.collection_size);
}

TEST_CASE("replacing the collection of a TACO keeps all bytes before it") {
  const TemporaryFolder folder;
  const auto path = make(folder, "x.taco");
  const std::string before = file_text(path);
  edit(path, {.set = {{"title", "\"A much longer title than before\""}}});
  const std::string after = file_text(path);
  says(collection_of(after), "\"title\":\"A much longer title than before\"");
  const Fields header = fields_of(after);
  CHECK(header.collection == fields_of(before).collection);
  CHECK(header.collection + header.collection_size == after.size());
  CHECK(after.substr(200, header.collection - 200) == before.substr(200, header.collection - 200));
  edit(path, {.unset = {"title"}});
  CHECK_FALSE(has_text(collection_of(file_text(path)), "longer"));
}

TEST_CASE("columns of the footer are set and dropped without moving samples") {
  const TemporaryFolder folder;
  const auto table = folder.write("t.csv", "id,tortilla:data_split,label\nb,train,7\nc,test,8\n");
  for (const char* name : {"x.tortilla", "x.taco"}) {
    const auto path = make(folder, name);
    const std::string before = file_text(path);
    edit(path, {.drop = {"cloud"}, .columns = {table}});
    const std::string after = file_text(path);
    const auto rows = footer_of(after);
    CHECK(texts(*rows, "tortilla:id") == Strings{"a", "b", "c"});
    CHECK(texts(*rows, "tortilla:data_split") == Strings{"null", "train", "test"});
    CHECK(integers(*rows, "label") == std::vector<int64_t>{-1, 7, 8});
    CHECK(integers(*rows, "tortilla:offset") == std::vector<int64_t>{200, 700, 1200});
    const auto columns = column_names(*rows);
    CHECK(std::find(columns.begin(), columns.end(), "cloud") == columns.end());
    CHECK(after.substr(200, 1500) == before.substr(200, 1500));
    if (std::string(name) == "x.taco") CHECK(collection_of(after) == collection_of(before));
    const Fields header = fields_of(after);
    CHECK(header.footer == 1700);
    CHECK(header.footer + header.footer_size + header.collection_size == after.size());
  }
}

TEST_CASE("all parts of a set are edited, whichever file is given") {
  const TemporaryFolder folder;
  const auto parts =
      create_taco({samples(), demo_collection()}, folder.path("x.taco"), plain({.split_size = 500, .first_part = 1}));
  REQUIRE(parts.size() == 3);
  const auto table = folder.write("t.csv", "id,label\na,1\nc,0.5\n");
  edit(parts[1], {.set = {{"title", "\"New\""}}, .columns = {table}});
  for (const auto& part : parts) {
    const std::string bytes = file_text(part);
    says(collection_of(bytes), "\"title\":\"New\"");
    CHECK(fields_of(bytes).parts == 3);
    // One type in all parts.
    CHECK(read_values(*find_column(*footer_of(bytes), "label"))[0].get<int64_t>() == nullptr);
  }
  CHECK(*read_values(*find_column(*footer_of(file_text(parts[0])), "label"))[0].get<double>() == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 4);
  REQUIRE(::unlink(parts[2].c_str()) == 0);
  CHECK(error_of([&] { edit(parts[0], {.unset = {"title"}}); }) != "");
  says(collection_of(file_text(parts[0])), "New");
}

TEST_CASE("a symbolic link is followed and stays a link") {
  const TemporaryFolder folder;
  const auto path = make(folder, "x.taco"), link = folder.path("link.taco");
  REQUIRE(::symlink(path.c_str(), link.c_str()) == 0);
  edit(link, {.set = {{"title", "\"New\""}}});
  says(collection_of(file_text(path)), "New");
  CHECK(std::filesystem::is_symlink(link));
}

TEST_CASE("bytes after the end of a file are kept, and an edit appends after them") {
  const TemporaryFolder folder;
  const auto path = make(folder, "x.taco");
  const std::string before = file_text(path) + "more";
  folder.write("x.taco", before);
  edit(path, {.set = {{"title", "\"New\""}}, .drop = {"cloud"}});
  const std::string after = file_text(path);
  CHECK(after.substr(200, before.size() - 200) == before.substr(200));
  CHECK(fields_of(after).footer == before.size());
  says(collection_of(after), "New");
}

TEST_CASE("an invalid edit is refused and changes nothing") {
  const TemporaryFolder folder;
  const auto taco = make(folder, "x.taco"), tortilla = make(folder, "x.tortilla");
  const std::string before = file_text(taco), before_too = file_text(tortilla);
  const auto why = [&](const std::string& path, const Edit& changes) { return error_of([&] { edit(path, changes); }); };
  says(why(tortilla, {.set = {{"title", "\"New\""}}}), "which has no collection");
  says(why(taco, {}), "nothing is to change");
  says(why(taco, {.set = {{"id", "\"other\""}}}), "'id' cannot be edited");
  says(why(taco, {.set = {{"title", "New"}}}), "the value of 'title'");
  says(why(taco, {.level = 1, .drop = {"cloud"}}), "columns of level 0 can be edited");
  for (const char* name : {"tortilla:id", "tortilla:offset", "tortilla:length", "tortilla:file_format"})
    says(why(taco, {.drop = {name}}), "it cannot be dropped");
  says(why(taco, {.drop = {"none"}}), "none");
  const auto table = [&](const std::string& text) { return Edit{.columns = {folder.write("t.csv", text)}}; };
  says(why(taco, table("id,tortilla:offset\na,7\n")), "identifies the sample of a row, or locates its bytes");
  says(why(taco, table("id,label\nz,7\n")), "is not a sample");
  says(why(taco, table("id,label\na,7\na,8\n")), "occurs twice");
  says(why(taco, table("id,tortilla:data_split\na,dev\n")), "train, validation or test expected");
  CHECK(file_text(taco) == before);
  CHECK(file_text(tortilla) == before_too);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);
}

TEST_CASE("a file with any byte changed is edited, or refused with a tacore::Error and left unchanged") {
  const TemporaryFolder folder;
  const auto path = make(folder, "x.taco"), table = folder.write("t.csv", "id,label\na,1\n");
  const std::string good = file_text(path);
  int num_refused = 0;
  const std::size_t step = is_long() ? 1 : 3;
  for (std::size_t at = 0; at < good.size(); at += at < 50 ? 1 : at < 1700 ? 825 : step) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    folder.write("x.taco", bytes);
    try {
      edit(path, {.set = {{"title", "\"New\""}}, .columns = {table}});
    } catch (const Error&) {
      ++num_refused;
      CHECK((file_text(path) == bytes));
    }
  }
  CHECK(num_refused > 100);
  for (std::size_t size = 0; size < good.size(); size += 97) {
    folder.write("x.taco", good.substr(0, size));
    CHECK(error_of([&] { edit(path, {.drop = {"cloud"}}); }) != "");
  }
}

}  // namespace
}  // namespace tacore::v1
