#include "tacore/ops/view.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "view/served_files.hpp"

namespace {

using namespace tacore;

std::string text_at(const ServedFiles& files, const std::string& path) {
  const auto file = files.open(path);
  if (!file) return "none";
  const Bytes bytes = file->read_all();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const auto begin = text.find(before) + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}
std::string config_of(const std::string& page) { return between(page, "id=\"config\">", "</script>"); }
std::string servers_of(const std::string& page) { return between(page, "connect-src ", ";"); }

TEST_CASE("a server has the one file of a ZIP, and nothing beside it") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("flat.tacozip"), "a b.tacozip");
  folder.write("secret", "s");
  const ServedFiles files(load(path));
  CHECK(files.datasets() == Strings{"a b.tacozip"});
  CHECK(text_at(files, "a b.tacozip") == file_text(path));
  CHECK(text_at(files, "a b.tacozip.headers") == "none");
  folder.write("a b.tacozip.headers", "h");
  CHECK(text_at(files, "a b.tacozip.headers") == "h");  // its TIFF index
  for (const char* other :
       {"", "secret", "a b.tacozip/", "./a b.tacozip", "../secret", "a b.tacozip/../secret", path.c_str()}) {
    CAPTURE(other);
    CHECK(text_at(files, other) == "none");
  }
}

TEST_CASE("of a FOLDER only its own parts are served, and no links that lead out of them") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "data/nested");
  folder.write("secret", "s");
  folder.write("data/nested/notes", "s");
  std::filesystem::create_symlink(folder.path("secret"), path + "/DATA/link");
  std::filesystem::create_symlink("item_0", path + "/DATA/" + "inner");
  std::filesystem::create_directory_symlink(folder.path(), path + "/DATA/out");
  const ServedFiles files(load(path));
  CHECK(files.datasets() == Strings{"nested"});
  CHECK(text_at(files, "nested/COLLECTION.json") == file_text(path + "/COLLECTION.json"));
  CHECK(text_at(files, "nested/METADATA/level0.parquet") == file_text(path + "/METADATA/level0.parquet"));
  for (const char* other :
       {"nested", "nested/", "nested/notes", "nested/DATA", "nested/DATA/link", "nested/DATA/out/secret",
        "nested/DATA/../notes", "nested/DATA/../../../secret", "nested/DATA/./link", "nested/../nested/notes",
        "nested//notes", "nested/DATA//link", "nested/METADATA/absent.parquet"}) {
    CAPTURE(other);
    std::string found = "none";
    CHECK_NOTHROW(found = text_at(files, other));
    CHECK(found == "none");
  }
  // Data that lies elsewhere as a whole is what its owner wants.
  std::filesystem::rename(path + "/DATA", folder.path("elsewhere"));
  std::filesystem::create_directory_symlink(folder.path("elsewhere"), path + "/DATA");
  std::string sample;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("elsewhere"))) {
    if (entry.is_regular_file() && !entry.is_symlink())
      sample = entry.path().lexically_relative(folder.path("elsewhere"));
  }
  CHECK(text_at(files, "nested/DATA/" + sample) == file_text(folder.path("elsewhere/" + sample)));
}

TEST_CASE("of an index its tables and its ZIPs are served, and several datasets have names of their own") {
  const ServedFiles index(load(golden("cascade_tacocat")));
  REQUIRE(index.datasets() == Strings{"cascade_tacocat/.tacocat"});
  CHECK(text_at(index, "cascade_tacocat/.tacocat/level1.parquet") ==
        file_text(golden("cascade_tacocat/.tacocat/level1.parquet")));
  const Dataset dataset = load(golden("cascade_tacocat"));
  for (const auto& source : dataset.collection().sources)
    CHECK(text_at(index, "cascade_tacocat/" + source.file) == file_text(golden("cascade_tacocat/" + source.file)));
  CHECK(text_at(index, "cascade_tacocat/.tacocat/level9.parquet") == "none");
  const TemporaryFolder folder;
  const std::string first = folder.copy(golden("flat.tacozip"), "a/flat.tacozip");
  const std::string second = folder.copy(golden("flat.tacozip"), "b/flat.tacozip");
  const ServedFiles both(concat(std::vector{load(first), load(second)}));
  CHECK(both.datasets() == Strings{"flat.tacozip", "2/flat.tacozip"});
  CHECK(text_at(both, "2/flat.tacozip") == file_text(second));
}

TEST_CASE("a dataset with filters or rows of its own has no page") {
  const Dataset dataset = load(golden("flat.tacozip"));
  for (const Dataset& other : {dataset.limit(1), dataset.sql("SELECT * FROM data"), dataset.filter_bbox(0, 0, 1, 1)}) {
    CHECK_THROWS_WITH_AS(ViewServer{other}, doctest::Contains("whole datasets"), QueryError);
    CHECK_THROWS_AS(viewer_page(other, "."), QueryError);
  }
  CHECK_THROWS_AS(ViewServer{to_dataset(dataset.data())}, QueryError);
}

TEST_CASE("a page in a file opens its dataset by the way to it, and may read no other server") {
  const TemporaryFolder folder;
  const Dataset zip = load(folder.copy(golden("flat.tacozip"), "data/a b.tacozip"));
  const std::string beside = viewer_page(zip, folder.path("site"));
  CHECK(config_of(beside) == R"({"dataset":"../data/a%20b.tacozip"})");
  CHECK(servers_of(beside) == "'self'");
  CHECK(config_of(viewer_page(load(folder.copy(golden("nested"), "nested")), folder.path())) ==
        R"({"dataset":"nested"})");
  const std::string hosted =
      viewer_page(zip, folder.path(), {.base_url = "https://example.org:8443/d/", .servers = {"https://*.cdn.org"}});
  CHECK(config_of(hosted) == R"({"dataset":"https://example.org:8443/d/a%20b.tacozip"})");
  CHECK(servers_of(hosted) == "'self' https://example.org:8443 https://*.cdn.org");
  CHECK(servers_of(viewer_page(zip, ".", {.base_url = "hf://datasets/o/n"})) ==
        "'self' https://huggingface.co https://*.huggingface.co https://*.hf.co");
  CHECK(servers_of(viewer_page(zip, ".", {.base_url = "s3://b/p"})) == "'self' https://*.amazonaws.com");
  CHECK_THROWS_WITH_AS(viewer_page(zip, ".", {.base_url = "az://b/p"}), doctest::Contains("give the https URL"),
                       ValidationError);
  for (const char* server : {"https://a.org; script-src *", "*", "a.org", "https://", "javascript:x",
                             "https://a.org/path", "https://a org"}) {
    CAPTURE(server);
    CHECK_THROWS_WITH_AS(viewer_page(zip, ".", {.servers = {server}}), doctest::Contains("is not a server"),
                         ValidationError);
  }
}

TEST_CASE("a page for any dataset may read what others can read") {
  const std::string page = viewer_page();
  CHECK(config_of(page) == "{}");
  CHECK(servers_of(page) == "'self' https: http://localhost:* http://127.0.0.1:*");
}

TEST_CASE("the name of a file cannot end the element that it is written into") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("flat.tacozip"), "x<script>alert(1)<!--.tacozip");
  const std::string page = viewer_page(load(path), folder.path());
  CHECK_FALSE(has_text(page, "alert(1)<!--"));
  CHECK(config_of(page).find('<') == std::string::npos);
}

}  // namespace
