#include "tacore/ops/sync.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <random>
#include <thread>

#include "format/names.hpp"
#include "model/chunk_manifest.hpp"
#include "support/create_files.hpp"
#include "support/hand_made_zip.hpp"
#include "support/support.hpp"
#include "sync/splitter.hpp"
#include "sync/store.hpp"

namespace tacore {
namespace {

/// A ZIP and the same as a FOLDER, of samples of many chunks, one, a few bytes, and none; and a place for a store.
struct Sets {
  Sets() {
    shop.add("large", noise(1'500'000, 1));
    shop.add("middle", noise(40'000, 2));
    shop.add("small", "a few");
    shop.add("none", "");
    create({shop.tree(), collection()}, zip);
    create({shop.tree(), collection()}, folder);
  }

  Workshop shop = Workshop::in_memory();
  std::string zip = shop.out("set.tacozip"), folder = shop.out("set"), store = shop.out("store");
};

/// The files below the chunks of a store.
Strings chunk_files(const std::string& store) {
  Strings out;
  for (const auto& entry : fs::recursive_directory_iterator(store + "/chunks")) {
    if (entry.is_regular_file()) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// What lies in a store beside what belongs there.
Strings leftovers(const std::string& store) {
  Strings out;
  for (const auto& entry : fs::directory_iterator(store)) {
    const std::string name = entry.path().filename();
    if (name != "chunks" && name != "datasets" && name != "TACO_STORE") out.push_back(name);
  }
  return out;
}

ChunkManifest manifest_of(const std::string& store, const std::string& name) {
  const std::string path = manifest_path(store, name);
  return parse_manifest(file_text(path), kMaxChunk, path);
}

template <class Body>
std::string fault(const Body& body) {
  return text_of<Error>(body);
}

TEST_CASE("A ZIP and a FOLDER come out of a store as they went in") {
  const Sets sets;
  for (const auto& path : {sets.zip, sets.folder}) {
    CAPTURE(path);
    CHECK_FALSE(is_store(sets.store));
    const SyncResult put = sync_to_store(path, sets.store);
    CHECK(is_store(sets.store));
    CHECK(put.num_bytes_moved + put.num_bytes_reused >= 1'540'000);
    const std::string back = sets.shop.out("back" + fs::path(path).extension().string());
    const SyncResult got = sync_from_store(sets.store + "/" + fs::path(path).filename().string(), back);
    CHECK(got.num_bytes_moved == put.num_bytes_moved + put.num_bytes_reused);
    if (!fs::is_directory(path)) CHECK(file_text(back) == file_text(path));
    CHECK(files_of(back) == files_of(path));
    CHECK(faults(back) == "");
    CHECK(leftovers(sets.store).empty());
    fs::remove_all(sets.store);
  }
}

TEST_CASE("A chunk that a store has is not stored again") {
  const Sets sets;
  const SyncResult first = sync_to_store(sets.zip, sets.store);
  CHECK(first.num_bytes_moved == fs::file_size(sets.zip));
  CHECK(first.num_chunks_reused == 0);
  CHECK(first.num_chunks_moved == chunk_files(sets.store).size());
  const std::string manifest = file_text(manifest_path(sets.store, "set.tacozip"));
  const SyncResult again = sync_to_store(sets.zip, sets.store);
  CHECK(again.num_chunks_moved == 0);
  CHECK(again.num_bytes_moved == 0);
  CHECK(again.num_chunks_reused == first.num_chunks_moved);
  CHECK(again.num_bytes_reused == first.num_bytes_moved);
  CHECK(file_text(manifest_path(sets.store, "set.tacozip")) == manifest);
  SUBCASE("A dataset under another name adds no chunks") {
    CHECK(sync_to_store(sets.zip, sets.store + "/other").num_chunks_moved == 0);
    CHECK(dataset_names(sets.store) == Strings{"other", "set.tacozip"});
  }
  SUBCASE("A dataset as FOLDER shares its payload chunks with the ZIP") {
    const SyncResult folder = sync_to_store(sets.folder, sets.store);
    CHECK(folder.num_bytes_reused >= 1'540'000);
    CHECK(folder.num_bytes_moved < 50'000);
  }
  SUBCASE("A ZIP with additional samples shares the chunks of the common ones") {
    sets.shop.add("a_new_one", noise(100'000, 3));
    create({sets.shop.tree(), collection()}, sets.shop.out("more.tacozip"));
    const SyncResult more = sync_to_store(sets.shop.out("more.tacozip"), sets.store);
    CHECK(more.num_bytes_reused >= 1'540'000);
    CHECK(more.num_bytes_moved < 150'000);
  }
}

TEST_CASE("Parquet files are cut into smaller chunks than others, alike in a ZIP and in a FOLDER") {
  const Workshop shop = Workshop::in_memory();
  shop.add("table.parquet", noise(600'000, 9));
  shop.add("other", noise(600'000, 9));
  create({shop.tree(), collection()}, shop.out("set"));
  create({shop.tree(), collection()}, shop.out("set.tacozip"));
  const std::string store = shop.out("store");
  sync_to_store(shop.out("set"), store);
  std::map<std::string, std::size_t> num_chunks;
  for (const auto& file : manifest_of(store, "set").files) num_chunks[file.name] = file.chunks.size();
  CHECK(num_chunks.at("DATA/other") >= 5);
  CHECK(num_chunks.at("DATA/table.parquet") > 2 * num_chunks.at("DATA/other"));
  CHECK(sync_to_store(shop.out("set.tacozip"), store).num_bytes_reused >= 1'200'000);
}

TEST_CASE("The chunks and the manifest do not depend on the number of threads") {
  const Sets sets;
  sync_to_store(sets.zip, sets.store, {.task = {.jobs = 1}});
  sync_to_store(sets.zip, sets.shop.out("other"), {.task = {.jobs = 4}});
  CHECK(file_text(manifest_path(sets.store, "set.tacozip")) ==
        file_text(manifest_path(sets.shop.out("other"), "set.tacozip")));
  CHECK(chunk_files(sets.store).size() == chunk_files(sets.shop.out("other")).size());
}

TEST_CASE("A cancelled put leaves no manifest, and the next put reuses its chunks") {
  const Sets sets;
  struct Stop {
    static bool half(uint64_t done, uint64_t all, void*) { return done < all / 2; }
  };
  const auto stopped = [&] { sync_to_store(sets.zip, sets.store, {.task = {.jobs = 1, .progress = Stop::half}}); };
  CHECK(has_text(fault(stopped), "stopped"));
  CHECK(dataset_names(sets.store).empty());
  CHECK(leftovers(sets.store).empty());
  const std::size_t num_stored = chunk_files(sets.store).size();
  CHECK(num_stored > 5);
  const SyncResult rest = sync_to_store(sets.zip, sets.store);
  CHECK(rest.num_chunks_reused == num_stored);
  CHECK(rest.num_chunks_moved > 5);
  sync_from_store(sets.store, sets.shop.out("back.tacozip"));
  CHECK(file_text(sets.shop.out("back.tacozip")) == file_text(sets.zip));
}

TEST_CASE("Temporary files of a killed put are removed by the next") {
  const Sets sets;
  sync_to_store(sets.zip, sets.store);
  fs::create_directory(sets.store + "/.chunks.0123456789abcdef.part");
  fs::copy(sets.zip, sets.store + "/.chunks.0123456789abcdef.part/half");
  sync_to_store(sets.zip, sets.store);
  CHECK(leftovers(sets.store).empty());
}

TEST_CASE("A second put to a store waits for the first, until it is cancelled") {
  const Sets sets;
  make_store(sets.store);
  std::optional<StoreWriter> writer(sets.store);
  const SyncOptions stop{.task = {.progress = [](uint64_t, uint64_t, void*) { return false; }}};
  CHECK(has_text(fault([&] { sync_to_store(sets.zip, sets.store, stop); }), "stopped"));
  std::thread first([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer.reset();
  });
  CHECK(sync_to_store(sets.zip, sets.store).num_chunks_moved > 0);
  first.join();
}

TEST_CASE("Two puts that create the same store both succeed") {
  const Sets sets;
  std::vector<std::string> errors(2);
  std::vector<std::thread> puts;
  for (std::size_t i = 0; i < 2; ++i)
    puts.emplace_back([&, i] { errors[i] = fault([&] { sync_to_store(i ? sets.zip : sets.folder, sets.store); }); });
  for (auto& put : puts) put.join();
  CHECK(errors == Strings{"", ""});
  CHECK(dataset_names(sets.store) == Strings{"set", "set.tacozip"});
}

TEST_CASE("A put replaces an older version, and another dataset of the same name only with overwrite") {
  const Sets sets;
  const Workshop& shop = sets.shop;
  sync_to_store(sets.zip, sets.store);
  const std::string first = file_text(manifest_path(sets.store, "set.tacozip"));
  const auto put = [&](const std::string& from, bool overwrite = false) {
    std::string replaced;
    const std::string why =
        fault([&] { replaced = sync_to_store(from, sets.store + "/set.tacozip", {.overwrite = overwrite}).replaced; });
    return why.empty() ? "replaced " + replaced : why;
  };
  CHECK(put(sets.zip) == "replaced ");
  Collection other = collection();
  other.id = "another";
  create({shop.tree(), other}, shop.out("id.tacozip"));
  CHECK(has_text(put(shop.out("id.tacozip")), "has another dataset called 'set.tacozip', with the id "));
  create({Tortilla({Sample("else", to_bytes("x"))}), collection()}, shop.out("samples.tacozip"));
  CHECK(has_text(put(shop.out("samples.tacozip")),
                 "with the same id, but without any sample in common among its first 4"));
  CHECK(file_text(manifest_path(sets.store, "set.tacozip")) == first);
  shop.add("new", "a new one");
  create({shop.tree(), collection()}, shop.out("more.tacozip"));
  CHECK(put(shop.out("more.tacozip")) == "replaced set.tacozip");
  CHECK(put(shop.out("id.tacozip"), true) == "replaced set.tacozip");
  // A manifest under the name of another dataset.
  sync_to_store(sets.zip, sets.store + "/a.tacozip");
  fs::copy_file(manifest_path(sets.store, "a.tacozip"), manifest_path(sets.store, "b.tacozip"));
  CHECK(has_text(fault([&] { sync_from_store(sets.store + "/b.tacozip", shop.out("b.tacozip")); }),
                 "is the manifest of 'a.tacozip', expected that of 'b.tacozip'"));
}

TEST_CASE("A ZIP with a flipped bit is refused, and the store keeps the version before") {
  const Sets sets;
  sets.shop.add("huge", std::string(70 << 20, 'z'));  // split by several threads
  create({sets.shop.tree(), collection()}, sets.zip, {.output = {.overwrite = true}});
  sync_to_store(sets.zip, sets.store);
  const std::string before = file_text(manifest_path(sets.store, "set.tacozip")), good = file_text(sets.zip);
  for (const auto& entry : zip_entries(good)) {
    CAPTURE(entry.name);
    if (entry.size == 0 || !entry.name.starts_with("DATA/")) continue;
    std::string bad = good;
    bad[entry.local_offset + zip::kLocalHeaderSize + entry.name.size() + entry.size / 2] ^= 1;
    std::ofstream(sets.zip, std::ios::binary) << bad;
    const std::string why = fault([&] { sync_to_store(sets.zip, sets.store); });
    CHECK(has_text(why, sets.zip + ": entry '" + entry.name + "' is damaged: " + std::to_string(entry.size)));
    CHECK(has_text(why, "the ZIP states " + std::to_string(entry.crc32)));
    CHECK(file_text(manifest_path(sets.store, "set.tacozip")) == before);
    CHECK(leftovers(sets.store).empty());
  }
  std::ofstream(sets.zip, std::ios::binary) << good;
  CHECK(fault([&] { sync_to_store(sets.zip, sets.store); }) == "");
}

TEST_CASE("Entries with extra fields and data descriptors, and a patched TACO_HEADER, are verified by CRC-32") {
  const Sets sets;
  const std::string made = file_text(sets.zip);
  HandMadeZip other;
  for (const auto& entry : zip_entries(made)) {
    const std::size_t begin = entry.local_offset + zip::kLocalHeaderSize + entry.name.size();
    const std::string payload = made.substr(begin, entry.size);
    if (!entry.name.starts_with("DATA/")) other.add({.name = entry.name, .payload = payload});
    else if (entry.size < 40'000) other.add({.name = entry.name, .payload = payload, .has_descriptor = true});
    else other.add({.name = entry.name, .payload = payload, .extra = std::string("\x99\x99\x02\0ab", 6)});
  }
  std::string bytes = other.text();
  for (const auto& entry : zip_entries(bytes)) {
    if (entry.name == names::kHeader) bytes[entry.record_offset + 16] ^= 1;  // CRC-32
  }
  std::ofstream(sets.zip, std::ios::binary) << bytes;
  CHECK(fault([&] { sync_to_store(sets.zip, sets.store); }) == "");
  bytes[bytes.find("a few")] ^= 1;
  std::ofstream(sets.zip, std::ios::binary) << bytes;
  CHECK(has_text(fault([&] { sync_to_store(sets.zip, sets.store); }), "entry 'DATA/small' is damaged"));
}

TEST_CASE("A missing, truncated or changed chunk is named, and nothing is written") {
  const Sets sets;
  sync_to_store(sets.folder, sets.store);
  const auto chunks = chunk_files(sets.store);
  const std::string chunk = chunks.at(chunks.size() / 2), old = file_text(chunk);
  const int num_made = sets.shop.num_made();
  const auto get = [&] { return fault([&] { sync_from_store(sets.store, sets.shop.out("back")); }); };
  fs::remove(chunk);
  CHECK(has_text(get(), chunk + ": this chunk is missing in the store"));
  std::ofstream(chunk, std::ios::binary) << old.substr(1);
  CHECK(has_text(get(), chunk + ": this chunk is damaged: it has " + std::to_string(old.size() - 1) + " bytes"));
  std::string other = old;
  other.back() = static_cast<char>(other.back() ^ 1);
  std::ofstream(chunk, std::ios::binary) << other;
  CHECK(has_text(get(), chunk + ": this chunk is damaged: its SHA-256 is"));
  CHECK(sets.shop.num_made() == num_made);
  SUBCASE("A chunk that was removed is stored again") {
    fs::remove(chunk);
    CHECK(sync_to_store(sets.folder, sets.store).num_chunks_moved == 1);
    CHECK(get() == "");
  }
  SUBCASE("A chunk with changed bytes is stored again") {
    CHECK(sync_to_store(sets.folder, sets.store).num_chunks_moved == 1);
    CHECK(get() == "");
  }
  SUBCASE("A chunk that was truncated is stored again") {
    std::ofstream(chunk, std::ios::binary) << "short";
    CHECK(sync_to_store(sets.folder, sets.store).num_chunks_moved == 1);
    CHECK(get() == "");
  }
}

TEST_CASE("Foreign files in a store are ignored") {
  const Sets sets;
  sync_to_store(sets.folder, sets.store);
  std::ofstream(sets.store + "/chunks/00/" + std::string(64, '0')) << "extra";
  std::ofstream(sets.store + "/chunks/README") << "extra";
  std::ofstream(sets.store + "/datasets/notes.txt") << "extra";
  sync_from_store(sets.store, sets.shop.out("back"));
  CHECK(files_of(sets.shop.out("back")) == files_of(sets.folder));
}

TEST_CASE("An existing dataset is replaced only with overwrite, and kept when the get fails") {
  const Sets sets;
  const std::string back[] = {sets.shop.out("back.tacozip"), sets.shop.out("back")};
  for (const auto& path : {sets.zip, sets.folder}) {
    const bool is_zip = path == sets.zip;
    const std::string from = sets.store + "/" + fs::path(path).filename().string(), to = back[is_zip ? 0 : 1];
    CAPTURE(to);
    sync_to_store(path, sets.store);
    sync_from_store(from, to);
    CHECK(fault([&] { sync_from_store(from, to); }) == to + ": exists already");
    sync_from_store(from, to, {.overwrite = true});
    CHECK(files_of(to) == files_of(path));
  }
  const auto chunks = chunk_files(sets.store);
  for (const auto& chunk : chunks) fs::resize_file(chunk, 1);
  for (const auto& to : back) {
    const std::string name = fs::path(to).extension() == "" ? "/set" : "/set.tacozip";
    CHECK(has_text(fault([&] { sync_from_store(sets.store + name, to, {.overwrite = true}); }), "damaged"));
    CHECK(faults(to) == "");
  }
  CHECK(sets.shop.num_made() == 5);
}

TEST_CASE("A cancelled get leaves no files") {
  const Sets sets;
  for (const auto& path : {sets.zip, sets.folder}) {
    sync_to_store(path, sets.store);
    const int num_made = sets.shop.num_made();
    const SyncOptions stop{.task = {.progress = [](uint64_t, uint64_t, void*) { return false; }}};
    const std::string to = sets.shop.out("back" + fs::path(path).extension().string());
    const std::string from = sets.store + "/" + fs::path(path).filename().string();
    CHECK(has_text(fault([&] { sync_from_store(from, to, stop); }), "stopped"));
    CHECK(sets.shop.num_made() == num_made);
  }
}

TEST_CASE("A manifest with path traversal or wrong values is refused, and nothing is written") {
  const Sets sets;
  sync_to_store(sets.folder, sets.store);
  const ChunkManifest good = manifest_of(sets.store, "set");
  const int num_made = sets.shop.num_made();
  const auto get = [&](const std::string& manifest) {
    std::ofstream(manifest_path(sets.store, "set")) << manifest;
    return fault([&] { sync_from_store(sets.store, sets.shop.out("back")); });
  };
  for (const std::string name : {"../evil", "/tmp/evil", "DATA/../../evil", "DATA/a/", "..", "DATA"}) {
    CAPTURE(name);
    ChunkManifest bad = good;
    bad.files[0].name = name;
    CHECK(has_text(get(encode_manifest(bad)), "set.json: manifest: "));
  }
  const std::string text = encode_manifest(good);
  CHECK(has_text(get(text.substr(0, text.size() / 2)), "invalid or truncated JSON"));
  ChunkManifest larger = good;
  larger.files[0].size += 1;
  CHECK(has_text(get(encode_manifest(larger)), "its chunks have"));
  ChunkManifest swapped = good;
  swapped.files[0].chunks[0].size += 1;
  swapped.files[0].size += 1;
  CHECK(has_text(get(encode_manifest(swapped)), "is damaged: it has"));
  CHECK(sets.shop.num_made() == num_made);
  CHECK(get(text) == "");
}

TEST_CASE("An invalid store, dataset or name is refused before anything is written") {
  const Sets sets;
  const Workshop& shop = sets.shop;
  shop.add("files/one", "1");
  const int num_made = shop.num_made();
  const auto put = [](const std::string& from, const std::string& to) {
    return fault([&] { sync_to_store(from, to); });
  };
  const auto get = [](const std::string& from, const std::string& to) {
    return fault([&] { sync_from_store(from, to, {.overwrite = true}); });
  };
  CHECK(has_text(put(sets.zip, shop.source("files")), "is not a chunk store"));
  CHECK(has_text(put(sets.zip, sets.folder), "is not a chunk store"));
  CHECK(has_text(put(sets.zip, shop.out("other.tacozip")), "one of the two paths must be a chunk store"));
  CHECK(put(shop.source("files"), sets.store) != "");
  for (const std::string& store : {std::string(), std::string("a\0b", 3), std::string("s3://bucket/store")}) {
    CHECK(has_text(put(sets.zip, store), "a local folder expected"));
  }
  CHECK(shop.num_made() == num_made);
  CHECK(has_text(get(sets.zip, shop.out("x.zip")), "is neither a chunk store nor a dataset in one"));
  sync_to_store(sets.zip, sets.store);
  CHECK(has_text(put(sets.store, shop.out("two")), "is in a chunk store; a dataset expected"));
  CHECK(has_text(get(sets.store, sets.store), "is in a chunk store"));
  CHECK(has_text(get(sets.store, shop.out("folder")), "a name in .tacozip or .zip expected"));
  CHECK(has_text(get(sets.store + "/no", shop.out("x.zip")), "no dataset is called 'no'; the store has set.tacozip"));
  sync_to_store(sets.folder, sets.store);
  CHECK(has_text(get(sets.store, shop.out("x.zip")), "STORE/NAME expected; the store has set, set.tacozip"));
  CHECK(has_text(get(sets.store + "/set", shop.out("x.zip")), "the name of a folder expected"));
  CHECK(has_text(get(sets.store + "/set", shop.source("files")), "is a folder of other files"));
  CHECK(has_text(get(sets.store + "/set.tacozip/..", shop.out("x.zip")),
                 "is neither a chunk store nor a dataset in one"));
  shop.add("later/TACO_STORE", "taco chunk store, version 2\n");
  CHECK(has_text(put(sets.zip, shop.source("later")), "expected 'taco chunk store, version 1"));
}

TEST_CASE("The file name of the output selects the dataset of a store with several") {
  const Sets sets;
  sync_to_store(sets.zip, sets.store);
  sync_to_store(sets.folder, sets.store);
  const std::string zip = file_text(sets.zip);
  fs::remove(sets.zip);
  sync_from_store(sets.store, sets.zip);
  CHECK(file_text(sets.zip) == zip);
}

TEST_CASE("A symbolic link in a FOLDER is refused") {
  const Sets sets;
  fs::create_symlink("/etc/hostname", sets.folder + "/DATA/link");
  CHECK(has_text(fault([&] { sync_to_store(sets.folder, sets.store); }), "link: is a link or device"));
  CHECK_FALSE(fs::exists(sets.store));
}

}  // namespace
}  // namespace tacore
