#include "tacore/ops/edit.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/create_files.hpp"

// Edited datasets: what create() would have made of the edited samples, to the byte, whatever happens on the way.
namespace tacore {
namespace {

const char* const kContainers[] = {"set.tacozip", "set"};

/// Three folders of two files.
struct Chips : Workshop {
  Chips() {
    for (const std::string folder : {"a", "b", "c"}) {
      add(folder + "/green", "green of " + folder);
      add(folder + "/red", "red " + folder);
    }
  }
};

std::string made(const Workshop& shop, const std::string& name, const Tortilla& tree, const Collection& about) {
  return create({tree, about}, shop.out(name)).at(0);
}
std::string made(const Workshop& shop, const std::string& name) { return made(shop, name, shop.tree(), collection()); }

std::string table(const TemporaryFolder& folder, const std::string& text, const std::string& name = "t.csv") {
  return folder.write(name, text);
}

ino_t inode(const std::string& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

template <class Kind>
std::string refusal(const std::string& path, const Edit& changes) {
  const auto before = files_of(path);
  const auto out = text_of<Kind>([&] { edit(path, changes); });
  CHECK(files_of(path) == before);
  return out;
}

}  // namespace

TEST_CASE("an edited collection is what create() writes") {
  const Chips shop;
  Collection about = collection();
  about.title = "Chips \xC3\xA9";
  about.keywords = {"a", "b"};
  about.extent = {.spatial = BBox{-35, -9, -34, -7.5}};
  about.json = R"({"my:key": {"b": [1.0, 1.50]}})";
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    edit(path, {.set = {{"title", "\"gone\""},
                        {"title", "\"Chips \xC3\xA9\""},
                        {"keywords", R"(["a","b"])"},
                        {"extent", R"({"spatial": [-35.0, -9.0, -34.0, -7.5], "temporal": null})"},
                        {"my:key", R"({"b":[1.0,1.50]})"}}});
    CHECK(files_of(path) == files_of(made(shop, "like_" + name, shop.tree(), about)));
    edit(path, {.set = {{"title", "null"},
                        {"keywords", "null"},
                        {"extent", R"({"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": null})"}},
                .unset = {"my:key", "never there"}});
    CHECK(files_of(path) == files_of(made(shop, "again_" + name)));
  }
  CHECK(file_text(shop.out("set.tacozip")) == file_text(shop.out("again_set.tacozip")));
}

TEST_CASE("a key that a line of JSON lacks leaves the value as it is, and a dropped column gets no values") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto path = made(shop, "set");
  edit(path, {.columns = {table(tables, "id,c,d\na,1,x\nb,2,y\nc,3,z\n")}});
  edit(path, {.columns = {table(tables, "{\"id\": \"a\", \"c\": 7}\n{\"id\": \"b\", \"d\": null}\n", "t.jsonl")}});
  const DataFrame rows = load(path).data();
  const auto cells = [&](const std::string& column) {
    Strings out;
    for (int64_t row = 0; row < rows.num_rows(); ++row) out.push_back(rows.text(row, column).value_or("null"));
    return out;
  };
  CHECK(cells("c") == Strings{"7", "2", "3"});
  CHECK(cells("d") == Strings{"x", "null", "z"});
  CHECK(has_text(refusal<ValidationError>(path, {.drop = {"c"}, .columns = {table(tables, "id,c\na,5\n")}}),
                 "column 'c' cannot be dropped and set for some samples only"));
}

TEST_CASE("edited columns equal those that create() writes") {
  const Chips shop;
  const TemporaryFolder tables;
  const Tortilla tree = shop.tree()
                            .extend_with({{.key = "cloud", .values = {0.5, {}, {}, 2.0, {}, {}}, .type = "double"}}, 1)
                            .extend_with({{.key = "name", .values = {{}, "bee", {}}, .type = "string"}});
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    edit(path, {.level = 1, .columns = {table(tables, "id,cloud\nb/red,2\na/green,0.5\n")}});
    CHECK(faults(path) == "");
    edit(path, {.columns = {table(tables, "id,name\nb,bee\n")}});
    CHECK(files_of(path) == files_of(made(shop, "like_" + name, tree, collection())));
    edit(path, {.drop = {"name"}});
    edit(path, {.level = 1, .drop = {"cloud"}});
    CHECK(files_of(path) == files_of(made(shop, "again_" + name)));
  }
  CHECK(file_text(shop.out("set.tacozip")) == file_text(shop.out("again_set.tacozip")));
}

TEST_CASE("samples that a table does not list keep their value") {
  const Chips shop;
  const TemporaryFolder tables;
  const Tortilla tree = shop.tree().extend_with({{.key = "n", .values = {1, 2, 3}}, {.key = "m", .values = {1, 2, 3}}});
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name, tree, collection());
    edit(path,
         {.columns = {table(
              tables, "{\"id\": \"c\", \"n\": 0.5, \"more\": [1, 2]}\n{\"id\": \"a\", \"n\": null, \"more\": null}\n",
              "t.jsonl")}});
    const auto rows = table_of(load(path).data());
    CHECK(values_of(*rows, "n") == std::vector<Value>{{}, 2.0, 0.5});
    CHECK(values_of(*rows, "m") == std::vector<Value>{1, 2, 3});
    CHECK(values_of(*rows, "more") == std::vector<Value>{{}, {}, Value::List{1, 2}});
    CHECK(faults(path) == "");
  }
}

TEST_CASE("a column takes the type of the table when all samples are listed") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto path =
      made(shop, "set.tacozip", shop.tree().extend_with({{.key = "n", .values = {1, 2, 3}}}), collection());
  const auto some = table(tables, "id,n\na,x\n", "some.csv"), all = table(tables, "id,n\na,x\nb,\nc,z\n", "all.csv");
  CHECK(refusal<SchemaError>(path, {.columns = {some}}) ==
        some + ": field 'n' is int64 and string; one type expected unless all samples are listed");
  edit(path, {.columns = {all}});
  CHECK(values_of(*table_of(load(path).data()), "n") == std::vector<Value>{"x", {}, "z"});
  CHECK(faults(path) == "");
}

TEST_CASE("a table of a deeper level may name samples by internal:relative_path") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto path = made(shop, "set.tacozip");
  edit(path, {.level = 1, .columns = {table(tables, "id,internal:relative_path,n\nred,b/red,7\n")}});
  CHECK(values_of(*table_of(load(path).sql("SELECT n FROM level1 WHERE n > 0").data()), "n") == std::vector<Value>{7});
}

TEST_CASE("fields keep their descriptions") {
  const Chips shop;
  const TemporaryFolder tables;
  const Tortilla tree = shop.tree().extend_with({{.key = "n", .values = {1, 2, 3}, .description = "a number"}});
  const auto path = made(shop, "set", tree, collection());
  edit(path, {.columns = {table(tables, "id,m,n\na,1.5,0.5\n")}});
  const auto fields = load(path).field_schema().at("level0");
  REQUIRE(fields.size() == 6);
  CHECK(fields[2].name + fields[2].type + fields[2].description == "ndoublea number");
  CHECK(fields[3].name + fields[3].type + fields[3].description == "mdouble");
}

TEST_CASE("data and its offsets stay where they are") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto path = made(shop, "set.tacozip");
  const auto before = file_text(path);
  const auto old = zip_entries(before);
  edit(path, {.level = 1, .columns = {table(tables, "id,cloud\na/red,2\n")}});
  const auto after = file_text(path);
  const auto first =
      std::find_if(old.begin(), old.end(), [](const auto& entry) { return entry.name.ends_with("__meta__"); });
  const std::size_t header = 157, shared = first->local_offset - header;
  CHECK(after.substr(header, shared) == before.substr(header, shared));
}

TEST_CASE("a reader with the old file open keeps reading it") {
  const Chips shop;
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    const auto file = fs::is_directory(path) ? path + "/COLLECTION.json" : path;
    const auto before = file_text(file);
    std::ifstream open(file, std::ios::binary);
    edit(path, {.set = {{"title", "\"New\""}}});
    CHECK(std::string{std::istreambuf_iterator<char>(open), {}} == before);
    CHECK(file_text(file) != before);
  }
}

TEST_CASE("an edit of the columns of a FOLDER keeps its data files, links and permissions") {
  const Chips shop;
  const TemporaryFolder tables;
  const auto path = made(shop, "set");
  const auto data = inode(path + "/DATA/a/red"), meta = inode(path + "/DATA/a/__meta__");
  fs::create_symlink("../README.md", path + "/DATA/link");
  std::ofstream(path + "/README.md") << "mine";
  fs::permissions(path, fs::perms::owner_all);
  edit(path, {.level = 1, .columns = {table(tables, "id,cloud\na/red,2\n")}});
  CHECK(inode(path + "/DATA/a/red") == data);
  CHECK(inode(path + "/DATA/a/__meta__") != meta);
  CHECK(fs::read_symlink(path + "/DATA/link") == "../README.md");
  CHECK(file_text(path + "/DATA/link") == "mine");
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  CHECK(shop.num_made() == 1);
}

TEST_CASE("a link to a dataset stays one, and permissions stay") {
  const Chips shop;
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    const auto file = fs::is_directory(path) ? path + "/COLLECTION.json" : path;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    const auto link = shop.out("link_" + name);
    fs::create_symlink(name, link);
    edit(link, {.set = {{"title", "\"New\""}}});
    CHECK(fs::is_symlink(link));
    CHECK(load(path).title() == "New");
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  }
}

TEST_CASE("edited datasets of other writers keep their data bytes and get no new faults") {
  const TemporaryFolder copies;
  const TemporaryFolder tables;
  for (const std::string name :
       {"flat_plain.tacozip", "header_absent.tacozip", "header_stale.tacozip", "extra_entries.zip",
        "mixed_level1.tacozip", "nested_padded.tacozip", "nested_padded", "nested", "no_current_id.tacozip",
        "permuted_offsets.tacozip", "six_levels.tacozip", "snappy_v2pages.tacozip", "string_parent_id.tacozip",
        "uneven_children.tacozip", "zip64_records.tacozip"}) {
    CAPTURE(name);
    const auto path = copies.copy(golden(name));
    const auto num_faults = [&] { return validate(path, {.deep = true}).size(); };
    const auto before = contents(load(path).data());
    const auto known = num_faults();
    edit(path, {.set = {{"title", "\"New\""},
                        {"licenses", R"(["MIT"])"},
                        {"tasks", R"(["other"])"},
                        {"providers", R"([{"name": "x"}])"},
                        {"dataset_version", "\"2\""},
                        {"description", "\"d\""}}});
    CHECK(difference(contents(load(path).data()), before) == "");
    CHECK(num_faults() <= known);
    for (int level = load(path).pit_schema().max_depth(); level >= 0; --level) {
      CAPTURE(level);
      edit(path, {.level = level, .columns = {table(tables, "id,added\n")}});
      CHECK(difference(contents(load(path).data()), before) == "");
      CHECK(num_faults() <= known);
    }
  }
}

TEST_CASE("samples stored behind changed entries move and are found again") {
  const Chips shop;
  const TemporaryFolder copies;
  // The collection first and no header, as nothing forbids: readers go by the directory.
  const std::string archive = file_text(made(shop, "set.tacozip"));
  auto entries = zip_entries(archive);
  std::rotate(entries.begin(), entries.end() - 1, entries.end());
  std::erase_if(entries, [](const auto& entry) { return entry.name == "TACO_HEADER"; });
  std::string out;
  FieldWriter directory;
  for (auto& entry : entries) {
    const auto bytes = archive.substr(entry.local_offset, zip::local_header_size(entry) + entry.size);
    entry.local_offset = out.size();
    out += bytes;
    zip::encode_central_entry(entry, directory);
  }
  zip::encode_directory_end({.offset = out.size(), .size = directory.size(), .num_entries = entries.size()}, directory);
  out += to_text(directory.take());
  const auto path = copies.write("other.zip", out);
  edit(path, {.set = {{"title", "\"New\""}}});
  CHECK(faults(path) == "");
  CHECK(contents(load(path).data()) == contents(load(shop.out("set.tacozip")).data()));
}

TEST_CASE("the collection of an index is edited, its columns are not") {
  const TemporaryFolder copies;
  const auto path = copies.copy(golden("cascade_tacocat"), "index");
  const Edit title{.set = {{"title", "\"All\""}}};
  edit(path, title);
  CHECK(load(path).title() == "All");
  CHECK(load(path).collection().sources.size() == read_collection(golden("cascade_tacocat")).sources.size());
  CHECK(text_of<ValidationError>([&] { edit(path, {.drop = {"x"}}); }) ==
        path + ": the columns of an index are those of its ZIPs: edit them, and index them again");
  const auto single = copies.write("alone/TACOLLECTION.json", load(path).collection().json);
  edit(single, {.set = {{"title", "\"Other\""}}});
  CHECK(read_collection(single).title == "Other");
}

TEST_CASE("edits that are not allowed are refused, and nothing is written") {
  const Chips shop;
  const TemporaryFolder tables;
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    const auto set = [](const char* key, const char* json) { return Edit{.set = {{key, json}}}; };
    CHECK(refusal<ValidationError>(path, {}) == path + ": nothing is to change");
    for (const char* key : {"id", "taco_version", "taco:pit_schema", "taco:field_schema", "taco:sources", "_tacocat"}) {
      CAPTURE(key);
      CHECK(refusal<ValidationError>(path, set(key, "1")).find(std::string(key) + "' cannot be edited: it ") == 1);
      CHECK(has_text(refusal<ValidationError>(path, {.unset = {key}}), " cannot be edited: it "));
    }
    CHECK(refusal<ValidationError>(path, set("title", "text")).starts_with("the value of 'title' is not JSON: "));
    CHECK(refusal<ValidationError>(path, set("title", "7")) ==
          path + ": the edited collection could not be read: title is number, expected a string");
    CHECK(refusal<ValidationError>(path, {.unset = {"tasks", "licenses"}})
              .starts_with(path + ": the edited collection breaks 2 rules: licenses is empty"));
    CHECK(refusal<SchemaError>(path, {.drop = {"type"}}) ==
          path + ": level 0: column 'type' is a core field; it cannot be dropped");
    CHECK(refusal<SchemaError>(path, {.drop = {"internal:offset"}}) ==
          path + ": level 0: column 'internal:offset' starts with internal:, which is reserved; it cannot be dropped");
    CHECK(refusal<SchemaError>(path, {.level = 1, .drop = {"absent"}})
              .starts_with(path + ": no column 'absent': id, type"));
    CHECK(refusal<QueryError>(path, {.level = 2, .drop = {"none"}}) ==
          path + ": Level 2 does not exist: the deepest is 1");
    const struct {
      const char *text, *message;
    } cases[] = {
        {"id,type\na,FILE\n", "column 'type' is a core field"},
        {"id,internal:size\na,1\n", "column 'internal:size' starts with internal:, which is reserved"},
        {"id,a b\na,1\n", "column 'a b' may contain only letters, digits and _, and one : inside"},
        {"id,n\na,1\na,2\n", "row 1 ('a') occurs twice, first in row 0"},
        {"id,n\nd,1\n", "row 0 ('d') is not a sample of level 0 of "},
        {"id,n\n,1\n", "row 0 ('null') has no id"},
        {"name,n\na,1\n", "no column 'id': name, n"},
    };
    for (const auto& each : cases) {
      CAPTURE(each.text);
      const auto file = table(tables, each.text);
      CHECK(refusal<SchemaError>(path, {.columns = {file}}).starts_with(file + ": " + each.message));
    }
    CHECK(refusal<SchemaError>(path, {.columns = {table(tables, "id,n,N\na,1,2\n")}}) ==
          path + ": level 0: columns 'n' and 'N' differ in case only; SQL takes them for one");
    CHECK(has_text(refusal<IoError>(path, {.columns = {tables.path("none.csv")}}), "cannot open"));
    CHECK(shop.num_made() == (name == "set" ? 2 : 1));
  }
}

TEST_CASE("padding has no metadata to edit") {
  const Chips shop;
  const TemporaryFolder tables;
  const Tortilla tree = shop.tree().pad_to(5);
  const auto path = made(shop, "set.tacozip", tree, collection());
  const std::string padding = tree.ids().back();
  const auto file = table(tables, "id,n\n" + padding + ",1\n", "pad.csv");
  CHECK(refusal<SchemaError>(path, {.columns = {file}}) ==
        file + ": row 0 ('" + padding + "') is padding, which has no metadata");
  edit(path, {.columns = {table(tables, "id,n\na,1\nb,2\nc,3\n")}});
  CHECK(faults(path) == "");
}

TEST_CASE("an edit that is stopped leaves the old dataset and nothing else") {
  const Chips shop;
  const TemporaryFolder tables;
  const Edit edits[] = {{.set = {{"title", "\"New\""}}},
                        {.level = 1, .columns = {table(tables, "id,cloud\na/red,2\n")}}};
  for (const std::string name : kContainers) {
    for (const auto& changes : edits) {
      CAPTURE(name);
      const auto path = made(shop, name);
      const auto before = files_of(path);
      for (int calls = 1;; ++calls) {
        struct Counter {
          int left;
        } counter{calls};
        const auto stop = [](uint64_t, uint64_t, void* user) { return --static_cast<Counter*>(user)->left > 0; };
        const auto said =
            text_of<IoError>([&] { edit(path, changes, {.task = {.jobs = 1, .progress = stop, .user = &counter}}); });
        CHECK(shop.num_made() == 1);
        if (said.empty()) break;
        CHECK(said == path + ": stopped");
        CHECK(files_of(path) == before);
        REQUIRE(calls < 100);
      }
      CHECK(files_of(path) != before);
      fs::remove_all(path);
    }
  }
}

TEST_CASE("an edit of a dataset that another program replaced meanwhile is an error") {
  const Chips shop;
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = made(shop, name);
    const auto replace = [](uint64_t, uint64_t, void* user) {
      const auto& file = *static_cast<const std::string*>(user);
      fs::last_write_time(file, fs::file_time_type());
      return true;
    };
    std::string file = fs::is_directory(path) ? path + "/COLLECTION.json" : path;
    CHECK(text_of<IoError>([&] {
            edit(path, {.set = {{"title", "\"New\""}}}, {.task = {.progress = replace, .user = &file}});
          }) == file + ": was changed by another program during this edit");
    CHECK(load(path).title() == std::nullopt);
  }
}

TEST_CASE("temporary files of an edit lie in temp_dir") {
  const Chips shop;
  const auto path = made(shop, "set.tacozip");
  edit(path, {.set = {{"title", "\"New\""}}}, {.temp_dir = shop.source()});
  CHECK(load(path).title() == "New");
  CHECK(text_of<ValidationError>([&] {
          edit(path, {.set = {{"title", "\"x\""}}}, {.temp_dir = "/proc"});
        }) == "/proc: is on another file system than " + path + "; a folder on the same file system expected");
}

TEST_CASE("columns of lists and structures that an edit leaves alone are written as create() writes them") {
  const Chips shop;
  const auto set = [&](const std::string& name, const std::string& text) {
    std::vector<Sample> samples;
    for (const std::string id : {"a", "b"}) {
      const std::vector<MetadataField> fields{{"text", id == "a" ? text : "same"},
                                              {"numbers", Value::List{1.5, Value()}},
                                              {"nested", Value::List{Value(Value::List{int64_t{1}})}},
                                              {"pairs", Value::List{Value(Struct{{"x", 1.0}, {"y", "z"}})}}};
      samples.emplace_back(id, to_bytes(id), fields);
    }
    return made(shop, name, Tortilla(std::move(samples)), collection());
  };
  for (const std::string name : kContainers) {
    CAPTURE(name);
    const auto path = set(name, "old");
    const TemporaryFolder folder;
    edit(path, {.columns = {table(folder, "id,text\na,new\n")}});
    CHECK(files_of(path) == files_of(set("new" + name, "new")));
  }
}

}  // namespace tacore
