#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "describe/document.hpp"
#include "describe/page.hpp"
#include "describe/pit_tree.hpp"
#include "support/describe_data.hpp"
#include "support/plain_tiff.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/picture.hpp"
#include "tortilla/collection.hpp"

namespace {

using namespace tacore;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++out;
  return out;
}

/// The time of publication, as builds set it.
class Epoch {
 public:
  explicit Epoch(const char* seconds) { ::setenv("SOURCE_DATE_EPOCH", seconds, 1); }
  ~Epoch() { ::unsetenv("SOURCE_DATE_EPOCH"); }
  Epoch(const Epoch&) = delete;
  Epoch& operator=(const Epoch&) = delete;
};

Collection hostile_collection() {
  Collection out = small_collection();
  out.title = kHostile;
  out.description = kHostile + "\n\nsecond paragraph";
  out.licenses.push_back(kHostile);
  out.providers[0].name = out.providers[0].organization = kHostile;
  out.curators = out.providers;
  out.keywords = {kHostile, "yes", "null", "1.0"};
  const std::string text = Parsed(kHostile).dump();
  out.json = R"({"publications": [{"doi": "10.1234/abc", "citation": )" + text + R"(, "summary": null}],
    "labels:classes": [{"name": )" +
             text + R"(, "category": 1}], "rai:data_biases": )" + text + "}";
  return out;
}

/// The object of a list with this "@id".
Parsed named(const Parsed& list, const std::string& id) {
  for (const auto& each : list) {
    if (each["@id"] == id) return each;
  }
  return {};
}

TEST_CASE("Croissant has a record set for each level, which reads its table in the ZIP") {
  const Parsed out = Parsed::parse(collection2croissant(load(golden("nested.tacozip"))));
  CHECK(out["@type"] == "sc:Dataset");
  CHECK(out["conformsTo"] == "http://mlcommons.org/croissant/1.1");
  CHECK(out["name"] == "nested");
  const Parsed& field = out["recordSet"][1]["field"][0];
  CHECK(field["@id"] == "level1/id");
  CHECK(field["dataType"] == "sc:Text");
  CHECK(field["source"] == Parsed{{"fileObject", {{"@id", "level1.parquet"}}}, {"extract", {{"column", "id"}}}});
  const Parsed& table = out["distribution"][2];
  CHECK(table["@id"] == "level1.parquet");
  CHECK(table["contentUrl"] == "METADATA/level1.parquet");
  CHECK(table["containedIn"] == Parsed{{"@id", "nested.tacozip"}});
}

TEST_CASE("Croissant joins the files of a sample, two at a time, and then to its row in the table") {
  const Parsed out = Parsed::parse(collection2croissant(load(golden("../../examples/data/landsat_nested.tacozip"))));
  const Parsed& sets = out["recordSet"];
  const Parsed files = named(out["distribution"], "DATA/mask");
  CHECK(files["@type"] == "cr:FileSet");
  CHECK(files["includes"] == "DATA/*/mask");
  CHECK(files["containedIn"] == Parsed{{"@id", "landsat_nested.tacozip"}});
  const Parsed masks = named(sets, "files/mask")["field"];
  CHECK(masks[0]["source"]["transform"]["regex"] == "^DATA/([^/]+)/mask$");
  CHECK(masks[1]["source"]["extract"] == Parsed{{"fileProperty", "content"}});
  CHECK(masks[1]["dataType"] == Parsed{"sc:Text", "cr:Label"});
  const Parsed first = named(sets, "joined/optical")["field"];
  CHECK(first[0]["source"]["extract"]["column"] == "id");
  CHECK(first[0]["references"]["field"]["@id"] == "files/optical/id");
  const Parsed last = named(sets, "joined/optical..mask")["field"];
  CHECK(last[0]["source"]["field"]["@id"] == "joined/optical..dem/id");
  CHECK(last[0]["references"]["field"]["@id"] == "files/mask/id");
  CHECK(last.size() == 4);
  const Parsed samples = named(sets, "samples")["field"];
  CHECK(samples[0]["source"]["extract"]["column"] == "id");
  CHECK(samples[0]["references"]["field"]["@id"] == "joined/optical..mask/id");
  CHECK(named(samples, "samples/mask")["source"]["field"]["@id"] == "joined/optical..mask/content/mask");
  CHECK(named(samples, "samples/split")["references"]["field"]["@id"] == "splits/name");
}

TEST_CASE("Croissant has the files of a sample apart when they are too many to be joined") {
  std::vector<Sample> files;
  for (int i = 0; i < 14; ++i) files.push_back(Sample("f" + std::to_string(i), Bytes(1)));
  const auto sets_of = [&] {
    const Made made({Sample("a", Tortilla(files))}, small_collection());
    return Parsed::parse(collection2croissant(made.dataset()))["recordSet"];
  };
  CHECK(named(sets_of(), "samples").is_null());
  CHECK(named(sets_of(), "files/f13")["field"].size() == 2);
  files.pop_back();
  CHECK(named(named(sets_of(), "samples")["field"], "samples/f12").is_object());
}

TEST_CASE("Croissant opens PNGs as pictures, and takes other files as bytes") {
  const auto content_of = [](const Strings& ids) {
    std::vector<Sample> samples;
    for (const auto& id : ids) samples.push_back(Sample(id, Bytes(3), {{"data", 1}}));
    const Made made(std::move(samples), small_collection());
    const Parsed out = Parsed::parse(collection2croissant(made.dataset()));
    CHECK(named(out["distribution"], "DATA/data")["includes"] == "DATA/*");
    const Parsed field = named(named(out["recordSet"], "samples")["field"], "samples/data_");
    CHECK(field["source"]["field"]["@id"] == "files/data/content");
    return named(out["distribution"], "DATA/data")["encodingFormat"].get<std::string>() + " " +
           field["dataType"].dump();
  };
  CHECK(content_of({"a.png", "b.PNG"}) == R"(image/png "sc:ImageObject")");
  CHECK(content_of({"a.jpg", "b.jpeg"}) == R"(image/jpeg "sc:ImageObject")");
  CHECK(content_of({"a.tif", "b.tiff"}) == R"(image/tiff; application=geotiff ["sc:Text","sc:ImageObject"])");
  CHECK(content_of({"a.png", "b"}) == R"(application/octet-stream "sc:Text")");
}

TEST_CASE("Croissant reads the files of a FOLDER beside it, which a server would not list") {
  const Parsed local = Parsed::parse(collection2croissant(load(golden("nested"))));
  const Parsed files = named(local["distribution"], "DATA/item_0");
  CHECK(files["encodingFormat"] == Parsed{"text/plain", "application/octet-stream"});
  CHECK_FALSE(files.contains("containedIn"));
  CHECK(named(local["recordSet"], "samples").is_object());
  const Parsed remote = Parsed::parse(collection2croissant(load(golden("nested")), {.base_url = "https://h/d"}));
  CHECK(named(remote["recordSet"], "samples").is_null());
  CHECK(named(remote["recordSet"], "level0").is_object());
}

TEST_CASE("a dataset made of some rows is not described as if it had all") {
  const Dataset some = to_dataset(load(golden("nested.tacozip")).data().limit(1));
  const TemporaryFolder folder;
  const std::string path = folder.path("x.parquet");
  const std::string expected = "describe: a dataset made of a DataFrame can only be written";
  CHECK(has_text(error_of([&] { collection2croissant(some); }), expected));
  CHECK(has_text(error_of([&] { collection2html(some); }), expected));
  CHECK(has_text(error_of([&] { footer2geoparquet(some, 0, path); }), expected));
  CHECK(has_text(error_of([&] { footer2geoparquetstac(some, 0, path); }), expected));
}

TEST_CASE("Croissant refers to the tables of a FOLDER and of an index by their paths") {
  const Parsed folder = Parsed::parse(collection2croissant(load(golden("nested"))));
  CHECK(folder["distribution"][0]["contentUrl"] == "METADATA/level0.parquet");
  const Parsed index = Parsed::parse(collection2croissant(load(golden("cascade_tacocat"))));
  CHECK(index["recordSet"][2]["field"][0]["source"]["fileObject"] == Parsed{{"@id", ".tacocat/level2.parquet"}});
}

TEST_CASE("Croissant has its own type for each column type, and lists are arrays") {
  Sample sample = placed("a", 1, 2);
  Value::List list;  // not List{List{...}}, which some compilers take for a copy of the inner list
  list.emplace_back(Value::List{1.5});
  sample.extend_with({{"whole", 1}, {"real", 0.5}, {"truth", true}, {"list", list}});
  const Made made({sample}, small_collection());
  const Parsed out = Parsed::parse(collection2croissant(made.dataset()));
  std::string types;
  for (const auto& field : out["recordSet"][0]["field"]) {
    types += field["name"].get<std::string>().substr(7) + "=" + field["dataType"].get<std::string>() +
             (field.value("isArray", false) ? "[" + field["arrayShape"].get<std::string>() + "] " : " ");
  }
  CHECK(types ==
        "id=sc:Text type=sc:Text istac:centroid=sc:Text istac:time_start=sc:DateTime whole=sc:Integer real=sc:Float "
        "truth=sc:Boolean list=sc:Float[-1,-1] ");
}

TEST_CASE("DataCite has creators, titles, dates and locations") {
  const Made made({placed("a", 10, 20)}, small_collection());
  const Parsed out = Parsed::parse(collection2datacite(made.dataset(), {.published = "2026-11-23"}));
  CHECK(out["creators"] == Parsed::array({{{"name", "Lab"}, {"nameType", "Organizational"}}}));
  CHECK(out["titles"][0]["title"] == "small");
  CHECK(out["publisher"] == Parsed{{"name", "Lab"}});
  CHECK(out["publicationYear"] == "2026");
  CHECK(out["rightsList"][0]["rightsIdentifier"] == "cc-by-4.0");
  CHECK(out["geoLocations"][0]["geoLocationBox"]["eastBoundLongitude"] == 10.0);
  CHECK(out["dates"][0] == Parsed{{"date", "2020-01-01T00:00:00Z"}, {"dateType", "Collected"}});
  CHECK(out["contributors"][0]["contributorType"] == "HostingInstitution");
}

TEST_CASE("the publication year comes from the caller or the document, never from the samples") {
  Collection collection = small_collection();
  const Made made({placed("a", 10, 20)}, collection);
  ::unsetenv("SOURCE_DATE_EPOCH");
  CHECK_THROWS_WITH_AS(collection2datacite(made.dataset()), doctest::Contains("--published DATE"), SchemaError);
  CHECK_FALSE(Parsed::parse(collection2croissant(made.dataset())).contains("datePublished"));
  CHECK_FALSE(has_text(collection2markdown(made.dataset()), "year = "));
  CHECK(Parsed::parse(collection2datacite(made.dataset(), {.published = "2026"}))["publicationYear"] == "2026");
  const DescribeOptions day{.published = "2026-11-23"};
  CHECK(Parsed::parse(collection2croissant(made.dataset(), day))["datePublished"] == "2026-11-23");
  CHECK(has_text(collection2markdown(made.dataset(), day), "year = {2026}"));
  CHECK_THROWS_WITH_AS(collection2markdown(made.dataset(), {.published = "soon"}),
                       doctest::Contains("is 'soon', YYYY or YYYY-MM-DD expected"), ValidationError);
  {
    const Epoch epoch("1700000000");
    CHECK(Parsed::parse(collection2croissant(made.dataset()))["datePublished"] == "2023-11-14");
  }
  {
    const Epoch epoch("soon");
    CHECK_THROWS_AS(collection2datacite(made.dataset()), SchemaError);
  }
  collection.json = R"({"published": "2025-03-01T12:00:00Z"})";
  const Made said({placed("a", 10, 20)}, collection);
  CHECK(Parsed::parse(collection2croissant(said.dataset()))["datePublished"] == "2025-03-01");
  CHECK(Parsed::parse(collection2croissant(said.dataset(), {.published = "2026"}))["datePublished"] == "2026");
}

TEST_CASE("Croissant says that a file is not live, and what its SHA-256 is") {
  const Made made({placed("a", 10, 20)}, small_collection());
  const Parsed out = Parsed::parse(collection2croissant(made.dataset()));
  CHECK(out["isLiveDataset"] == false);
  const std::string bytes = file_text(made.path);
  CHECK(out["distribution"][0]["sha256"] == hex(sha256(std::as_bytes(std::span(bytes)))));
  const Parsed folder = Parsed::parse(collection2croissant(load(golden("nested"))));
  for (const auto& file : folder["distribution"]) {
    CHECK(file.contains("sha256") == (file["@type"] == "cr:FileObject"));
  }
  const Parsed fast = Parsed::parse(collection2croissant(load(golden("nested")), {.checksums = false}));
  for (const auto& file : fast["distribution"]) CHECK_FALSE(file.contains("sha256"));
}

TEST_CASE("a column of classes refers to the enumeration of the classes, and is a label") {
  const TemporaryFolder folder;
  const std::string path = folder.path("classes.tacozip");
  Taco taco{.tortilla = Tortilla({Sample("a", Bytes(1), {{"cover", 1}, {"other", 1}})}),
            .collection = small_collection()};
  taco.describe_fields(folder.write("fields.csv", "name,description,classes\ncover,Land cover,0=water;1=forest\n"));
  create(taco, path);
  const Parsed out = Parsed::parse(collection2croissant(load(path)));
  const Parsed fields = named(out["recordSet"], "level0")["field"];
  CHECK(named(fields, "level0/cover")["dataType"] == Parsed{"sc:Integer", "cr:Label"});
  CHECK(named(fields, "level0/cover")["references"]["field"]["@id"] == "labels/value");
  CHECK_FALSE(named(fields, "level0/other").contains("references"));
  const Parsed labels = named(out["recordSet"], "labels");
  CHECK(labels["dataType"] == "sc:Enumeration");
  CHECK(labels["key"]["@id"] == "labels/name");
  CHECK(labels["data"][1]["labels/value"] == 1);
}

TEST_CASE("the values of split are a record set, with Croissant's own terms where all are known") {
  const auto splits_of = [](const std::vector<std::string>& names) {
    std::vector<Sample> samples;
    for (const auto& name : names) {
      samples.push_back(placed("s" + std::to_string(samples.size()), 1, 2));
      samples.back().extend_with({{"split", name}});
    }
    const Parsed all = Parsed::parse(collection2croissant(Made(samples, small_collection()).dataset()))["recordSet"];
    return *std::find_if(all.begin(), all.end(), [](const Parsed& each) { return each["@id"] == "splits"; });
  };
  const Parsed known = splits_of({"train", "validation", "train"});
  CHECK(known["dataType"] == "cr:Split");
  CHECK(known["data"] == Parsed::array({{{"splits/name", "train"}, {"splits/url", "cr:TrainingSplit"}},
                                        {{"splits/name", "validation"}, {"splits/url", "cr:ValidationSplit"}}}));
  const Parsed other = splits_of({"train", "extra"});
  CHECK(other["data"] == Parsed::array({{{"splits/name", "extra"}}, {{"splits/name", "train"}}}));
  CHECK(other["field"].size() == 1);
}

TEST_CASE("a text says that a place or a time is unknown, and that an extent crosses 180 degrees") {
  const std::string text = collection2markdown(load(golden("no_extent.tacozip")));
  CHECK(has_text(text, "- **Extent**: unknown\n- **Time**: unknown\n"));
  CHECK_FALSE(has_text(text, "-180"));
  ::unsetenv("SOURCE_DATE_EPOCH");
  const Parsed croissant = Parsed::parse(collection2croissant(load(golden("no_extent.tacozip"))));
  CHECK_FALSE(croissant.contains("spatialCoverage"));
  CHECK_FALSE(croissant.contains("temporalCoverage"));
  const Parsed datacite = Parsed::parse(collection2datacite(load(golden("no_extent.tacozip")), {.published = "2026"}));
  CHECK_FALSE(datacite.contains("geoLocations"));
  const Made made({placed("a", 170, 1), placed("b", -170, 2)}, small_collection());
  CHECK(has_text(collection2markdown(made.dataset()), "from 170° E to 170° W (across the antimeridian), 1° N to 2° N"));
}

TEST_CASE("the code example loads the dataset by its URL, where it has one, and imports the package") {
  const Made made({placed("a", 1, 2)}, small_collection());
  const std::string text = collection2markdown(made.dataset(), {.base_url = "https://example.org/d/"});
  const auto ours = text.find("import tacore\n\ndataset = tacore.load(\"https://example.org/d/small.tacozip\")\n");
  const auto published = text.find("tacoreader.load(\"https://example.org/d/small.tacozip\")");
  CHECK(ours < published);
  CHECK(published != text.npos);
  CHECK(has_text(text, "taco info 'https://example.org/d/small.tacozip'"));
  CHECK(has_text(collection2markdown(load(golden("cascade_tacocat"))), "tacore.load(\"cascade_tacocat/.tacocat\")"));
  CHECK(has_text(collection2markdown(load(golden("cascade_tacocat")), {.base_url = "https://e.org/d"}),
                 "tacore.load(\"https://e.org/d/.tacocat\")"));
  const std::string old = collection2markdown(load(golden("v1/flat.taco")));
  CHECK(has_text(old, "import tacoreader  # pip install \"tacoreader<1\"\n\nrows = tacoreader.load(\"flat.taco\")\n"));
}

TEST_CASE("descriptions never contain the user name, password or query of a URL") {
  const Made made({placed("a", 1, 2)}, small_collection());
  struct Elsewhere : Storage {
    std::string path;
    std::shared_ptr<const ByteSource> open(const std::string&, const ReadHint&) const override {
      return local_storage()->open(path);
    }
    bool exists(const std::string& asked, bool directory) const override {
      return !directory && asked.find("small.tacozip") != asked.npos && asked.find(".headers") == asked.npos;
    }
  };
  const auto storage = std::make_shared<Elsewhere>();
  storage->path = made.path;
  const Dataset dataset = load("http://bob:sesame@h/d/small.tacozip?a=b/c&X-Amz-Signature=sesame", {}, storage);
  const Parsed croissant = Parsed::parse(collection2croissant(dataset));
  CHECK(croissant["distribution"][0]["@id"] == "small.tacozip");
  CHECK(croissant["distribution"][0]["contentUrl"] == "http://h/d/small.tacozip");
  const TemporaryFolder folder;
  footer2geoparquet(dataset, 0, folder.path("a.parquet"), {.parquet = {.compression = "none"}});
  footer2geoparquetstac(dataset, 0, folder.path("b.parquet"), {.parquet = {.compression = "none"}});
  write_stac(dataset, folder.path("catalog"));
  const Items items(dataset);
  CHECK(items.items[0]["assets"]["data"]["href"] == "http://h/d/small.tacozip");
  std::string all = croissant.dump() + items.items[0].dump() + collection2datacard(dataset) + collection2html(dataset) +
                    collection2stac(dataset);
  for (const char* name : {"a.parquet", "b.parquet", "catalog/collection.json", "catalog/items/a.json"}) {
    all += file_text(folder.path(name));
  }
  for (const char* secret : {"sesame", "bob", "X-Amz"}) {
    CAPTURE(secret);
    CHECK_FALSE(has_text(all, secret));
  }
  CHECK_FALSE(
      has_text(collection2datacard(made.dataset(), {.base_url = "https://bob:sesame@h/?sig=sesame"}), "sesame"));
}

TEST_CASE("code blocks end at their end, and links of an author run no script") {
  Collection collection = small_collection();
  collection.description =
      "[a](javascript:alert) [b]( JavaScript:alert) [c](&#106;avascript:alert) [d](https://x.org/a:b) [e](docs/a)\n\n"
      "[f]: data:text/html,x\n[g](#part) [h](<vbscript:x>) [i](mailto:a@b.c)";
  collection.json = R"({"scientific": {"citation": "@misc{x}\n```\n# Title\n````"}})";
  const std::string text = collection2markdown(Made({placed("a", 1, 2)}, collection).dataset());
  for (const char* part : {"[a]\\(", "[b]\\(", "[c]\\(", "[d](https", "[e](docs", "[f]\\:", "[g](#", "[h]\\(",
                           "[i](mail", "`````bibtex\n", "\n`````\n"}) {
    CAPTURE(part);
    CHECK(has_text(text, part));
  }
}

TEST_CASE("publications are related works by their DOI") {
  const Made made({placed("a", 1, 2)}, hostile_collection());
  const Parsed out = Parsed::parse(collection2datacite(made.dataset(), {.published = "2026"}));
  CHECK(out["relatedIdentifiers"] == Parsed::array({{{"relatedIdentifier", "10.1234/abc"},
                                                     {"relatedIdentifierType", "DOI"},
                                                     {"relationType", "IsDescribedBy"}}}));
  CHECK(out["titles"][0]["title"] == kHostile);
}

TEST_CASE("members that only TACO 0.2.0 has appear in every form, for datasets converted from it as well") {
  const std::string text =
      R"({"id":"old","dataset_version":"1.0.0","description":"d","licenses":["MIT"],"providers":[{"name":"A",)"
      R"("links":[{"href":"https://a"}]}],"task":"Super Resolution","split_strategy":"random",)"
      R"("extent":{"spatial":[1,2,3,4],"temporal":[0,86400000]},"rai:dataBiases":"some",)"
      R"("raw_link":{"href":"https://raw","description":"the scenes"},"discuss_link":{"href":"https://talk"},)"
      R"("optical_data":{"sensor":"landsat8oli","bands":[{"name":"B02","common_name":"blue","center_wavelength":482.5}]},)"
      R"("labels":{"label_classes":[{"name":"no","category":0}],"label_description":"what"},)"
      R"("scientific":{"doi":"https://doi.org/10.1/own","citation":"@misc{own}","summary":"in short",)"
      R"("publications":[{"doi":"10.1/other","citation":"@article{other}","summary":"s"}]}})";
  const Made made({placed("a", 1, 2)}, v1::to_v2(v1::parse_stored_collection(text, "old.taco")));
  const Parsed stac = Parsed::parse(collection2stac(made.dataset()));
  CHECK(stac["sci:doi"] == "10.1/own");
  CHECK(stac["sci:citation"] == "@misc{own}");
  CHECK(stac["sci:publications"] == Parsed::array({{{"doi", "10.1/other"}, {"citation", "@article{other}"}}}));
  CHECK(stac["links"][1] == Parsed{{"rel", "via"}, {"href", "https://raw"}, {"title", "the scenes"}});
  CHECK(stac["links"][2] == Parsed{{"rel", "about"}, {"href", "https://talk"}, {"title", "Discussion"}});
  CHECK(stac["links"][3] ==
        Parsed{{"rel", "cite-as"}, {"href", "https://doi.org/10.1/own"}, {"title", "DOI 10.1/own"}});
  CHECK(stac["bands"][0]["eo:center_wavelength"] == 0.4825);
  CHECK(stac["summaries"]["instruments"][0] == "landsat8oli");
  CHECK(stac["taco:tasks"][0] == "super-resolution");
  CHECK(stac["taco:split_strategy"] == "random");
  CHECK(stac["taco:labels"][0]["category"] == "0");
  CHECK(stac["providers"][0]["url"] == "https://a");
  const Parsed datacite = Parsed::parse(collection2datacite(made.dataset(), {.published = "2026"}));
  CHECK(datacite["doi"] == "10.1/own");
  CHECK(datacite["relatedIdentifiers"].size() == 3);
  CHECK(datacite["relatedIdentifiers"][1]["relationType"] == "IsDerivedFrom");
  CHECK(datacite["relatedIdentifiers"][2]["relatedIdentifier"] == "https://talk");
  CHECK(datacite["descriptions"][1] == Parsed{{"description", "in short"}, {"descriptionType", "Other"}});
  const Parsed croissant = Parsed::parse(collection2croissant(made.dataset()));
  CHECK(croissant["citeAs"] == "@misc{own}");
  CHECK(croissant["sameAs"] == "https://raw");
  CHECK(croissant["rai:dataBiases"] == "some");
  const std::string card = collection2markdown(made.dataset());
  for (const char* words : {"[Original data: the scenes](https://raw)", "[Discussion: https://talk](https://talk)",
                            "in short", "```bibtex\n@misc{own}\n```", "10.1/other"}) {
    CAPTURE(words);
    CHECK(has_text(card, words));
  }
}

TEST_CASE("a dataset card begins with YAML of quoted scalars and the Hugging Face Hub's terms") {
  Collection collection = small_collection();
  collection.licenses = {"ODbL-1.0"};
  collection.keywords = {"yes", "a: b", "line\nbreak", "\xc2\x85\xe2\x80\xa8\x7f"};
  const std::string card = collection2datacard(Made({placed("a", 1, 2)}, collection).dataset());
  CHECK(
      card.starts_with("---\n"
                       "pretty_name: \"small\"\n"
                       "license:\n- \"odbl\"\n"
                       "task_categories:\n- \"image-segmentation\"\n"
                       "size_categories:\n- \"n<1K\"\n"
                       "tags:\n- \"yes\"\n- \"a: b\"\n- \"line\\nbreak\"\n- \"\\x85\\u2028\\x7f\"\n"
                       "- \"taco\"\n- \"earth-observation\"\n- \"geospatial\"\n---\n\n# small\n"));
}

TEST_CASE("a licence that the hub does not know has its name and address") {
  Collection collection = small_collection();
  collection.licenses = {"CC-PDM-1.0"};
  const std::string card = collection2datacard(Made({placed("a", 1, 2)}, collection).dataset());
  CHECK(has_text(card,
                 "license:\n- \"other\"\nlicense_name: \"CC-PDM-1.0\"\n"
                 "license_link: \"https://spdx.org/licenses/CC-PDM-1.0.html\"\n"));
}

TEST_CASE("a dataset card is its YAML followed by the Markdown") {
  const Dataset dataset = load(golden("nested.tacozip"));
  const std::string markdown = collection2markdown(dataset);
  CHECK(collection2datacard(dataset).ends_with("---\n\n" + markdown));
  CHECK(has_text(markdown, "3 x FOLDER\n├── item_0  FILE\n"));
  CHECK(has_text(markdown, "### Level 1: 9 rows"));
}

TEST_CASE("Markdown escapes the texts of a dataset") {
  const std::string text = collection2markdown(Made({placed("a", 1, 2)}, hostile_collection()).dataset());
  CHECK(text.starts_with("# &lt;/script\\>&lt;script\\>alert('\"&amp;é')&lt;/script\\> \\`a\\|b\\` \\*c\\* \\#"));
  CHECK_FALSE(has_text(text, "| <"));
  CHECK(has_text(text, "second paragraph"));
}

TEST_CASE("a page or a text for a path that is not a dataset is the error of opening it") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(collection2html(load(folder.path("absent.tacozip"))), IoError);
  CHECK_THROWS_AS(collection2markdown(load(folder.write("TACOLLECTION.json", "{\"id\": "))), FormatError);
}

TEST_CASE("the page has the id and the accent colour") {
  const Dataset dataset = load(golden("nested.tacozip"));
  const std::string page = collection2html(dataset, {.accent_colour = "#ff8000"});
  CHECK(has_text(page, "<code>nested</code>"));
  CHECK(has_text(page, "--accent:#ff8000;--accent-dark:#bf6000;--accent-light:#ffd8b2"));
}

TEST_CASE("a COLLECTION.json alone is described by its members") {
  const Dataset dataset = load(golden("nested.tacozip"));
  const std::string& json = dataset.collection().json;
  const std::string text = collection2markdown(json, "COLLECTION.json");
  CHECK(has_text(text, "- **Samples**: 3, 9 at level 1\n"));
  CHECK(has_text(text, "- **Format**: TACO 2.0.0\n"));
  CHECK(has_text(text, "| `cloud_cover` | `double` |"));
  CHECK_FALSE(has_text(text, "internal:"));
  CHECK(has_text(text, "load(\"nested.tacozip\")"));
  CHECK(has_text(collection2markdown(json, "", {.example_path = "/data/a b"}), "load(\"/data/a b\")"));
  CHECK(has_text(collection2html(json, "", {.accent_colour = "#123456"}), "--accent:#123456;"));
  const std::string page = collection2html(json, "");
  CHECK(count(page, "<script") == 1);  // of the buttons that copy
  CHECK_FALSE(has_text(page, "data:image"));
  CHECK_THROWS_AS(collection2markdown("{", "COLLECTION.json"), FormatError);
  CHECK_THROWS_AS(collection2html("{}", "COLLECTION.json"), FormatError);
  // That of a dataset which is not written yet has no tree.
  const std::string draft = collection2markdown(R"({"id": "x", "description": "D", "tasks": ["other"]})", "C.json");
  CHECK(draft.starts_with("# x\n\nD\n\n- **Id**: `x`\n"));
  CHECK_FALSE(has_text(draft, "Samples"));
  CHECK_FALSE(has_text(draft, "## Structure"));
  CHECK(has_text(collection2html(R"({"id": "x"})", "COLLECTION.json"), "<h1>x</h1>"));
  CHECK_THROWS_AS(collection2html(R"({"id": "x", "taco:pit_schema": {}})", "COLLECTION.json"), SchemaError);

  const std::string parts = collection2markdown(load(golden("cascade_tacocat")).collection().json, "COLLECTION.json");
  CHECK(has_text(parts, "## Sources"));
  CHECK(has_text(parts, ", tacocat\n"));
}

TEST_CASE("a page links back to a catalogue when it is given its URL") {
  const Dataset dataset = load(golden("flat.tacozip"));
  CHECK(has_text(collection2html(dataset, {.catalogue_url = "https://example.org/?a&b"}),
                 "href=\"https://example.org/?a&amp;b\""));
  CHECK_FALSE(has_text(collection2html(dataset), "Catalogue"));
  CHECK(has_text(collection2html(dataset, {.viewer_url = "a&b.html"}), "href=\"a&amp;b.html\">Explore the samples"));
  CHECK(has_text(collection2html(dataset, {.viewer_url = "https://example.org/v"}), "href=\"https://example.org/v\""));
  CHECK_FALSE(has_text(collection2html(dataset, {.viewer_url = "javascript:alert(1)"}), "javascript"));
  CHECK_FALSE(has_text(collection2html(dataset, {.catalogue_url = "javascript:alert(1)"}), "javascript"));
}

TEST_CASE("the accent colour has light and dark variants, and a default for invalid values") {
  using descriptions::accent_of;
  CHECK(accent_of("#4CAF50").plain == "#4caf50");
  CHECK(accent_of("#4CAF50").dark == "#39833c");
  CHECK(accent_of("#4CAF50").light == "#c9e7ca");
  for (const char* other : {"", "#fff", "red", "#4CAF5", "#4CAF50;}", "#GGGGGG"}) {
    CAPTURE(other);
    CHECK(accent_of(other).plain == "#4caf50");
  }
  CHECK(accent_of("000000").light == "#b2b2b2");
}

TEST_CASE("markup in a dataset is escaped on its page") {
  CHECK(descriptions::escape_html("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  const std::string page = collection2html(Made({placed("a", 1, 2)}, hostile_collection()).dataset());
  CHECK_FALSE(has_text(page.substr(page.find("</head>")), "alert('"));
  CHECK(has_text(page, "&lt;script&gt;alert(&#39;"));
  CHECK_FALSE(has_text(page, "javascript:1\""));
}

TEST_CASE("a page without a title shows the id") {
  const std::string page = collection2html(load(golden("nested.tacozip")));
  CHECK(has_text(page, "<title>nested</title>"));
  CHECK(has_text(page, "<h1>nested</h1>"));
  CHECK_FALSE(has_text(page, "None"));
}

TEST_CASE("text of a dataset cannot end the script element that holds its Croissant") {
  const Made made({placed("a", 1, 2)}, hostile_collection());
  const std::string page = collection2html(made.dataset());
  CHECK(count(page, "<script") == 2);  // and that of the buttons that copy
  CHECK(count(page, "</script") == 2);
  const auto start = page.find("ld+json\">") + 9;
  const std::string json = page.substr(start, page.find("</script", start) - start);
  CHECK_FALSE(has_text(json, "<"));
  CHECK(Parsed::parse(json) == Parsed::parse(collection2croissant(made.dataset())));
}

TEST_CASE("every container has a page with a map") {
  for (const char* name : {"nested.tacozip", "nested", "cascade_tacocat", "flat.tacozip"}) {
    CAPTURE(name);
    const std::string page = collection2html(load(golden(name)));
    CHECK(has_text(page, "<svg "));
    CHECK(has_text(page, "class=\"dot\""));
  }
}

TEST_CASE("a dataset without locations has no map") {
  CHECK_FALSE(has_text(collection2html(load(golden("no_extent.tacozip"))), "<svg "));
}

TEST_CASE("a page loads no external resources") {
  const std::string page = collection2html(load(golden("../../examples/data/landsat.tacozip")));
  CHECK(has_text(page,
                 "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
  CHECK(count(page, " src=") == count(page, " src=\"data:image/png;base64,"));
  for (const char* part : {"url(", "@import", "<link ", "<iframe", "onclick"}) {
    CAPTURE(part);
    CHECK_FALSE(has_text(page, part));
  }
}

TEST_CASE("a page shows pictures of samples that are spread evenly over the rows, with id, row, time and place") {
  const Dataset dataset = load(golden("../../examples/data/landsat.tacozip"));
  const std::string page = collection2html(dataset, {.thumbnails = 4});
  CHECK(count(page, "<img ") == 4);
  CHECK(has_text(page, "4 of 16 samples, spread evenly over all rows, not selected."));
  for (const char* row : {"row 2 ", "row 6 ", "row 10 ", "row 14 "}) {
    CAPTURE(row);
    CHECK(has_text(page, row));
  }
  CHECK(has_text(page,
                 "<code>tile_r0_c2</code><br><span class=\"dim\">row 2 · <span>1 January 2000</span> · "
                 "<span>7.971° S, 34.851° W</span></span>"));
  CHECK(has_text(page, "alt=\"image tile_r0_c2\""));
  CHECK(count(collection2html(dataset, {.thumbnails = 100}), "<img ") == 16);
  CHECK_FALSE(has_text(collection2html(dataset, {.thumbnails = 0}), "id=\"samples\""));
}

TEST_CASE("a picture is the preview of its sample in the true colours of the collection") {
  const Dataset dataset = load(golden("../../examples/data/landsat.tacozip"));
  const std::string page = collection2html(dataset, {.thumbnails = 1});
  const Picture picture = preview(*open_raster(dataset.data(), 8), {.bands = {3, 2, 1}, .size = 160});
  CHECK(has_text(page, "src=\"data:image/png;base64," + base64(encode_png(picture)) + "\""));
}

TEST_CASE("a page is made without pictures of samples that are no rasters or are damaged") {
  const Made made({placed("a", 1, 2), placed("b", 2, 2)}, small_collection());
  CHECK_FALSE(has_text(collection2html(made.dataset()), "<img "));
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("../../examples/data/landsat.tacozip"), "damaged.tacozip");
  const std::string vsi = load(path).data().vsi_path("tile_r0_c0").value;  // /vsisubfile/OFFSET_SIZE,PATH
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::stoll(vsi.substr(std::string_view("/vsisubfile/").size())));
  file << std::string(4000, '\xff');
  file.close();
  const std::string page = collection2html(load(path), {.thumbnails = 16});
  CHECK(count(page, "<img ") == 15);
  CHECK(has_text(page, "All 16 samples; 1 of them could not be shown."));
}

TEST_CASE("the pictures of a FOLDER are its image and its label, with the colours of the classes") {
  Collection collection = small_collection();
  collection.json = R"({"labels:classes": [{"name": "water", "category": 0}, {"name": "land", "category": 1}]})";
  const auto scene = [](const std::string& id, const std::string& name, const Bytes& label) {
    const Bytes image = plain_tiff<uint8_t>(2, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    return Sample(id, Tortilla({Sample(name, label), Sample("picture", image)}));
  };
  const std::string page = collection2html(
      Made({scene("scene", "mask", plain_tiff<uint8_t>(2, 2, {0, 1, 1, 13}, "13"))}, collection).dataset());
  const auto bytes = [](std::initializer_list<int> all) {
    Bytes out;
    for (const int each : all) out.push_back(static_cast<std::byte>(each));
    return out;
  };
  const Picture label{.width = 2,
                      .height = 2,
                      .channels = 4,
                      .samples = bytes({0x3b, 0x42, 0x52, 255, 0xe6, 0x9f, 0, 255,  //
                                        0xe6, 0x9f, 0, 255, 0x3b, 0x42, 0x52, 0})};
  CHECK(has_text(page, "alt=\"image scene/picture\""));
  CHECK(has_text(page, "alt=\"label scene/mask\" src=\"data:image/png;base64," + base64(encode_png(label)) + "\""));
  CHECK(page.find("image scene/picture") < page.find("label scene/mask"));
  CHECK(has_text(page, "fill=\"#3b4252\"/></svg>water</li>"));
  CHECK(has_text(page, "fill=\"#e69f00\"/></svg>land</li>"));
  // A raster of one band of 8 bits beside one of several bands, whatever it is called; no other.
  const auto alt_of = [&](const Bytes& second) {
    const std::string text = collection2html(Made({scene("s", "other", second)}, collection).dataset());
    return has_text(text, "alt=\"label s/other\"");
  };
  CHECK(
      count(collection2html(Made({scene("s", "mask", plain_tiff<float>(2, 2, {0, 1, 1, 0.5}))}, collection).dataset()),
            "<img ") == 2);
  CHECK_FALSE(alt_of(plain_tiff<float>(2, 2, {0, 1, 1, 7})));
  CHECK_FALSE(alt_of(plain_tiff<uint8_t>(2, 2, {0, 1, 1, 7, 1, 2, 3, 4})));
}

TEST_CASE("the pictures of a page have at most 1.2 MB, whatever is in them") {
  std::vector<uint8_t> noise(3 * 200 * 200);
  uint32_t state = 1;
  for (uint8_t& value : noise) value = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  std::vector<Sample> samples;
  for (int i = 0; i < 40; ++i) samples.emplace_back("s" + std::to_string(i), plain_tiff<uint8_t>(200, 200, noise));
  const Made made(samples, small_collection());
  for (const int number : {12, 40}) {
    const std::string page = collection2html(made.dataset(), {.thumbnails = number});
    CHECK(count(page, "<img ") == static_cast<std::size_t>(number));
    CHECK(page.size() < 1'250'000);
  }
}

TEST_CASE("a large raster is shown by its middle") {
  std::vector<uint8_t> pixels(1500 * 8, 5);
  std::fill_n(pixels.begin() + 700, 100, uint8_t{9});
  const std::string page =
      collection2html(Made({Sample("wide", plain_tiff<uint8_t>(1500, 8, pixels))}, small_collection()).dataset());
  CHECK(has_text(page, "width=\"147\" height=\"2\" alt=\"Middle of the image wide\""));
}

TEST_CASE("a page counts the samples of each split and class") {
  Collection collection = small_collection();
  collection.json = R"({"labels:classes": [{"name": "water & ice", "category": 7}]})";
  std::vector<Sample> samples;
  for (int i = 0; i < 8; ++i) {
    samples.push_back(placed("s" + std::to_string(i), 1, 2));
    samples.back().extend_with({{"split", i < 6 ? "train" : "test"}, {"label", i < 2 ? 7 : 9}, {"serial", 100 + i}});
  }
  const std::string page = collection2html(Made(samples, collection).dataset());
  const auto row = [](const std::string& name, const std::string& count, const std::string& share) {
    return "<th scope=\"row\">" + name + "</th><td class=\"number\">" + count + "</td><td class=\"share\"><span>" +
           share;
  };
  CHECK(has_text(page, row("train", "6", "75 %")));
  CHECK(has_text(page, row("test", "2", "25 %")));
  CHECK(has_text(page, row("water &amp; ice (7)", "2", "25 %")));
  CHECK(has_text(page, row("9", "6", "75 %")));
  CHECK_FALSE(has_text(page, row("100", "1", "")));  // each sample has its own
}

TEST_CASE("a page shows the statistics of bands that samples store, and none that they do not") {
  const Dataset dataset = load(golden("../../examples/data/landsat.tacozip"));
  const std::string page = collection2html(dataset, {.thumbnails = 0});
  CHECK(has_text(page, "id=\"band-statistics\""));
  CHECK(count(page, "class=\"spread\"") == 6);
  CHECK(has_text(page, "<th scope=\"row\">4 B04 (NIR)</th>"));
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.4g", dataset.stats(Statistic::Mean)[3]);
  CHECK(has_text(page, "<th scope=\"row\">4 B04 (NIR)</th><td class=\"number\">" + std::string(mean) + "</td>"));
  CHECK_FALSE(has_text(collection2html(load(golden("nested.tacozip"))), "id=\"band-statistics\""));
}

TEST_CASE("many samples are a density, whose shades add up, and few are footprints") {
  std::vector<Sample> samples;
  for (int i = 0; i < 500; ++i) samples.push_back(placed("s" + std::to_string(i), i % 2 ? 10 : 40, 20));
  const std::string page = collection2html(Made(samples, small_collection()).dataset());
  CHECK(has_text(page, "All 500 samples; the shade of a hexagon is the number of samples whose centre is in it."));
  CHECK(count(page, "class=\"hex d5\"") >= 1);
  CHECK(has_text(page, "84 to 250"));
  CHECK(has_text(page, "500 km</text>"));
  CHECK_FALSE(has_text(page, "class=\"dot\""));
  CHECK(has_text(collection2html(load(golden("flat.tacozip"))), "class=\"dot\""));
}

TEST_CASE("places and times are in the words of people") {
  using descriptions::in_words;
  const auto time = [](const char* text) { return Timestamp::parse(text); };
  CHECK(in_words(BBox{-12.1, 35, 40, 59.6}) == "from 13° W to 40° E, 35° N to 60° N");
  CHECK(in_words(BBox{170, -20, -170, -10}) == "from 170° E to 170° W (across the antimeridian), 20° S to 10° S");
  CHECK(in_words(BBox{-34.8925, -8.0285, -34.826, -7.9623}) == "from 34.893° W to 34.826° W, 8.029° S to 7.962° S");
  CHECK(in_words(BBox{-180, -90, 180, 0}) == "from 180° to 180°, 90° S to 0°");
  CHECK(in_words(BBox{10.5, -3, 10.5, -3}) == "3° S, 10.5° E");
  CHECK(in_words(TimeRange{time("2021-03-03"), time("2022-07-09T10:00:00Z")}) == "3 March 2021 to 9 July 2022");
  CHECK(in_words(TimeRange{time("2021-03-03"), time("2021-03-03")}) == "3 March 2021");
  CHECK(in_words(TimeRange{time("2021-03-03T10:00:00Z"), time("2021-03-03T10:30:00Z")}) ==
        "3 March 2021, 10:00 to 10:30 UTC");
  CHECK(in_words(TimeRange::parse("2021-03-03")) == "3 March 2021");
  CHECK(in_words(TimeRange::parse("../2021-03-03")) == "until 3 March 2021");
}

TEST_CASE("a page says how large a local dataset is") {
  const std::string path = golden("../../examples/data/landsat.tacozip");
  CHECK(has_text(collection2html(load(path), {.thumbnails = 0}),
                 "<dt>Download</dt><dd>" + std::to_string((std::filesystem::file_size(path) + 500) / 1000) +
                     " kB in 1 file</dd>"));
  CHECK(has_text(collection2markdown(load(golden("nested"))), " files\n"));
}

TEST_CASE("all descriptions are written as a folder whose links lead to each other and to the data") {
  const TemporaryFolder folder;
  folder.copy(golden("../../examples/data/landsat.tacozip"), "data/landsat.tacozip");
  const Dataset dataset = load(folder.path("data/landsat.tacozip"));
  const std::string site = folder.path("site");
  write_descriptions(dataset, site, {.published = "2026"});
  const auto exists = [&](const std::string& from, const std::string& href) {
    return std::filesystem::exists(std::filesystem::path(site) / from / href);
  };
  const std::string page = file_text(site + "/index.html");
  for (const char* href : {"README.md", "croissant.json", "datacite.json", "samples.parquet", "stac/collection.json"}) {
    CAPTURE(href);
    CHECK(has_text(page, std::string("href=\"") + href + "\""));
    CHECK(exists("", href));
  }
  const Parsed collection = Parsed::parse(file_text(site + "/stac/collection.json"));
  CHECK(collection["links"].size() == 1 + 3 + 16);
  for (const Parsed& link : collection["links"]) {
    if (link["rel"] != "license") CHECK(exists("stac", link["href"]));
  }
  CHECK(exists("stac", collection["assets"]["landsat.tacozip"]["href"]));
  const Parsed item = Parsed::parse(file_text(site + "/stac/items/tile_r0_c0.json"));
  CHECK(exists("stac/items", item["assets"]["data"]["href"]));
  CHECK(exists("stac/items", item["links"][0]["href"]));
  const Parsed croissant = Parsed::parse(file_text(site + "/croissant.json"));
  CHECK(exists("", croissant["distribution"][0]["contentUrl"]));
  CHECK(has_text(page, "tacore.load(&quot;landsat.tacozip&quot;)"));
  // The forms are those that are written alone.
  const DescribeOptions there{.base_url = "https://example.org/d", .published = "2026", .overwrite = true};
  write_descriptions(dataset, site, there);
  CHECK(file_text(site + "/README.md") == collection2datacard(dataset, there));
  CHECK(file_text(site + "/croissant.json") == collection2croissant(dataset, there));
  CHECK(file_text(site + "/datacite.json") == collection2datacite(dataset, there));
  CHECK(has_text(file_text(site + "/index.html"), "tacore.load(&quot;https://example.org/d/landsat.tacozip&quot;)"));
}

TEST_CASE("descriptions that a dataset lacks a time or a year for are left out with a warning") {
  const TemporaryFolder folder;
  ::unsetenv("SOURCE_DATE_EPOCH");
  const Report report;
  write_descriptions(load(golden("no_extent.tacozip")), folder.path("site"));
  CHECK(has_text(report.warnings(), "datacite.json is not written: the year of publication"));
  CHECK(has_text(report.warnings(), "stac is not written: sample 'a' has no time"));
  CHECK_FALSE(std::filesystem::exists(folder.path("site/stac")));
  CHECK_FALSE(has_text(file_text(folder.path("site/index.html")), "href=\"stac"));
  CHECK(has_text(file_text(folder.path("site/index.html")), "href=\"samples.parquet\""));
}

TEST_CASE("a folder of descriptions replaces nothing but such a folder, and lies beside its dataset") {
  const TemporaryFolder folder;
  const Dataset dataset = load(golden("flat.tacozip"));
  write_descriptions(dataset, folder.path("site"), {.thumbnails = 0});
  const std::string again = error_of([&] { write_descriptions(dataset, folder.path("site")); });
  CHECK(has_text(again, "exists already"));
  folder.write("mine/index.html", "mine");
  CHECK(has_text(error_of([&] { write_descriptions(dataset, folder.path("mine"), {.overwrite = true}); }),
                 "is not a folder with an index.html and a croissant.json; nothing else is replaced"));
  CHECK(file_text(folder.path("mine/index.html")) == "mine");
  std::filesystem::copy(golden("nested"), folder.path("nested"), std::filesystem::copy_options::recursive);
  CHECK_THROWS_AS(write_descriptions(load(folder.path("nested")), folder.path("nested/DATA/site")), ValidationError);
  CHECK(has_text(error_of([&] { write_descriptions(dataset, folder.path("absent/site")); }), "cannot be created"));
  CHECK(std::ranges::distance(std::filesystem::directory_iterator(folder.path(""))) == 3);
}

TEST_CASE("a tree with too many branches is shortened") {
  PitSchema pit{.root_n = 2, .root_type = SampleType::Folder};
  PitPattern& pattern = pit.hierarchy[1].emplace_back(PitPattern{.n = 40});
  for (int i = 0; i < 20; ++i) {
    pattern.id.push_back("band_" + std::to_string(i));
    pattern.type.push_back(SampleType::File);
  }
  const std::string text = descriptions::draw(descriptions::pit_tree(pit), 2);
  CHECK(count(text, "FILE") == 12);
  CHECK(has_text(text, "└── ... 8 more\n"));
}

TEST_CASE("several datasets loaded as one are described with the names of their files") {
  const std::vector<Dataset> both = {load(golden("flat.tacozip")), load(golden("flat_plain.tacozip"))};
  const Dataset dataset = concat(both);
  const Parsed out = Parsed::parse(collection2stac(dataset));
  CHECK(out["assets"].contains("flat.tacozip"));
  CHECK(out["assets"].contains("flat_plain.tacozip"));
  const Items items(dataset);
  CHECK(items.items[0]["assets"]["data"]["href"] == "./flat.tacozip");
  CHECK(items.items.back()["assets"]["data"]["href"] == "./flat_plain.tacozip");
}

TEST_CASE("descriptions of a dataset do not depend on its location") {
  const TemporaryFolder folder;
  const std::string there = folder.copy(golden("nested.tacozip"), "elsewhere/nested.tacozip");
  for (const auto form :
       {collection2stac, collection2croissant, collection2datacard, collection2markdown, collection2html}) {
    CHECK(form(load(there), {}) == form(load(golden("nested.tacozip")), {}));
  }
}

}  // namespace
