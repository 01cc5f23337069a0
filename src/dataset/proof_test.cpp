#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "support/hand_made_zip.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"

// The bytes of a sample are those that the ZIP states, even if a table, an index or a server states others.
namespace tacore {
namespace {

constexpr const char* kUrl = "http://host/set.tacozip";

std::string about(const std::string& pit) {
  return R"({"id": "made", "dataset_version": "1", "description": "", "licenses": ["MIT"], "providers": [],
  "tasks": ["other"], "taco_version": "2.0.0", "taco:pit_schema": )" +
         pit + "}";
}

struct Row {
  std::string id, type;
  int64_t parent = 0;
  std::string path;  ///< with a slash at the end for a FOLDER
  int64_t offset = 0, size = 0;
};

std::string level(const std::vector<Row>& rows, bool is_root, const std::string& source = "") {
  std::vector<std::optional<std::string>> id, type, path, file(rows.size(), source);
  std::vector<std::optional<int64_t>> current, parent, offset, size;
  for (const Row& row : rows) {
    id.emplace_back(row.id);
    type.emplace_back(row.type);
    path.emplace_back(row.path);
    current.emplace_back(static_cast<int64_t>(current.size()));
    parent.emplace_back(row.parent);
    offset.emplace_back(row.offset);
    size.emplace_back(row.size);
  }
  NamedArrays columns{{"id", texts(id)},
                      {"type", texts(type)},
                      {"internal:current_id", integers(current)},
                      {"internal:parent_id", integers(parent)},
                      {"internal:offset", integers(offset)},
                      {"internal:size", integers(size)}};
  if (!is_root) columns.emplace_back("internal:relative_path", texts(path));
  if (!source.empty()) columns.emplace_back("internal:source_file", texts(file));
  return parquet_text(columns);
}

/// FILEs at the root. `wrong` may change what the table says of them.
struct Flat {
  std::string text;
  std::vector<Row> rows;
};

Flat flat(const std::vector<HandMade>& files, const std::function<void(std::vector<Row>&)>& wrong = {}) {
  HandMadeZip zip;
  Flat out;
  for (HandMade file : files) {
    const std::string id = file.name;
    file.name = "DATA/" + id;
    const uint64_t at = zip.add(file);
    out.rows.push_back({id, "FILE", 0, id, static_cast<int64_t>(at), static_cast<int64_t>(file.payload.size())});
  }
  for (std::size_t i = 0; i < out.rows.size(); ++i) out.rows[i].parent = static_cast<int64_t>(i);
  if (wrong) wrong(out.rows);
  zip.add({"METADATA/level0.parquet", level(out.rows, true)});
  zip.add({"COLLECTION.json",
           about(R"({"root": {"n": )" + std::to_string(files.size()) + R"(, "type": "FILE"}, "hierarchy": {}})")});
  out.text = zip.text();
  return out;
}

/// A published layout: below each root FOLDERs x (FOLDERs p and q) and a (FILEs f and g), x first. The
/// places of level 2 are those of the rows in the order of their folders' paths, a first, as published writers store
/// them: the FILEs' places ascend, and are those of `__meta__` files.
std::string permuted() {
  HandMadeZip zip;
  std::vector<Row> levels[4];
  const auto meta = [](const std::vector<Row>& rows) {
    std::vector<std::optional<std::string>> id, type;
    std::vector<std::optional<int64_t>> offset, size;
    for (const Row& row : rows) {
      id.emplace_back(row.id);
      type.emplace_back(row.type);
      offset.emplace_back(row.offset);
      size.emplace_back(row.size);
    }
    return parquet_text({{"id", texts(id)},
                         {"type", texts(type)},
                         {"internal:offset", integers(offset)},
                         {"internal:size", integers(size)}});
  };
  const auto add = [&](int level, const std::string& path, const std::string& type, int64_t parent,
                       const std::string& payload) {
    const std::string name = "DATA/" + path + (type == "FOLDER" ? "/__meta__" : "");
    const auto at = static_cast<int64_t>(zip.add({name, payload}));
    const Row row{path.substr(path.rfind('/') + 1),     type, parent,
                  path + (type == "FOLDER" ? "/" : ""), at,   static_cast<int64_t>(payload.size())};
    levels[level].push_back(row);
    return row;
  };
  for (int64_t r = 0; r < 2; ++r) {
    const std::string root = "r" + std::to_string(r);
    std::vector<Row> below_x, below_a;
    for (const std::string name : {"p", "q"}) {
      const auto parent = static_cast<int64_t>(levels[2].size());
      const Row leaf = add(3, root + "/x/" + name + "/leaf", "FILE", parent, "leaf of " + root + name);
      below_x.push_back(add(2, root + "/x/" + name, "FOLDER", 2 * r, meta({leaf})));
    }
    below_a.push_back(add(2, root + "/a/f", "FILE", 2 * r + 1, "data of " + root + "/a/f"));
    below_a.push_back(add(2, root + "/a/g", "FILE", 2 * r + 1, "data of g in " + root));
    const Row x = add(1, root + "/x", "FOLDER", r, meta(below_x));
    const Row a = add(1, root + "/a", "FOLDER", r, meta(below_a));
    add(0, root, "FOLDER", r, meta({x, a}));
  }
  // Of each root p, q, f, g get the places of f, g, p, q.
  auto& rows = levels[2];
  for (std::size_t r = 0; r < rows.size(); r += 4) {
    for (const std::size_t i : {r, r + 1}) {
      std::swap(rows[i].offset, rows[i + 2].offset);
      std::swap(rows[i].size, rows[i + 2].size);
    }
  }
  for (int k = 0; k < 4; ++k) zip.add({"METADATA/level" + std::to_string(k) + ".parquet", level(levels[k], k == 0)});
  zip.add({"COLLECTION.json", about(R"({"root": {"n": 2, "type": "FOLDER"}, "hierarchy": {
    "1": [{"n": 4, "type": ["FOLDER", "FOLDER"], "id": ["x", "a"]}],
    "2": [{"n": 4, "type": ["FOLDER", "FOLDER"], "id": ["p", "q"]},
          {"n": 4, "type": ["FILE", "FILE"], "id": ["f", "g"]}],
    "3": [{"n": 2, "type": ["FILE"], "id": ["leaf"]}, {"n": 2, "type": ["FILE"], "id": ["leaf"]}]}})")});
  return zip.text();
}

const char* const kFiles[] = {"r0/a/f", "r0/a/g", "r1/a/f", "r1/a/g"};
const std::string kData[] = {"data of r0/a/f", "data of g in r0", "data of r1/a/f", "data of g in r1"};

Dataset over(const WrongServer& server, const std::string& path = kUrl, const LoadOptions& options = {}) {
  return load(path, options, std::make_shared<WrongServer>(server));
}

/// What a path of GDAL leads to.
std::string bytes_at(const std::string& text, const std::string& path) {
  const auto at = path.find('/', 1) + 1;
  const auto offset = std::stoull(path.substr(at)), size = std::stoull(path.substr(path.find('_', at) + 1));
  return text.substr(offset, size);
}

}  // namespace

TEST_CASE("permuted offsets that happen to ascend are corrected, by every way to read a sample") {
  const TemporaryFolder folder;
  const std::string text = permuted();
  const std::string path = folder.write("set.tacozip", text);
  const WrongServer server({{kUrl, text}});
  for (const bool local : {true, false}) {
    CAPTURE(local);
    const auto open = [&] { return local ? load(path) : over(server); };
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string id = kFiles[i];
      CAPTURE(id);
      CHECK(to_text(open().data().read_bytes(id)) == kData[i]);
      CHECK(bytes_at(text, vsi(open().data(), id)) == kData[i]);
      const DataFrame below = children(open().data(), id.substr(0, 4));
      CHECK(bytes_at(text, values(below, "internal:gdal_vsi")[i % 2]) == kData[i]);
      CHECK(to_text(below.read_bytes(static_cast<int64_t>(i % 2))) == kData[i]);
    }
    CHECK(to_text(open().data().read_bytes("r1/x/q/leaf")) == "leaf of r1q");
    CHECK(ids(children(children(children(open().data(), "r0"), "x"), "p")) == Strings{"leaf"});
    const Dataset paths = open().sql("SELECT *, \"internal:gdal_vsi\" AS p FROM level2 WHERE type = 'FILE'");
    const auto all = values(paths.data(), "p");
    REQUIRE(all.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(bytes_at(text, all[i]) == kData[i]);
    const DataFrame raw = open().sql("SELECT * FROM level2 WHERE type = 'FILE'").data_raw();
    const auto offsets = values(raw, "internal:offset");
    for (std::size_t i = 0; i < 4; ++i) CHECK(text.substr(std::stoull(offsets[i]), kData[i].size()) == kData[i]);
  }
}

TEST_CASE("many samples of permuted rows are read in one batch, and from a second dataset of the same rows") {
  const WrongServer server({{kUrl, permuted()}});
  const DataFrame rows = over(server).sql("SELECT * FROM level2 WHERE type = 'FILE'").data();
  const std::vector<int64_t> all{3, 0, 2, 1};
  const auto bytes = rows.read_bytes(all);
  for (std::size_t i = 0; i < 4; ++i) CHECK(to_text(bytes[i]) == kData[static_cast<std::size_t>(all[i])]);
}

TEST_CASE("a level 0 with offsets of other samples is corrected, local and remote") {
  const std::vector<HandMade> files{{"a", "first"}, {"b", "second, longer"}, {"c", "third"}};
  const Flat made = flat(files, [](std::vector<Row>& rows) {
    std::swap(rows[0].offset, rows[2].offset);  // of equal length
    rows[1].size -= 3;                          // shorter
  });
  const TemporaryFolder folder;
  const std::string path = folder.write("set.tacozip", made.text);
  const WrongServer server({{kUrl, made.text}});
  for (const bool local : {true, false}) {
    CAPTURE(local);
    const Report messages;
    const DataFrame rows = (local ? load(path) : over(server)).data();
    CHECK(to_text(rows.read_bytes("a")) == "first");
    CHECK(to_text(rows.read_bytes("b")) == "second, longer");
    CHECK(to_text(rows.read_bytes("c")) == "third");
    CHECK(bytes_at(made.text, vsi(rows, "b")) == "second, longer");
    const auto paths = values(rows, "internal:gdal_vsi");
    for (std::size_t i = 0; i < 3; ++i) CHECK(bytes_at(made.text, paths[i]) == files[i].payload);
    CHECK(messages.has(LogLevel::Warning, "central directory"));
  }
}

TEST_CASE("an empty sample is verified to be empty") {
  const Flat made = flat({{"empty", ""}, {"full", "bytes"}}, [](std::vector<Row>& rows) { rows[1].size = 0; });
  const WrongServer server({{kUrl, made.text}});
  CHECK(over(server).data().read_bytes("empty").empty());
  CHECK(to_text(over(server).data().read_bytes("full")) == "bytes");
}

TEST_CASE("bytes that a server shifts, zeroes or invents are an error, or correct after a retry") {
  std::string payload;
  while (payload.size() < 5000) payload += std::to_string(payload.size());
  payload.resize(5000);
  const Flat made = flat({{"a", std::string(5000, 'a')}, {"b", payload}});
  const ByteRange b{static_cast<uint64_t>(made.rows[1].offset), 5000};
  const WrongServer server({{kUrl, made.text}});
  const auto meets = [b](ByteRange range) {
    return range.offset < b.offset + b.size && range.offset + range.size > b.offset;
  };
  int times = 0;
  const std::function<void(std::span<std::byte>)> ways[] = {
      [](std::span<std::byte> bytes) { std::rotate(bytes.begin(), bytes.begin() + 1, bytes.end()); },
      [](std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{0}); },
      [](std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{'<'}); },
      [](std::span<std::byte> bytes) { bytes.back() ^= std::byte{1}; }};
  for (const auto& way : ways) {
    for (const int most : {1, 1000}) {
      CAPTURE(most);
      const DataFrame rows = over(server).data();
      times = 0;
      server.spoil([&](const std::string&, ByteRange range, std::span<std::byte> bytes) {
        if (range.size > 4000 && meets(range) && times++ < most) way(bytes);
      });
      std::string found;
      const std::string error = error_of([&] { found = to_text(rows.read_bytes("b")); });
      if (most == 1) {
        CHECK(error == "");
        CHECK(found == payload);
      } else {
        CHECK(has_text(error, "FormatError: "));
        CHECK(has_text(error, "sample 'b': "));
        CHECK(has_text(error, kUrl));
      }
      server.spoil({});
    }
  }
}

TEST_CASE("an index that is older than its ZIP gives the bytes of the sample it names") {
  const Flat first = flat({{"a", "data of a"}, {"b", "data of b"}});
  const Flat now = flat({{"b", "data of b"}, {"a", "data of a"}});
  const std::string index = level(first.rows, true, "part.tacozip");
  const std::string text = about(R"({"root": {"n": 2, "type": "FILE"}, "hierarchy": {}})");
  const WrongServer server({{"http://host/.tacocat/COLLECTION.json", text},
                            {"http://host/.tacocat/level0.parquet", index},
                            {"http://host/part.tacozip", now.text}});
  const TemporaryFolder folder;
  folder.write(".tacocat/COLLECTION.json", text);
  folder.write(".tacocat/level0.parquet", index);
  folder.write("part.tacozip", now.text);
  for (const bool local : {true, false}) {
    CAPTURE(local);
    const DataFrame rows = (local ? load(folder.path(".tacocat")) : over(server, "http://host/.tacocat")).data();
    for (const std::string id : {"a", "b"}) {
      CHECK(to_text(rows.read_bytes(id)) == "data of " + id);
      CHECK(bytes_at(now.text, vsi(rows, id)) == "data of " + id);
    }
  }
  server.replace("http://host/part.tacozip", flat({{"b", "data of b"}, {"x", "data of x"}}).text);
  const std::string error = error_of([&] { over(server, "http://host/.tacocat").data().read_bytes("a"); });
  CHECK(has_text(error, "part.tacozip: sample 'a': "));
  CHECK(has_text(error, "no entry of that name"));
}

TEST_CASE("a flipped bit of a sample is an error, local and remote, unless verification is off") {
  Flat made = flat({{"a", "first"}, {"b", std::string(100'000, 'b')}});
  made.text[static_cast<std::size_t>(made.rows[1].offset) + 70'000] ^= 1;
  const TemporaryFolder folder;
  const std::string path = folder.write("set.tacozip", made.text);
  const WrongServer server({{kUrl, made.text}});
  for (const bool local : {true, false}) {
    CAPTURE(local);
    const auto open = [&](bool verify) {
      return local ? load(path, {.verify = verify}) : over(server, kUrl, {.verify = verify});
    };
    const std::string error = error_of([&] { open(true).data().read_bytes("b"); });
    CHECK(has_text(error, "FormatError: "));
    CHECK(has_text(error, "sample 'b': the CRC-32 of its bytes is "));
    CHECK(open(false).data().read_bytes("b").size() == 100'000);
    const std::vector<int64_t> both{0, 1};
    CHECK(has_text(error_of([&] { open(true).data().read_bytes(both); }), "sample 'b': the CRC-32"));
    CHECK(open(false).data().read_bytes(both).size() == 2);
  }
}

TEST_CASE("local file headers of all forms verify their sample") {
  const std::string foreign = std::string("\x55\x54\x05\x00\x01\x00\x00\x00\x00", 9);  // 9 bytes of another kind
  std::string lengthy = std::string("\xFF\xEE\x40\x9C", 4) + std::string(40'000, 'x');
  const std::string long_name(300, 'n');
  const std::vector<HandMade> files{{"first", "at the very start"},
                                    {.name = "wide", .payload = "sizes in the extra field", .has_zip64 = true},
                                    {.name = "late", .payload = "sizes behind the bytes", .has_descriptor = true},
                                    {"later", "with a field, too", foreign, true},
                                    {.name = "foreign", .payload = "a field of others", .extra = foreign},
                                    {.name = "lengthy", .payload = "a field of 40 kB", .extra = lengthy},
                                    {.name = "nothing", .payload = ""},
                                    {.name = "nothing later", .payload = "", .has_descriptor = true},
                                    {.name = long_name, .payload = "a name of 300 bytes"},
                                    {.name = "wrong sum", .payload = "but right in the directory", .crc32 = 1}};
  const Flat made = flat(files);
  const TemporaryFolder folder;
  const std::string path = folder.write("set.tacozip", made.text);
  const WrongServer server({{kUrl, made.text}});
  for (const bool local : {true, false}) {
    CAPTURE(local);
    const DataFrame rows = (local ? load(path) : over(server)).data();
    const auto paths = values(rows, "internal:gdal_vsi");
    for (std::size_t i = 0; i < files.size(); ++i) {
      CAPTURE(files[i].name);
      CHECK(to_text(rows.read_bytes(static_cast<int64_t>(i))) == files[i].payload);
      CHECK(bytes_at(made.text, vsi(rows, files[i].name)) == files[i].payload);
      CHECK(bytes_at(made.text, paths[i]) == files[i].payload);
    }
  }
  // Flipped bits behind a header that says nothing of them.
  Flat bad = flat(files);
  bad.text[static_cast<std::size_t>(bad.rows[3].offset)] ^= 1;
  CHECK(has_text(error_of([&] { over(WrongServer({{kUrl, bad.text}})).data().read_bytes("later"); }), "CRC-32"));
}

TEST_CASE("a remote sample takes one request, for its bytes and room for its local file header") {
  const Flat made = flat({{"a", std::string(1000, 'a')}, {"b", std::string(2000, 'b')}, {"c", std::string(3000, 'c')}});
  const WrongServer server({{kUrl, made.text}});
  const DataFrame rows = over(server).data();
  CHECK(ids(rows).size() == 3);
  server.questions();
  server.bytes();
  for (int64_t row = 0; row < 3; ++row) {
    rows.read_bytes(row);
    CHECK(server.questions() == 1);
    const auto before = static_cast<uint64_t>(made.rows[static_cast<std::size_t>(row)].offset);
    const auto most = static_cast<uint64_t>(1000 * (row + 1)) + std::min<uint64_t>(30 + 6 + 20, before);
    const auto sent = server.bytes();
    CHECK(sent <= most);
    if (row > 0) CHECK(sent == most);  // the first bytes of the first one came with TACO_HEADER
  }
  const std::vector<int64_t> all{2, 0};
  rows.read_bytes(all);
  CHECK(server.questions() == 1);
}

TEST_CASE("offsets that a raw result has in a structure, or under another name, are verified") {
  const Dataset dataset = load(golden("permuted_offsets.tacozip"));
  const auto offsets =
      values(dataset.sql("SELECT * FROM level1 ORDER BY id, \"internal:parent_id\"").data_raw(), "internal:offset");
  const std::string rest = " FROM level1 c ORDER BY c.id, c.\"internal:parent_id\"";
  CHECK(values(load(golden("permuted_offsets.tacozip")).sql("SELECT COLUMNS('.*:off.*') AS o" + rest).data_raw(),
               "o") == offsets);
  const auto whole = values(load(golden("permuted_offsets.tacozip")).sql("SELECT c" + rest).data_raw(), "c");
  REQUIRE(whole.size() == offsets.size());
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(has_text(whole[i], offsets[i]));
}

TEST_CASE("offsets that a query shows without naming them are verified") {
  const auto fresh = [] { return load(golden("permuted_offsets.tacozip")); };
  const auto columns = fresh().sql("SELECT * FROM level1").data_raw().columns();
  std::string list, nulls, position;  // names for all columns: p the parent, o the offset
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& stored = columns[i].name;
    const std::string name = stored == "internal:offset"      ? "o"
                             : stored == "internal:parent_id" ? "p"
                                                              : "x" + std::to_string(i);
    if (name == "o") position = std::to_string(i + 1);
    list += (i > 0 ? ", " : "") + name;
    nulls += (i > 0 ? ", NULL AS " : "NULL AS ") + name;
  }
  const auto offsets = [&](const std::string& query) {
    auto out =
        values(fresh().sql("WITH made AS (" + query + ") SELECT p || ' ' || o AS found FROM made").data(), "found");
    std::ranges::sort(out);
    return out;
  };
  const std::string parent = "\"internal:parent_id\"", p = "SELECT " + parent + " AS p, ";
  const Strings expected = offsets(p + "\"internal:offset\" AS o FROM level1");
  REQUIRE(expected.size() > 3);
  for (const std::string& query :
       {p + "r['internal:' || 'offset'] AS o FROM (SELECT *, c AS r FROM level1 c)",
        p + "r['internal:' || 'offset'] AS o FROM (SELECT *, level1 AS r FROM level1)",
        p + "min(COLUMNS('.*:off.*')) AS o FROM level1 GROUP BY id, " + parent,
        p + "#" + position + " AS o FROM level1", "SELECT p, o FROM level1 AS t(" + list + ")",
        "WITH t(" + list + ") AS (SELECT * FROM level1) SELECT p, o FROM t",
        "SELECT p, o FROM (SELECT " + nulls + " WHERE false UNION ALL SELECT * FROM level1)"}) {
    CAPTURE(query);
    CHECK(offsets(query) == expected);
  }
}

TEST_CASE("the central directory of a small ZIP verifies the paths of all its samples at once") {
  const Flat made = flat({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const WrongServer server({{kUrl, made.text}});
  const DataFrame rows = over(server).data();
  vsi(rows, "a");
  server.questions();
  vsi(rows, "b");
  vsi(rows, "c");
  CHECK(server.questions() == 0);
}

TEST_CASE("paths of a remote level without central directory are returned with the warning 'not proved'") {
  const Flat made = flat({{"a", "1"}, {"b", "2"}});
  const WrongServer server({{kUrl, made.text}});
  const Report messages;
  const DataFrame rows = over(server).data();
  CHECK(values(rows, "internal:gdal_vsi").size() == 2);
  CHECK(messages.has(LogLevel::Warning, "not verified"));
}

TEST_CASE("a child that is stored apart from its siblings is found") {
  // r0 has three children, the third of them at the end of the level.
  const auto make = [](bool is_far) {
    HandMadeZip zip;
    std::vector<Row> roots, kids;
    for (int64_t r = 0; r < 3; ++r) {
      std::vector<Row> own;
      for (int64_t c = 0; c < (r == 0 ? 3 : 2); ++c) {
        const std::string id = "c" + std::to_string(c), path = "r" + std::to_string(r) + "/" + id;
        const auto at = static_cast<int64_t>(zip.add({"DATA/" + path, path}));
        own.push_back({id, "FILE", r, path, at, static_cast<int64_t>(path.size())});
      }
      std::vector<std::optional<std::string>> id, type;
      std::vector<std::optional<int64_t>> offset, size;
      for (const Row& row : own) {
        id.emplace_back(row.id);
        type.emplace_back("FILE");
        offset.emplace_back(row.offset);
        size.emplace_back(row.size);
      }
      const std::string meta = parquet_text({{"id", texts(id)},
                                             {"type", texts(type)},
                                             {"internal:offset", integers(offset)},
                                             {"internal:size", integers(size)}});
      const std::string name = "r" + std::to_string(r);
      const auto at = static_cast<int64_t>(zip.add({"DATA/" + name + "/__meta__", meta}));
      roots.push_back({name, "FOLDER", r, name + "/", at, static_cast<int64_t>(meta.size())});
      kids.insert(kids.end(), own.begin(), own.end());
    }
    if (is_far) std::rotate(kids.begin() + 2, kids.begin() + 3, kids.end());
    zip.add({"METADATA/level0.parquet", level(roots, true)});
    zip.add({"METADATA/level1.parquet", level(kids, false)});
    zip.add({"COLLECTION.json", about(R"({"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {
      "1": [{"n": 6, "type": ["FILE", "FILE"], "id": ["c0", "c1"]}]}})")});
    return zip.text();
  };
  const TemporaryFolder folder;
  for (const bool is_far : {true, false}) {
    CAPTURE(is_far);
    const DataFrame rows = load(folder.write(is_far ? "far.tacozip" : "near.tacozip", make(is_far))).data();
    CHECK(ids(children(rows, "r0")) == Strings{"c0", "c1", "c2"});
    CHECK(ids(children(rows, "r1")) == Strings{"c0", "c1"});
    CHECK(ids(children(rows, "r2")) == Strings{"c0", "c1"});
    for (const std::string path : {"r0/c2", "r1/c1", "r2/c0"}) CHECK(to_text(rows.read_bytes(path)) == path);
  }
}

}  // namespace tacore
