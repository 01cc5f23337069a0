#include <sys/stat.h>

#include "v1/v1_test_files.hpp"

namespace tacore::v1 {
namespace {

TEST_CASE("a tortilla becomes a TACO and the same tortilla again, beside and in place") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco"), again = folder.path("y.tortilla");
  create(demo(), tortilla, plain());
  const std::string bytes = text_of(tortilla);
  tortilla2taco(tortilla, taco, demo_collection());
  create({demo(), demo_collection()}, folder.path("made.taco"), plain());
  CHECK(text_of(taco) == text_of(folder.path("made.taco")));
  taco2tortilla(taco, again);
  CHECK(text_of(again) == bytes);

  REQUIRE(::chmod(tortilla.c_str(), 0640) == 0);
  tortilla2taco(tortilla, tortilla, demo_collection());
  CHECK(text_of(tortilla) == text_of(taco));
  struct stat status = {};
  REQUIRE(::stat(tortilla.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  taco2tortilla(tortilla, tortilla);
  CHECK(text_of(tortilla) == bytes);
}

TEST_CASE("a part stays a part, and free bytes of the header stay") {
  const TemporaryFolder folder;
  const auto parts = create(demo(), folder.path("x.tortilla"), plain({.split_size = 1}));
  REQUIRE(parts.size() == 2);
  std::string bytes = text_of(parts[0]);
  bytes[150] = 'f';
  const auto path = folder.write("p.tortilla", bytes);
  tortilla2taco(path, folder.path("p.taco"), demo_collection());
  CHECK(fields_of(text_of(folder.path("p.taco"))).parts == 2);
  taco2tortilla(folder.path("p.taco"), path, {.overwrite = true});
  CHECK(text_of(path) == bytes);
}

TEST_CASE("what is converted already, or cannot be, is refused and stays") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco");
  create(demo(), tortilla, plain());
  tortilla2taco(tortilla, taco, demo_collection());
  const std::string before = text_of(taco);
  says(refusal([&] { tortilla2taco(taco, taco, demo_collection()); }), "is a TACO already");
  says(refusal([&] { taco2tortilla(tortilla, tortilla); }), "is a Tortilla already");
  says(refusal([&] { tortilla2taco(tortilla, taco, demo_collection()); }), "exists");
  says(refusal([&] { tortilla2taco(tortilla, folder.path("y.tortilla"), demo_collection()); }), "ends in .taco");
  says(refusal([&] { tortilla2taco(tortilla, folder.path("y.taco"), {}); }), "the collection breaks");
  says(refusal([&] { tortilla2taco(folder.write("no.tortilla", "no"), taco, demo_collection()); }), "truncated");
  std::string bytes = text_of(tortilla);
  bytes.replace(18, 32, "GTiff" + std::string(19, ' ') + std::string("\1\0\0\0\0\0\0\0", 8));
  says(refusal([&] { tortilla2taco(folder.write("g1.tortilla", bytes), folder.path("g1.taco"), demo_collection()); }),
       "generation before 0.5.0");
  ConvertOptions stopping;
  stopping.progress = [](uint64_t, uint64_t, void*) { return false; };
  says(refusal([&] { taco2tortilla(taco, taco, stopping); }), "stopped");
  CHECK(text_of(taco) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 4);
}

}  // namespace
}  // namespace tacore::v1
