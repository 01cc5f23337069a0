#include "tacore/ops/site.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/describe_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

/// A folder of datasets of all kinds, one of them in two places.
struct Archive {
  TemporaryFolder folder;

  Archive() {
    copy("flat.tacozip", "b/flat.tacozip");
    copy("nested", "b/nested");
    copy("cascade_tacocat", "cascade");
    copy("v1/flat.taco", "a.taco");
    copy("v1/nested.tortilla", "old/nested.tortilla");
    copy("v1/parts", "old/parts");
  }
  std::string path(const std::string& name = "") const { return folder.path(name); }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path(to)).parent_path());
    fs::copy(golden(from), path(to), fs::copy_options::recursive);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// "PATH ID" of what is listed, with paths below the folder.
  Strings listed(const std::string& name = "", const ListOptions& options = {}) const {
    Strings out;
    for (const auto& each : list_datasets(path(name), options)) {
      out.push_back(fs::path(each.path).lexically_relative(path()).string() + " " + each.id);
    }
    return out;
  }
};

const Strings kAll = {"a.taco demo", "b/flat.tacozip flat", "b/nested nested", "cascade cascade",
                      "old/nested.tortilla nested"};

Parsed parsed_file(const std::string& path) { return Parsed::parse(file_text(path)); }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++out;
  return out;
}

TEST_CASE("a folder of datasets is searched for all kinds, and the parts of a dataset are one entry") {
  const Archive archive;
  Strings listed = archive.listed();
  REQUIRE(listed.size() == 6);
  CHECK(listed.back().starts_with("old/parts/set.0000.part.tortilla "));
  listed.pop_back();
  CHECK(listed == kAll);
  CHECK(is_listing(archive.path()));
  CHECK_FALSE(is_listing(archive.path("cascade")));
  CHECK_FALSE(is_listing(archive.path("b/nested")));
  CHECK_FALSE(is_listing(archive.path("b/flat.tacozip")));
  CHECK_FALSE(is_listing(archive.path("missing")));
}

TEST_CASE("an index hides the datasets that it lists, wherever they are, and no others") {
  const Archive archive;
  archive.copy("flat.tacozip", "cascade/beside.tacozip");
  const auto listed = archive.listed("cascade");
  CHECK(listed == Strings{"cascade cascade", "cascade/beside.tacozip flat"});
  fs::remove_all(archive.path("cascade/.tacocat"));
  fs::remove(archive.path("cascade/__TACOCAT__"));
  CHECK(archive.listed("cascade") == listed);  // TACOLLECTION.json
  fs::remove(archive.path("cascade/TACOLLECTION.json"));
  CHECK(archive.listed("cascade").size() == 5);
}

TEST_CASE("symbolic links lead to each dataset once, also in a loop; hidden folders and other ZIPs are passed over") {
  const Archive archive;
  fs::create_directory_symlink("..", archive.path("b/up"));
  fs::create_directory_symlink("b", archive.path("c"));
  fs::create_symlink("b/flat.tacozip", archive.path("z.tacozip"));
  fs::create_symlink("nowhere", archive.path("dangling.tacozip"));
  archive.copy("flat.tacozip", ".trash/flat.tacozip");
  archive.write("other.zip", "PK\x05\x06" + std::string(18, '\0'));
  archive.copy("flat.tacozip", "z.zip");
  Strings listed = archive.listed();
  CHECK(listed.back() == "z.zip flat");
  CHECK(listed.size() == 7);
}

TEST_CASE("a summary says what the dataset says") {
  const Archive archive;
  const auto flat = list_datasets(archive.path("b")).front();
  const Dataset dataset = load(golden("flat.tacozip"));
  CHECK(flat.title == "flat");
  CHECK(flat.version == dataset.version());
  CHECK(flat.format == Format::Zip);
  CHECK(flat.licenses == dataset.licenses());
  CHECK(flat.tasks == dataset.tasks());
  CHECK(flat.num_samples == dataset.num_rows());
  CHECK(flat.num_bytes == fs::file_size(golden("flat.tacozip")));
  CHECK(flat.extent.spatial == dataset.known_extent().spatial);
  uint64_t size = 0;
  for (const char* part : {".tacocat", "."}) {
    for (const auto& file : fs::directory_iterator(golden(std::string("cascade_tacocat/") + part))) {
      const std::string name = file.path().filename().string();
      if (part[1] != '\0' || name.ends_with(".tacozip")) size += file.file_size();
    }
  }
  CHECK(list_datasets(archive.path("cascade")).front().num_bytes == size);
}

TEST_CASE("a damaged dataset is left out with a warning, and an error where options are strict") {
  const Archive archive;
  archive.write("broken.tacozip", "no ZIP");
  fs::create_directories(archive.path("bad"));
  archive.write("bad/COLLECTION.json", "{");
  const Report messages;
  CHECK(archive.listed().size() == 6);
  says(messages.warnings(), archive.path("broken.tacozip") + ": ");
  says(messages.warnings(), archive.path("bad") + ": not JSON");
  says(messages.warnings(), "; it is left out");
  says(error_of([&] { archive.listed("", {.strict = true}); }), archive.path("bad"));
  fs::remove_all(archive.path("bad"));
  says(error_of([&] { archive.listed("", {.strict = true}); }), "FormatError: " + archive.path("broken.tacozip"));
  fs::create_directories(archive.path("only"));
  archive.write("only/broken.tacozip", "no ZIP");
  says(error_of([&] { archive.listed("only"); }), "only: none of its datasets can be read");
}

TEST_CASE("a list names datasets, relative to its folder, and may give them names") {
  const Archive archive;
  archive.write("list.txt", "# what we have\r\n\nb/flat.tacozip\tClouds & more\r\n" + archive.path("cascade") +
                                "\nold\n  b/nested  \n");
  Strings listed = archive.listed("list.txt");
  REQUIRE(listed.size() == 5);
  CHECK(listed[0] == "b/flat.tacozip flat");
  CHECK(listed[1] == "cascade cascade");
  CHECK(listed[2] == "old/nested.tortilla nested");
  CHECK(listed[4] == "b/nested nested");
  CHECK(list_datasets(archive.path("list.txt")).front().title == "Clouds & more");
}

TEST_CASE("all that a list names has to be there") {
  const Archive archive;
  archive.write("list.txt", "b/flat.tacozip\n\nb/missing.tacozip\n");
  CHECK(error_of([&] { archive.listed("list.txt"); }) ==
        "IoError: " + archive.path("list.txt") + ": line 3: there is no file or folder '" +
            archive.path("b/missing.tacozip") + "': No such file or directory");
  archive.write("broken.tacozip", "no ZIP");
  archive.write("list.txt", "broken.tacozip\n");
  says(error_of([&] { archive.listed("list.txt"); }), "FormatError: " + archive.path("broken.tacozip"));
  archive.write("list.txt", "# nothing\n");
  says(error_of([&] { archive.listed("list.txt"); }), "list.txt: no datasets found: a .tacozip, .zip, ");
  fs::create_directory(archive.path("empty"));
  says(error_of([&] { archive.listed("empty"); }), "empty: no datasets found: ");
  says(error_of([&] { archive.listed("b/flat.tacozip"); }), "neither a folder of datasets nor a list");
  says(error_of([&] { archive.listed("missing"); }), "IoError: " + archive.path("missing"));
  says(error_of([&] { list_datasets("https://example.org/archive/"); }), "a remote folder cannot be searched");
}

TEST_CASE("a catalogue links the Collections, pages and metadata of its datasets, and can be listed itself") {
  const Archive archive;
  const std::string site = archive.path("site");
  const auto made = write_site(archive.path(), site, {.title = "Our archive"});
  CHECK(made.size() == 6);
  const Parsed catalogue = parsed_file(site + "/catalog.json");
  CHECK(catalogue["id"] == "our-archive");
  Strings children;
  for (const auto& link : catalogue["links"]) {
    if (link["rel"] == "child") children.push_back(link["href"]);
  }
  REQUIRE(children.size() == 6);
  CHECK(children[2] == "./datasets/nested/collection.json");
  CHECK(children[4] == "./datasets/nested-2/collection.json");
  CHECK(parsed_file(site + "/datasets/nested-2/collection.json")["id"] == "nested-2");
  const Parsed collection = parsed_file(site + "/datasets/flat/collection.json");
  CHECK(collection["id"] == "flat");
  CHECK(collection["assets"]["flat.tacozip"]["href"] == "../../../b/flat.tacozip");
  CHECK(parsed_file(site + "/datasets/flat/croissant.json")["name"] == "flat");
  says(file_text(site + "/datasets/flat/index.html"), "href=\"../../index.html\"");
  says(file_text(site + "/index.html"), "<h1>Our archive</h1>");
  CHECK_FALSE(fs::exists(site + "/sitemap.xml"));

  for (const std::string& path : {site, site + "/", site + "/catalog.json"}) {
    const auto again = list_datasets(path);
    REQUIRE(again.size() == 6);
    for (std::size_t i = 0; i < again.size(); ++i) {
      CHECK(again[i].id == made[i].id);
      CHECK(fs::equivalent(again[i].path, list_datasets(archive.path())[i].path));
      CHECK(again[i].title == made[i].title);
      CHECK(again[i].version == made[i].version);
      CHECK(again[i].format == made[i].format);
      CHECK(again[i].licenses == made[i].licenses);
      CHECK(again[i].tasks == made[i].tasks);
      CHECK(again[i].num_samples == made[i].num_samples);
      CHECK(again[i].num_bytes == made[i].num_bytes);
      CHECK(again[i].extent.spatial == made[i].extent.spatial);
      CHECK(again[i].extent.temporal == made[i].extent.temporal);
    }
  }
  CHECK(archive.listed().size() == 6);  // the catalogue is no dataset
}

TEST_CASE("a catalogue that is published has absolute links and a sitemap") {
  const Archive archive;
  const std::string site = archive.path("site");
  REQUIRE(edit_file(archive.path("b/nested/COLLECTION.json"), "{", R"({"published": "2024-05-06", )"));
  write_site(archive.path("b"), site, {.base_url = "https://example.org/a%20b/site/", .data_url = "s3://bucket/data"});
  const Parsed collection = parsed_file(site + "/datasets/flat/collection.json");
  CHECK(collection["assets"]["flat.tacozip"]["href"] == "s3://bucket/data/flat.tacozip");
  CHECK(list_datasets(site)[0].path == "s3://bucket/data/flat.tacozip");
  CHECK(list_datasets(site)[1].path == "s3://bucket/data/nested");
  const std::string url = "https://example.org/a%20b/site";
  const auto& links = collection["links"];
  CHECK(std::any_of(links.begin(), links.end(), [&](const auto& link) {
    return link["rel"] == "self" && link["href"] == url + "/datasets/flat/collection.json";
  }));
  const std::string map = file_text(site + "/sitemap.xml");
  CHECK(count_of(map, "<loc>") == 3);
  says(map, "<loc>" + url + "/datasets/nested/index.html</loc><lastmod>2024-05-06</lastmod>");
  says(map, "<loc>" + url + "/datasets/flat/index.html</loc></url>");
  says(file_text(site + "/robots.txt"), "Sitemap: " + url + "/sitemap.xml\n");
  says(file_text(site + "/datasets/flat/index.html"), "s3://bucket/data/flat.tacozip");
  for (const char* bad : {"example.org", "ftp://example.org", "https://example.org/<b>"}) {
    says(error_of([&] { write_site(archive.path("b"), archive.path("other"), {.base_url = bad}); }),
         "ValidationError: the URL of the catalogue is '");
  }
  says(error_of([&] { write_site(archive.path("b"), archive.path("other"), {.data_url = "data"}); }),
       "ValidationError: the URL of the datasets is 'data'");
  CHECK_FALSE(fs::exists(archive.path("other")));
}

TEST_CASE("hostile ids and texts stay text, and their pages stay in the catalogue") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("in"));
  Strings ids = {"../../../escaped", "/etc/passwd", "..", "", "A B?#%41", std::string(300, 'x'), "a b"};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    fs::copy(golden("nested"), folder.path("in/" + std::to_string(i)), fs::copy_options::recursive);
    Parsed collection = parsed_file(golden("nested/COLLECTION.json"));
    collection["id"] = ids[i].empty() ? kHostile : ids[i];
    collection["title"] = kHostile.substr(0, 80);
    collection["description"] = kHostile;
    collection["tasks"] = {kHostile};
    collection["licenses"] = {kHostile, "javascript:alert(1)"};
    collection["keywords"] = {kHostile};
    std::ofstream(folder.path("in/" + std::to_string(i) + "/COLLECTION.json")) << collection.dump();
  }
  const std::string site = folder.path("site");
  const auto made = write_site(folder.path("in"), site, {.title = kHostile});
  CHECK(made.size() == ids.size());
  Strings folders;
  for (const auto& entry : fs::directory_iterator(site + "/datasets")) {
    folders.push_back(entry.path().filename().string());
    CHECK(folders.back().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos);
    CHECK(folders.back().size() <= 90);
  }
  std::sort(folders.begin(), folders.end());
  CHECK(folders == Strings{"a-b", "a-b-41", "dataset", "escaped", "etc-passwd",
                           "script-script-alert-script-a-b-c-----x-y-z-javascript", std::string(80, 'x')});
  Strings names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  CHECK(names == Strings{"in", "site"});
  const std::string page = file_text(site + "/index.html");
  CHECK(count_of(page, "<script") == 2);  // the metadata and the search
  CHECK(count_of(page, "</script") == 2);
  CHECK_FALSE(has_text(page, "<script>alert"));
  CHECK_FALSE(has_text(page, "href=\"javascript"));
  CHECK(list_datasets(site).size() == ids.size());
}

TEST_CASE("a catalogue replaces a catalogue only, and never lies inside of a dataset") {
  const Archive archive;
  const std::string site = archive.path("site");
  write_site(archive.path("b"), site);
  archive.write("site/mine.txt", "of the old one");
  CHECK_THROWS_WITH_AS(write_site(archive.path("old"), site), doctest::Contains("exists already"), IoError);
  CHECK(list_datasets(site).front().id == "flat");
  write_site(archive.path("old"), site, {.overwrite = true});
  CHECK(list_datasets(site).front().id == "nested");
  CHECK_FALSE(fs::exists(site + "/mine.txt"));
  for (const char* other : {"b", "a.taco", "old"}) {
    CHECK_THROWS_WITH_AS(write_site(archive.path("cascade"), archive.path(other), {.overwrite = true}),
                         doctest::Contains("is not a catalogue that taco site wrote"), ValidationError);
  }
  CHECK_THROWS_AS(write_site(archive.path(), archive.path("b/nested/DATA/site")), ValidationError);
  CHECK_THROWS_WITH_AS(write_site(archive.path("b"), "s3://bucket/site"), doctest::Contains("cannot be written"),
                       IoError);
  archive.write("broken.tacozip", "no ZIP");
  CHECK_THROWS_AS(write_site(archive.path(), archive.path("new"), {.list = {.strict = true}}), FormatError);
  CHECK_FALSE(fs::exists(archive.path("new")));
  for (const auto& entry : fs::directory_iterator(archive.path())) {
    CHECK(entry.path().filename().string().find(".part") == std::string::npos);
  }
}

TEST_CASE("a dataset that opens and cannot be described is left out of a catalogue") {
  const Archive archive;
  Collection bad = small_collection("bad");
  bad.extent.spatial = BBox{0, 0, 1, 1};  // given, so that it is not computed of the samples
  const Sample sample("a", Bytes(3), {{"istac:geometry", Binary{"no WKB"}}});
  create_found({.tortilla = Tortilla({sample}), .collection = bad}, archive.path("b/bad.tacozip"), {});
  CHECK(archive.listed("b").size() == 3);
  const Report messages;
  const std::string site = archive.path("site");
  CHECK(write_site(archive.path("b"), site).size() == 2);
  says(messages.warnings(), archive.path("b/bad.tacozip") + ": ");
  CHECK_FALSE(fs::exists(site + "/datasets/bad"));
  CHECK(list_datasets(site).size() == 2);
  CHECK_FALSE(has_text(file_text(site + "/index.html"), "bad"));
  for (const auto& [level, text] : messages.all) {
    if (level == LogLevel::Warning) CHECK(text.starts_with(archive.path("b/bad.tacozip") + ": "));
  }
  says(error_of([&] { write_site(archive.path("b"), archive.path("other"), {.list = {.strict = true}}); }),
       "FormatError: " + archive.path("b/bad.tacozip") + ": sample 'a' has no geometry");
  CHECK_FALSE(fs::exists(archive.path("other")));
}

TEST_CASE("a catalogue that was changed by hand is an error that names the member") {
  const TemporaryFolder folder;
  const std::string path = folder.path("catalog.json");
  const auto error = [&](const std::string& text) {
    std::ofstream(path) << text;
    return error_of([&] { list_datasets(path); });
  };
  says(error("{"), "FormatError: " + path);
  says(error("[]"), "the document is array, expected an object");
  says(error("{}"), "no catalogue of TACO datasets: links with taco:dataset expected");
  const auto with = [&](const std::string& members) {
    return error(R"({"links": [{"taco:dataset": {"path": "a", "id": "a", "title": "a", )" + members + "}}]}");
  };
  says(with(R"("format": "tar", "samples": 1)"), "links[0].taco:dataset.format is 'tar', the name of a container");
  says(with(R"("format": "zip", "samples": -1)"), "links[0].taco:dataset.samples is number, expected a count");
  says(with(R"("format": "zip", "samples": 18446744073709551615)"), "expected a count");
  says(with(R"("format": "zip", "samples": 1, "bbox": [1])"), "bbox is array, expected four numbers");
  says(with(R"("format": "zip", "samples": 1, "interval": ["x", null])"), "interval[0] is 'x', a time such as");
  CHECK(with(R"("format": "zip", "samples": 1)").empty());
}

}  // namespace
