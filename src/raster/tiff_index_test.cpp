#include "tacore/extensions/tiff_index.hpp"

#include <doctest/doctest.h>

#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "support/raster_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tog.hpp"

using namespace tacore;

namespace {

/// A TIFF of one strip, and as a TOG in tiles of 16 pixels.
struct Files {
  TemporaryFolder folder;
  std::string plain = folder.path("plain.tif"), tog = folder.path("tog.tif");

  Files() {
    write_plain_tiff(plain, 40, 20, 1);
    make_tog(plain, tog, {.block_size = 16});
  }

  std::string header() const { return encode_tacotiff_header(read_tiff_directory(*local_storage()->open(tog)).layout); }
};

std::string header_of(const Value& value) {
  const auto* binary = value.get<Binary>();
  return binary ? binary->bytes : "";
}

template <class Body>
std::string schema_error(const Body& body) {
  try {
    body();
  } catch (const SchemaError& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a sample gets the header of its TIFF, from a file and from bytes") {
  const Files files;
  for (const bool held : {false, true}) {
    CAPTURE(held);
    Sample sample = held ? Sample("a", local_storage()->open(files.tog)->read_all()) : Sample("a", files.tog);
    sample.extend_with(extensions::TiffIndex());
    REQUIRE(sample.find("taco:header"));
    CHECK(header_of(*sample.find("taco:header")) == files.header());
  }
}

TEST_CASE("a sample whose TIFF has no header form is refused by its id, with all reasons") {
  const Files files;
  const auto message = schema_error([&] { Sample("strip", files.plain).extend_with(extensions::TiffIndex()); });
  CHECK(message.find("[strip] no TacoTIFF header for ") == 0);
  CHECK(has_text(message, ": it is not compressed with ZSTD; it is not tiled"));
  Sample folder("f", Tortilla({Sample("a", files.tog)}));
  CHECK(has_text(schema_error([&] { folder.extend_with(extensions::TiffIndex()); }), "is a FOLDER"));
  CHECK_THROWS_AS(Sample("text", Bytes(20)).extend_with(extensions::TiffIndex()), FormatError);
}

TEST_CASE("every FILE of every level gets a header where its TIFF has one") {
  const Files files;
  const auto tile = [&](const std::string& id) {
    return Sample(id, Tortilla({Sample("image", files.tog), Sample("notes", Bytes(10, std::byte{'x'}))}));
  };
  const Tortilla out = extensions::with_tiff_index(Tortilla({tile("a"), tile("b"), tile("c")}), {.jobs = 2});
  CHECK(out.fields(0).empty());
  const auto values = out.column("taco:header", 1);
  REQUIRE(values.size() == 6);
  for (const std::size_t row : {0U, 2U, 4U}) CHECK(header_of(values[row]) == files.header());
  for (const std::size_t row : {1U, 3U, 5U}) CHECK(values[row].is_null());
}

TEST_CASE("a TIFF without header form is an error, or null where that is allowed") {
  const Files files;
  const Tortilla samples({Sample("good", files.tog), Sample("strip", files.plain)});
  CHECK(schema_error([&] { extensions::with_tiff_index(samples); }).find("[strip] no TacoTIFF header") == 0);
  const auto values = extensions::with_tiff_index(samples, {.skip_others = true}).column("taco:header");
  CHECK(header_of(values[0]) == files.header());
  CHECK(values[1].is_null());
}

TEST_CASE("samples without any header are an error, not a column of nulls") {
  const Files files;
  CHECK(schema_error([&] { extensions::with_tiff_index(Tortilla({Sample("a", Bytes(10))})); }) ==
        "no sample is a TIFF that has a TacoTIFF header");
  CHECK(schema_error([&] {
          extensions::with_tiff_index(Tortilla({Sample("a", files.plain)}), {.skip_others = true});
        }) == "no sample is a TIFF that has a TacoTIFF header");
}

TEST_CASE("padding has no header") {
  const Files files;
  const auto values = extensions::with_tiff_index(Tortilla({Sample("a", files.tog)}).pad_to(3)).column("taco:header");
  REQUIRE(values.size() == 3);
  CHECK(header_of(values[0]) == files.header());
  CHECK(values[2].is_null());
}
