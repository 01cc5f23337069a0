#include <sys/stat.h>
#include <unistd.h>

#include "support/v1_files.hpp"
#include "tacore/v1/convert.hpp"

namespace tacore::v1 {
namespace {

TEST_CASE("a Tortilla converted to TACO and back has the same bytes, in a new file and in place") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco"), again = folder.path("y.tortilla");
  create_tortilla(demo(), tortilla, plain());
  const std::string bytes = file_text(tortilla);
  tortilla2taco(tortilla, taco, demo_collection());
  create_taco({demo(), demo_collection()}, folder.path("made.taco"), plain());
  CHECK(file_text(taco) == file_text(folder.path("made.taco")));
  taco2tortilla(taco, again);
  CHECK(file_text(again) == bytes);

  REQUIRE(::chmod(tortilla.c_str(), 0640) == 0);
  const auto link = folder.path("link.tortilla");
  REQUIRE(::symlink(tortilla.c_str(), link.c_str()) == 0);
  tortilla2taco(link, link, demo_collection());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(file_text(tortilla) == file_text(taco));
  struct stat status = {};
  REQUIRE(::stat(tortilla.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  taco2tortilla(tortilla, tortilla);
  CHECK(file_text(tortilla) == bytes);
}

TEST_CASE("a partition stays a partition, and reserved bytes of its header are kept") {
  const TemporaryFolder folder;
  const auto parts = create_tortilla(demo(), folder.path("x.tortilla"), plain({.split_size = 1}));
  REQUIRE(parts.size() == 2);
  std::string bytes = file_text(parts[0]);
  bytes[150] = 'f';
  const auto path = folder.write("p.tortilla", bytes);
  tortilla2taco(path, folder.path("p.taco"), demo_collection());
  CHECK(fields_of(file_text(folder.path("p.taco"))).parts == 2);
  taco2tortilla(folder.path("p.taco"), path, {.output = {.overwrite = true}});
  CHECK(file_text(path) == bytes);
}

/// Samples with columns of each kind.
Tortilla with_columns(int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const std::string id = "s" + std::to_string(i);
    const Tortilla inner(
        {Sample("x", to_bytes(std::string(static_cast<std::size_t>(i % 7) * 100, 'x')), {{"n", int64_t{i}}})});
    samples.emplace_back(
        id, inner,
        std::vector<MetadataField>{{"tortilla:data_split", i > 20 ? Value("train") : Value(), "string"},
                                   {"cloud", i % 3 == 0 ? Value() : Value(0.5 * i), "double"},
                                   {"stats:mean", Value::List{1.0 * i, 2.0}},
                                   {"boxes", Value::List{Value::List{1.0 * i}}},
                                   {"when", Timestamp{int64_t{1000} * i}},
                                   {"kind", Struct{{{"a", int64_t{i}}, {"b", "text"}}}},
                                   {"flag", i % 2 == 0}});
  }
  return Tortilla(samples);
}

TEST_CASE("joining the parts of a set gives the bytes of the unsplit file") {
  const TemporaryFolder folder;
  for (const char* name : {"x.taco", "x.tortilla"}) {
    const auto path = folder.path(name), joined = folder.path(std::string("joined-") + name);
    const bool is_taco = std::string(name) == "x.taco";
    const auto make = [&](uint64_t split_size) {
      const auto options = plain({.output = {.overwrite = true}, .split_size = split_size});
      return is_taco ? create_taco({with_columns(50), demo_collection()}, path, options)
                     : create_tortilla(with_columns(50), path, options);
    };
    const auto parts = make(20000);
    REQUIRE(parts.size() > 2);
    make(0);
    join(parts, joined);
    CHECK((file_text(joined) == file_text(path)));
  }
}

TEST_CASE("an incomplete set of parts is not joined") {
  const TemporaryFolder folder;
  const auto parts = create_tortilla(with_columns(9), folder.path("x.tortilla"), plain({.split_size = 10000}));
  const auto out = folder.path("joined.tortilla");
  REQUIRE(parts.size() >= 3);
  const auto why = [&](const std::vector<std::string>& some, const std::string& output) {
    return error_of([&] { join(some, output); });
  };
  auto some = parts;
  some.pop_back();
  says(why(some, out), "parts, " + std::to_string(some.size()) + " are given");
  some.push_back(parts[0]);
  says(why(some, out), "sample 's0' is also in another part");
  says(why({}, out), "no parts");
  says(why(parts, folder.path("joined.taco")), "must end in .tortilla");
  std::string bytes = file_text(parts[0]);
  bytes[bytes.size() - 5] = 0x7f;  // the length of the Parquet footer
  some = parts;
  some[0] = folder.write("bad.tortilla", bytes);
  says(why(some, out), "FormatError: ");
  tortilla2taco(parts[1], folder.path("one.taco"), demo_collection());
  some[0] = parts[0];
  some[1] = folder.path("one.taco");
  says(why(some, out), "is of a different kind");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("a file that is already converted or cannot be converted is refused and left unchanged") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco");
  create_tortilla(demo(), tortilla, plain());
  tortilla2taco(tortilla, taco, demo_collection());
  const std::string before = file_text(taco);
  says(error_of([&] { tortilla2taco(taco, taco, demo_collection()); }), "is a TACO already");
  says(error_of([&] { taco2tortilla(tortilla, tortilla); }), "is a Tortilla already");
  CHECK_THROWS_AS(tortilla2taco(tortilla, taco, demo_collection()), ValidationError);
  CHECK_THROWS_AS(taco2tortilla(taco, tortilla), ValidationError);
  CHECK_THROWS_AS(join({tortilla}, tortilla), ValidationError);
  says(error_of([&] { tortilla2taco(tortilla, folder.path("y.tortilla"), demo_collection()); }), "must end in .taco");
  says(error_of([&] { tortilla2taco(tortilla, folder.path("y.taco"), {}); }), "the collection breaks");
  says(error_of([&] { tortilla2taco(folder.write("no.tortilla", "no"), taco, demo_collection()); }), "truncated");
  std::string bytes = file_text(tortilla);
  bytes.replace(18, 32, "GTiff" + std::string(19, ' ') + std::string("\1\0\0\0\0\0\0\0", 8));
  says(error_of([&] { tortilla2taco(folder.write("g1.tortilla", bytes), folder.path("g1.taco"), demo_collection()); }),
       "generation before 0.5.0");
  ConvertOptions stopping;
  stopping.task.progress = [](uint64_t, uint64_t, void*) { return false; };
  says(error_of([&] { taco2tortilla(taco, taco, stopping); }), "stopped");
  CHECK(file_text(taco) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 4);
}

TEST_CASE("the input file is accepted as output only by its own name, not through a link") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco");
  create_tortilla(demo(), tortilla, plain());
  const std::string bytes = file_text(tortilla);
  for (const bool is_hard : {false, true}) {
    REQUIRE((is_hard ? ::link : ::symlink)(tortilla.c_str(), taco.c_str()) == 0);
    CHECK_THROWS_WITH_AS(tortilla2taco(tortilla, taco, demo_collection(), {.output = {.overwrite = true}}),
                         doctest::Contains("an input; choose another path"), ValidationError);
    REQUIRE(::unlink(taco.c_str()) == 0);
  }
  tortilla2taco(tortilla, taco, demo_collection());
  const auto link = folder.path("y.tortilla");
  REQUIRE(::link(taco.c_str(), link.c_str()) == 0);
  CHECK_THROWS_WITH_AS(taco2tortilla(taco, link, {.output = {.overwrite = true}}),
                       doctest::Contains("an input; choose another path"), ValidationError);
  CHECK(file_text(tortilla) == bytes);
}

}  // namespace
}  // namespace tacore::v1
