#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "support/bytes.hpp"
#include "support/create_files.hpp"
#include "support/table_files.hpp"

// Every byte that create() writes, field by field; tables are looked into instead.
namespace tacore {
namespace {

constexpr int64_t kSeconds = 1'767'126'786;                                         // 2025-12-30T20:33:06Z
constexpr uint16_t kTime = 20 << 11 | 33 << 5 | 3, kDate = 45 << 9 | 12 << 5 | 30;  // the same as DOS has it
constexpr uint16_t kNoTime = 0, kFirstDate = 1 << 5 | 1;                            // 1980-01-01: bytes have no time

/// A FOLDER `é` of `b`, a file of a known time, and `a`, bytes.
Taco tiny(const Workshop& shop) {
  shop.add("b.bin", "bytes of b");
  const struct timespec times[2] = {{kSeconds, 0}, {kSeconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, shop.source("b.bin").c_str(), times, 0) == 0);
  std::vector<Sample> children;
  children.emplace_back("b", shop.source("b.bin"), std::vector<MetadataField>{{"cloud", 0.5, "", "of the sky — in ‰"}});
  children.emplace_back("a", to_bytes("a"), std::vector<MetadataField>{{"cloud", {}, "double"}});
  Taco out{Tortilla({Sample("é", Tortilla(std::move(children)), {{"seen", Timestamp::parse("2024-01-31")}})}),
           collection()};
  out.collection.title = "Tiny ñ";
  out.extend_with("score", std::numeric_limits<double>::quiet_NaN());
  return out;
}

const std::string kCollectionText = R"json({
    "id": "made",
    "dataset_version": "1.2.3",
    "description": "Made by a test",
    "licenses": [
        "CC-BY-4.0"
    ],
    "providers": [
        {
            "name": "tacore",
            "organization": null,
            "email": null,
            "role": null
        }
    ],
    "tasks": [
        "other"
    ],
    "taco_version": "2.0.0",
    "title": "Tiny ñ",
    "curators": null,
    "keywords": null,
    "extent": {
        "spatial": [
            -180.0,
            -90.0,
            180.0,
            90.0
        ],
        "temporal": null
    },
    "score": null,
    "taco:pit_schema": {
        "root": {
            "n": 1,
            "type": "FOLDER"
        },
        "hierarchy": {
            "1": [
                {
                    "n": 2,
                    "type": [
                        "FILE",
                        "FILE"
                    ],
                    "id": [
                        "b",
                        "a"
                    ]
                }
            ]
        }
    },
    "taco:field_schema": {
        "level0": [
            [
                "id",
                "string",
                "name of the sample, unique among its siblings"
            ],
            [
                "type",
                "string",
                "FILE (data) or FOLDER (children)"
            ],
            [
                "seen",
                "timestamp[us]",
                ""
            ],
            [
                "internal:current_id",
                "int64",
                "number of the row in its level"
            ],
            [
                "internal:parent_id",
                "int64",
                "internal:current_id of the parent"
            ]
        ],
        "level1": [
            [
                "id",
                "string",
                "name of the sample, unique among its siblings"
            ],
            [
                "type",
                "string",
                "FILE (data) or FOLDER (children)"
            ],
            [
                "cloud",
                "double",
                "of the sky — in ‰"
            ],
            [
                "internal:current_id",
                "int64",
                "number of the row in its level"
            ],
            [
                "internal:parent_id",
                "int64",
                "internal:current_id of the parent"
            ],
            [
                "internal:relative_path",
                "string",
                "path of the sample below DATA/"
            ]
        ]
    }
})json";

/// `name type` of each column, then its cells, then how it is stored.
std::string table_lines(const std::string& parquet) {
  CHECK(parquet.starts_with("PAR1"));
  CHECK(parquet.ends_with("PAR1"));
  const auto level = level_of(to_bytes(parquet));
  Strings out;
  for (const auto& column : level->columns()) {
    out.push_back(column.name + " " + column.type);
    for (const auto& cell : cells_of(level, column.name)) out.back() += " | " + cell;
  }
  for (auto& group : storage_of(to_bytes(parquet))) out.push_back(std::move(group));
  return join(out, "\n");
}

/// An entry of the archive, as its local header and its central record have it.
struct Entry {
  std::string name = {};
  std::string payload = {};
  uint16_t time = kTime, date = kDate;
  uint32_t crc32 = 0;
  uint64_t local_offset = 0;
};

uint16_t flags(const Entry& entry) { return entry.name.find("é") == std::string::npos ? 0 : 0x0800; }

void add_local(const Entry& entry, test::Bytes& out) {
  out.u32(0x04034b50).u16(10).u16(flags(entry)).u16(0).u16(entry.time).u16(entry.date).u32(entry.crc32);
  out.u32(entry.payload.size()).u32(entry.payload.size()).u16(entry.name.size()).u16(0).text(entry.name);
  out.text(entry.payload);
}

void add_central(const Entry& entry, test::Bytes& out) {
  out.u32(0x02014b50).u16(0x033F).u16(10).u16(flags(entry)).u16(0).u16(entry.time).u16(entry.date).u32(entry.crc32);
  out.u32(entry.payload.size()).u32(entry.payload.size()).u16(entry.name.size()).u16(0).u16(0).u16(0).u16(0);
  out.u32(entry.name == "TACO_HEADER" ? 0x01A40000 : 0x81A40000).u32(entry.local_offset).text(entry.name);
}

}  // namespace

TEST_CASE("every byte of a ZIP beside its tables is the one that is spelled here") {
  const Workshop shop;
  create(tiny(shop), shop.out("x.tacozip"));
  const std::string made = file_text(shop.out("x.tacozip"));
  // Only sizes and bytes of tables are taken from the file: the size from where the local header has it.
  std::vector<Entry> entries{
      {.name = "TACO_HEADER", .payload = std::string(116, '\0')},
      {.name = "DATA/é/b", .payload = "bytes of b", .crc32 = 0xCE5C11E7},
      {.name = "DATA/é/a", .payload = "a", .time = kNoTime, .date = kFirstDate, .crc32 = 0xE8B7BE43},
      {.name = "DATA/é/__meta__"},
      {.name = "METADATA/level0.parquet"},
      {.name = "METADATA/level1.parquet"},
      {.name = "COLLECTION.json", .payload = kCollectionText}};
  std::map<std::string, uint64_t> begins;
  uint64_t end = 0;
  for (auto& entry : entries) {
    entry.local_offset = end;
    const uint64_t begin = end + 30 + entry.name.size();
    begins[entry.name] = begin;
    if (entry.payload.empty()) {
      uint64_t size = 0;
      for (const unsigned byte : {21U, 20U, 19U, 18U})
        size = size << 8 | static_cast<unsigned char>(made.at(end + byte));
      entry.payload = made.substr(begin, size);
    }
    if (entry.crc32 == 0) entry.crc32 = crc32(to_bytes(entry.payload));
    end = begin + entry.payload.size();
  }
  test::Bytes header;
  header.u8(3).zeros(3);
  for (const std::size_t i : {4U, 5U, 6U}) header.u64(begins[entries[i].name]).u64(entries[i].payload.size());
  header.zeros(4 * 16);
  entries[0].payload = test::as_text(header.span());
  entries[0].crc32 = crc32(header.span());
  test::Bytes expected;
  for (const auto& entry : entries) add_local(entry, expected);
  for (const auto& entry : entries) add_central(entry, expected);
  const uint64_t directory_size = expected.size() - end;
  expected.u32(0x06054b50).u16(0).u16(0).u16(7).u16(7).u32(directory_size).u32(end).u16(0);
  const std::string_view spelled = test::as_text(expected.span());
  const auto differs = std::mismatch(made.begin(), made.end(), spelled.begin(), spelled.end()).first - made.begin();
  CAPTURE(differs);
  CHECK(made.size() == spelled.size());
  CHECK((made == spelled));
  const std::string meta_place = std::to_string(begins["DATA/é/__meta__"]),
                    meta_size = std::to_string(entries[3].payload.size());
  CHECK(meta_place == "292");
  CHECK(table_lines(entries[3].payload) ==
        join(Strings{"id string | b | a", "type string | FILE | FILE", "cloud double | 0.5 | null",
                     "internal:offset int64 | 196 | 245", "internal:size int64 | 10 | 1", "2 zstd"},
             "\n"));
  CHECK(table_lines(entries[4].payload) ==
        join(Strings{"id string | é", "type string | FOLDER", "seen timestamp[us] | 2024-01-31T00:00:00Z",
                     "internal:current_id int64 | 0", "internal:parent_id int64 | 0",
                     "internal:offset int64 | " + meta_place, "internal:size int64 | " + meta_size, "1 zstd"},
             "\n"));
  CHECK(table_lines(entries[5].payload) ==
        join(Strings{"id string | b | a", "type string | FILE | FILE", "cloud double | 0.5 | null",
                     "internal:current_id int64 | 0 | 1", "internal:parent_id int64 | 0 | 0",
                     "internal:offset int64 | 196 | 245", "internal:size int64 | 10 | 1",
                     "internal:relative_path string | é/b | é/a", "2 zstd"},
             "\n"));
}

TEST_CASE("a FOLDER has exactly these files, with the modification times of the samples") {
  const Workshop shop;
  create(tiny(shop), shop.out("x"));
  Strings names;
  for (const auto& entry : fs::recursive_directory_iterator(shop.out("x")))
    names.push_back(fs::relative(entry.path(), shop.out("x")).string() + (entry.is_directory() ? "/" : ""));
  std::sort(names.begin(), names.end());
  CHECK(names == Strings{"COLLECTION.json", "DATA/", "DATA/é/", "DATA/é/__meta__", "DATA/é/a", "DATA/é/b", "METADATA/",
                         "METADATA/level0.parquet", "METADATA/level1.parquet"});
  auto files = files_of(shop.out("x"));
  CHECK(files["COLLECTION.json"] == kCollectionText);
  CHECK(files["DATA/é/a"] == "a");
  CHECK(files["DATA/é/b"] == "bytes of b");
  const auto time_of = [&](const std::string& name) {
    struct stat status = {};
    REQUIRE(::stat(shop.out("x/DATA/é/" + name).c_str(), &status) == 0);
    return status.st_mtim.tv_sec;
  };
  CHECK(time_of("b") == kSeconds);
  CHECK(time_of("a") == 0);
  CHECK(table_lines(files["DATA/é/__meta__"]) ==
        join(Strings{"id string | b | a", "type string | FILE | FILE", "cloud double | 0.5 | null", "2 zstd"}, "\n"));
  CHECK(table_lines(files["METADATA/level0.parquet"]) ==
        join(Strings{"id string | é", "type string | FOLDER", "seen timestamp[us] | 2024-01-31T00:00:00Z",
                     "internal:current_id int64 | 0", "internal:parent_id int64 | 0", "1 zstd"},
             "\n"));
  CHECK(table_lines(files["METADATA/level1.parquet"]) ==
        join(Strings{"id string | b | a", "type string | FILE | FILE", "cloud double | 0.5 | null",
                     "internal:current_id int64 | 0 | 1", "internal:parent_id int64 | 0 | 0",
                     "internal:relative_path string | é/b | é/a", "2 zstd"},
             "\n"));
}

}  // namespace tacore
