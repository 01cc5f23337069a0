// The decoders of tacore as a WebAssembly module, for JavaScript in browsers and elsewhere. It reads no files:
// what it needs of a file is asked for, and given by JavaScript, which calls again. One thread, one result at a time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/checked_math.hpp"
#include "base/crc32.hpp"
#include "container/zip_samples.hpp"
#include "format/taco_header.hpp"
#include "format/tacocat_header.hpp"
#include "io/byte_source.hpp"
#include "io/coalesce.hpp"
#include "model/wkb.hpp"
#include "raster/codecs.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/picture.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/time_range.hpp"
#include "tortilla/header.hpp"
#include "wasm/one_thread.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace tacore {
namespace {

/// More would leave no room for the rest: a module has 2 GiB.
constexpr uint64_t kMostPixels = 1U << 30;
/// Writers make pages of about 1 MiB.
constexpr uint64_t kMostUnpacked = 1U << 28;

enum Status : int32_t { kOk = 0, kFailed = 1, kNeedsBytes = 2 };

/// Thrown where a read needs bytes that JavaScript has not given yet. Not an Error: no code may handle it.
struct NeedsBytes {
  std::vector<ByteRange> ranges;
};

/// The parts of a file that JavaScript has given.
class GivenSource final : public ByteSource {
 public:
  GivenSource(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  /// A read is a request: proofs are read together with the bytes that they are of.
  bool is_local() const noexcept override { return false; }
  bool has(ByteRange range) const override { return range.size == 0 || find(range) != nullptr; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    const ByteRange range{offset, out.size()};
    require_inside(range);
    if (out.empty()) return;
    const std::byte* from = find(range);
    if (!from) throw NeedsBytes{{range}};
    std::memcpy(out.data(), from, out.size());
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    std::vector<ByteRange> missing;
    for (const ByteRange& range : ranges) {
      require_inside(range);
      if (!has(range)) missing.push_back(range);
    }
    if (!missing.empty()) throw NeedsBytes{std::move(missing)};
    std::vector<Bytes> out;
    for (const ByteRange& range : ranges) out.push_back(ByteSource::read(range));
    return out;
  }

  void give(uint64_t offset, Bytes bytes) {
    parts_.erase(offset);
    parts_.emplace(offset, std::move(bytes));
  }
  void forget() { parts_.clear(); }

 private:
  const std::byte* find(ByteRange range) const {
    for (auto part = parts_.upper_bound(range.offset); part != parts_.begin();) {
      --part;
      const uint64_t inside = range.offset - part->first;
      if (inside <= part->second.size() && range.size <= part->second.size() - inside)
        return part->second.data() + inside;
    }
    return nullptr;
  }

  std::string name_;
  uint64_t size_;
  std::map<uint64_t, Bytes> parts_;
};

/// A file, with what was verified of it where it is a ZIP.
struct File {
  std::shared_ptr<GivenSource> source;
  std::shared_ptr<const ZipProofs> proofs = std::make_shared<ZipProofs>(true);
};

using Object = std::variant<std::monostate, File, std::shared_ptr<const ByteSource>, std::shared_ptr<const Raster>>;

std::vector<Object> objects;
Bytes result;

template <class T>
T& object(int32_t number) {
  const auto at = static_cast<std::size_t>(number);
  T* out = number >= 0 && at < objects.size() ? std::get_if<T>(&objects[at]) : nullptr;
  if (!out) throw QueryError("it has been closed");
  return *out;
}

std::size_t add(Object object) {
  std::size_t at = 0;
  while (at < objects.size() && !std::holds_alternative<std::monostate>(objects[at])) ++at;
  if (at == objects.size()) objects.emplace_back();
  objects[at] = std::move(object);
  return at;
}

// --- Results: numbers as doubles, text as UTF-8, or bytes

void give_back(std::span<const double> numbers) {
  result.resize(numbers.size_bytes());
  if (!numbers.empty()) std::memcpy(result.data(), numbers.data(), numbers.size_bytes());
}
void give_back(std::initializer_list<double> numbers) { give_back(std::span(numbers.begin(), numbers.size())); }

void give_back(std::string_view text) {
  result.resize(text.size());
  if (!text.empty()) std::memcpy(result.data(), text.data(), text.size());
}

void give_ranges(std::span<const ByteRange> ranges) {
  std::vector<double> numbers;
  for (const auto& range : ranges) {
    numbers.push_back(static_cast<double>(range.offset));
    numbers.push_back(static_cast<double>(range.size));
  }
  give_back(numbers);
}

/// The ranges of the levels, and that of COLLECTION.json last.
void give_layout(std::vector<ByteRange> levels, ByteRange collection) {
  levels.push_back(collection);
  give_ranges(levels);
}

/// An error as lines: the name of its code, the path, the offset (or nothing), the message.
void give_error(const char* code, const Error* error, const std::string& message) {
  const auto& where = error ? error->context() : ErrorContext();
  give_back(std::string(code) + '\n' + where.path + '\n' + (where.offset ? std::to_string(*where.offset) : "") + '\n' +
            message);
}

/// The result and status of the exception that is being handled. One function for all calls: the code of a handler is
/// large.
int32_t failed() {
  try {
    throw;
  } catch (const NeedsBytes& needs) {
    std::vector<ByteRange> ranges;
    for (const auto& merged : coalesce(needs.ranges, kRemoteCoalesceGap)) ranges.push_back(merged.range);
    give_ranges(ranges);
    return kNeedsBytes;
  } catch (const UnsupportedError& error) {
    give_error("UNSUPPORTED", &error, error.message());
  } catch (const FormatError& error) {
    give_error("FORMAT", &error, error.message());
  } catch (const QueryError& error) {
    give_error("QUERY", &error, error.message());
  } catch (const IoError& error) {
    give_error("IO", &error, error.message());
  } catch (const Error& error) {
    give_error("SCHEMA", &error, error.message());
  } catch (const std::bad_alloc&) {
    give_error("MEMORY", nullptr, "not enough memory");
  } catch (const std::length_error&) {
    give_error("MEMORY", nullptr, "not enough memory");
  } catch (const std::exception& error) {
    give_error("INTERNAL", nullptr, error.what());
  }
  return kFailed;
}

template <class Work>
int32_t guarded(const Work& work) {
  try {
    result.clear();
    work();
    return kOk;
  } catch (...) {
    return failed();
  }
}

uint64_t whole(double number, const char* what) {
  if (!(number >= 0 && number <= 9007199254740991.0)) throw QueryError(std::string(what) + ": a whole number expected");
  return static_cast<uint64_t>(number);
}

std::string text_of(const char* text, std::size_t size) { return {text, size}; }

std::span<const std::byte> bytes_of(const std::byte* bytes, std::size_t size) { return {bytes, size}; }

/// Throws QueryError unless `count` + 1 offsets ascend within `size` bytes.
void check_offsets(const uint32_t* offsets, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > size) throw QueryError("ascending offsets expected");
  }
}

/// Bytes of a file, of a part of it, or of a verified sample.
std::shared_ptr<const ByteSource> source_of(int32_t number) {
  const auto at = static_cast<std::size_t>(number);
  if (number >= 0 && at < objects.size()) {
    if (const auto* file = std::get_if<File>(&objects[at])) return file->source;
  }
  return object<std::shared_ptr<const ByteSource>>(number);
}

}  // namespace

// --- Memory

EXPORT(allocate) void* allocate(std::size_t size) { return std::malloc(size > 0 ? size : 1); }
EXPORT(release) void release(void* memory) { std::free(memory); }
EXPORT(result_data) const std::byte* result_data() { return result.data(); }
EXPORT(result_size) std::size_t result_size() { return result.size(); }
/// The warnings since the last call become the result.
EXPORT(take_warnings) void give_warnings() { give_back(take_warnings()); }
EXPORT(drop_result) void drop_result() { result = Bytes(); }
EXPORT(close) void close_object(int32_t number) {
  if (number >= 0 && static_cast<std::size_t>(number) < objects.size()) objects[static_cast<std::size_t>(number)] = {};
}

// --- Files and their parts. Each returns the number of an object

EXPORT(file_new) int32_t file_new(const char* name, std::size_t name_size, double size) {
  return guarded([&] {
    auto source = std::make_shared<GivenSource>(text_of(name, name_size), whole(size, "size"));
    give_back({static_cast<double>(add(File{std::move(source)}))});
  });
}
EXPORT(file_give) int32_t file_give(int32_t file, double offset, const std::byte* bytes, std::size_t size) {
  return guarded([&] {
    const auto given = bytes_of(bytes, size);
    object<File>(file).source->give(whole(offset, "offset"), Bytes(given.begin(), given.end()));
  });
}
EXPORT(file_forget) int32_t file_forget(int32_t file) {
  return guarded([&] { object<File>(file).source->forget(); });
}
/// A sample of a ZIP, which its local header, its CRC-32 or the central directory must confirm.
EXPORT(sample_new)
int32_t sample_new(int32_t file, const char* entry, std::size_t entry_size, const char* id, std::size_t id_size,
                   double offset, double size) {
  return guarded([&] {
    const File& zip = object<File>(file);
    const ZipEntry place{text_of(entry, entry_size),
                         text_of(id, id_size),
                         {whole(offset, "internal:offset"), whole(size, "internal:size")}};
    give_back({static_cast<double>(add(open_sample(zip.source, zip.proofs, place)))});
  });
}
/// The range of a sample of a ZIP, which its local header or the central directory confirms.
EXPORT(sample_place)
int32_t sample_place(int32_t file, const char* entry, std::size_t entry_size, const char* id, std::size_t id_size,
                     double offset, double size) {
  return guarded([&] {
    const File& zip = object<File>(file);
    const ByteRange place = prove_place(*zip.source, *zip.proofs,
                                        {text_of(entry, entry_size),
                                         text_of(id, id_size),
                                         {whole(offset, "internal:offset"), whole(size, "internal:size")}});
    give_ranges({&place, 1});
  });
}
EXPORT(part_new) int32_t part_new(int32_t file, double offset, double size) {
  return guarded([&] {
    give_back(
        {static_cast<double>(add(slice(object<File>(file).source, {whole(offset, "offset"), whole(size, "size")})))});
  });
}
EXPORT(source_read) int32_t source_read(int32_t source) {
  return guarded([&] { result = again_if_moved([&] { return source_of(source)->read_all(); }); });
}

// --- Headers

EXPORT(taco_header) int32_t read_taco_header(const std::byte* bytes, std::size_t size, double file_size) {
  return guarded([&] {
    const auto header = taco_header::parse(bytes_of(bytes, size), whole(file_size, "size"));
    give_layout(header.levels, header.collection);
  });
}
EXPORT(tacocat_header) int32_t read_tacocat_header(const std::byte* bytes, std::size_t size, double file_size) {
  return guarded([&] {
    const auto header = tacocat_header::parse(bytes_of(bytes, size), whole(file_size, "size"));
    give_layout(header.levels, header.collection);
  });
}
/// Of a `.tortilla` or `.taco`: 1 for the latter, the number of files, the table of samples, and COLLECTION where there
/// is one.
EXPORT(v1_header)
int32_t read_v1_header(const std::byte* bytes, std::size_t size, double container_size, double begin) {
  return guarded([&] {
    const auto header = v1::parse_header(bytes_of(bytes, size), whole(container_size, "size"), whole(begin, "offset"));
    std::vector<double> out{static_cast<double>(header.kind == v1::Kind::Taco),
                            static_cast<double>(header.num_partitions)};
    for (const auto& range : {std::optional(header.footer), header.collection}) {
      if (!range) continue;
      out.push_back(static_cast<double>(range->offset));
      out.push_back(static_cast<double>(range->size));
    }
    give_back(out);
  });
}
EXPORT(crc32) uint32_t checksum(const std::byte* bytes, std::size_t size) {
  return tacore::crc32(bytes_of(bytes, size));
}

// --- Places and times

/// For each of `count` geometries (offsets into `bytes`, count + 1 of them) one byte: 1 when it meets the box.
EXPORT(meets_wkb)
int32_t meets_wkb(const std::byte* bytes, std::size_t size, const uint32_t* offsets, std::size_t count, double west,
                  double south, double east, double north) {
  return guarded([&] {
    check_offsets(offsets, count, size);
    const BoxTest box({west, south, east, north});
    result.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      result[i] = std::byte{box.meets_wkb({bytes + offsets[i], offsets[i + 1] - offsets[i]})};
  });
}
/// The same of texts, of which 2 is no point.
EXPORT(meets_wkt)
int32_t meets_wkt(const char* text, std::size_t size, double west, double south, double east, double north) {
  return guarded([&] {
    const auto found = BoxTest({west, south, east, north}).meets_wkt({text, size});
    give_back({found ? static_cast<double>(*found) : 2});
  });
}
/// The same of pairs of longitude and latitude.
EXPORT(meets_points)
int32_t meets_points(const double* xy, std::size_t count, double west, double south, double east, double north) {
  return guarded([&] {
    const BoxTest box({west, south, east, north});
    result.resize(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = std::byte{box.meets_point(xy[2 * i], xy[2 * i + 1])};
  });
}
/// The envelope of each geometry: west, south, east, north; not a number for an empty one.
EXPORT(envelopes)
int32_t envelopes(const std::byte* bytes, std::size_t size, const uint32_t* offsets, std::size_t count) {
  return guarded([&] {
    check_offsets(offsets, count, size);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
      const auto box = wkb_envelope({bytes + offsets[i], offsets[i + 1] - offsets[i]});
      const double none = std::numeric_limits<double>::quiet_NaN();
      for (const double side :
           box ? std::array{box->minx, box->miny, box->maxx, box->maxy} : std::array{none, none, none, none})
        out.push_back(side);
    }
    give_back(out);
  });
}
/// Two int64 of microseconds since 1970; an open side is the smallest or largest.
EXPORT(time_range) int32_t time_range(const char* text, std::size_t size) {
  return guarded([&] {
    const TimeRange range = TimeRange::parse({text, size});
    result.resize(16);
    std::memcpy(result.data(), &range.start.microseconds, 8);
    std::memcpy(result.data() + 8, &range.end.microseconds, 8);
  });
}

/// For each of `count` texts the int64 of microseconds since 1970, the smallest for one that is no time by RFC 3339.
EXPORT(times)
int32_t times_of(const char* text, std::size_t size, const uint32_t* offsets, std::size_t count) {
  return guarded([&] {
    check_offsets(offsets, count, size);
    result.resize(count * sizeof(int64_t));
    for (std::size_t i = 0; i < count; ++i) {
      int64_t time = std::numeric_limits<int64_t>::min();
      try {
        time = Timestamp::parse({text + offsets[i], offsets[i + 1] - offsets[i]}).microseconds;
      } catch (const QueryError&) {  // it stays none
      }
      std::memcpy(result.data() + i * sizeof(time), &time, sizeof(time));
    }
  });
}

// --- Pages of Parquet

/// Exactly `expected` bytes.
EXPORT(unpack_zstd) int32_t unpack_zstd(const std::byte* bytes, std::size_t size, double expected) {
  return guarded([&] {
    const uint64_t wanted = whole(expected, "size of a page");
    if (wanted > kMostUnpacked || wanted > most_decompressed(Compression::Zstd, size))
      throw FormatError("a page of " + std::to_string(size) + " bytes cannot hold " + std::to_string(wanted));
    Bytes out(static_cast<std::size_t>(wanted));
    decompress(Compression::Zstd, bytes_of(bytes, size), out, size);
    result = std::move(out);
  });
}

// --- Rasters

EXPORT(raster_new) int32_t raster_new(int32_t source) {
  return guarded([&] {
    auto bytes = source_of(source);
    auto directory = again_if_moved([&] { return find_tiff_directory(*bytes); });
    if (!directory) throw UnsupportedError("it is not a TIFF", {.path = bytes->name()});
    if (!directory->unsupported.empty())
      throw UnsupportedError("TIFF with " + directory->unsupported + ", which this reader does not decode",
                             {.path = bytes->name()});
    const std::string name = bytes->name();
    give_back({static_cast<double>(add(make_tiff_raster(std::move(bytes), std::move(directory->layout), name)))});
  });
}
/// Width, height, bands, type, block width and height, predictor, whether there is a no-data value, that value; then
/// for the georeference whether there is a transform, and its six numbers.
EXPORT(raster_about) int32_t raster_about(int32_t number) {
  return guarded([&] {
    const auto& raster = object<std::shared_ptr<const Raster>>(number);
    const RasterInfo& info = raster->info();
    const auto nodata = raster->nodata();
    const Georeference where = raster->georeference();
    std::vector<double> out{static_cast<double>(info.width),
                            static_cast<double>(info.height),
                            static_cast<double>(info.bands),
                            static_cast<double>(info.type),
                            static_cast<double>(info.block_width),
                            static_cast<double>(info.block_height),
                            static_cast<double>(info.predictor),
                            static_cast<double>(nodata.has_value()),
                            nodata.value_or(0),
                            static_cast<double>(where.geotransform.has_value())};
    for (const double each : where.geotransform.value_or(std::array<double, 6>{})) out.push_back(each);
    give_back(out);
  });
}
/// Compression, interleave and CRS, as lines.
EXPORT(raster_texts) int32_t raster_texts(int32_t number) {
  return guarded([&] {
    const auto& raster = object<std::shared_ptr<const Raster>>(number);
    give_back(raster->info().compression + '\n' + raster->info().interleave + '\n' + raster->georeference().crs);
  });
}
/// Pixels of the type that is stored, of shape (bands, height, width). `bands` from 1, none: all. `window`: x, y,
/// width, height.
EXPORT(raster_read)
int32_t raster_read(int32_t number, const int32_t* bands, std::size_t num_bands, const double* window) {
  return guarded([&] {
    const auto& raster = object<std::shared_ptr<const Raster>>(number);
    const RasterInfo& info = raster->info();
    std::vector<int> wanted(bands, bands + num_bands);
    for (int band = 1; num_bands == 0 && band <= info.bands; ++band) wanted.push_back(band);
    const auto side = [&](int i) {
      if (!(window[i] >= -9007199254740991.0 && window[i] <= 9007199254740991.0))
        throw QueryError("window: whole numbers expected");
      return static_cast<int64_t>(window[i]);
    };
    const Window part{side(0), side(1), side(2), side(3)};
    // A window that is not inside is refused by read(), whatever the size of its memory.
    const bool is_inside =
        part.width >= 0 && part.height >= 0 && part.width <= info.width && part.height <= info.height;
    uint64_t size = wanted.size() * size_of(info.type);
    if (is_inside) {
      size = checked_multiply(size, static_cast<uint64_t>(part.width), "size of the pixels");
      size = checked_multiply(size, static_cast<uint64_t>(part.height), "size of the pixels");
    }
    if (size > kMostPixels)
      throw QueryError(std::to_string(size) + " bytes of pixels; read a smaller window, of at most 1 GiB",
                       {.path = raster->name()});
    Bytes out(static_cast<std::size_t>(size));
    raster->read(wanted, part, out);
    result = std::move(out);
  });
}
/// A small picture: its width, height and number of channels as three doubles, then 8 bits for each channel of each
/// pixel.
EXPORT(raster_preview)
int32_t raster_preview(int32_t number, const int32_t* bands, std::size_t num_bands, int32_t size) {
  return guarded([&] {
    const Picture picture =
        preview(*object<std::shared_ptr<const Raster>>(number), {.bands = {bands, bands + num_bands}, .size = size});
    give_back({static_cast<double>(picture.width), static_cast<double>(picture.height),
               static_cast<double>(picture.channels)});
    result.insert(result.end(), picture.samples.begin(), picture.samples.end());
  });
}

}  // namespace tacore
