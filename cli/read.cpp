#include <optional>
#include <string_view>

#include <tacore/dataset.hpp>
#include <tacore/error.hpp>
#include <tacore/plumbing/apart.hpp>
#include <tacore/raster/picture.hpp>
#include <tacore/v1/chunks.hpp>

#include "commands.hpp"
#include "loaded_library.hpp"
#include "npy.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

/// What `body` returns; its errors name the sample as the user does.
template <class Body>
auto about(const std::string& id, const std::string& path, const Body& body) {
  const auto named = [&](const Error& error) { return in_quotes(id) + ": " + error.message(); };
  try {
    return body();
  } catch (const FormatError& error) {
    throw FormatError(named(error), {.path = path});
  } catch (const QueryError& error) {
    throw QueryError(named(error), {.path = path});
  } catch (const IoError& error) {
    // The file need not be the dataset; the reason is in the message.
    throw IoError(named(error), error.context());
  }
}

/// What `body` returns of a FILE; a FOLDER is named as the user does. Nothing is asked about its path before: that
/// would prove it, which the bytes do by themselves.
template <class Body>
auto of_file(const DataFrame& rows, const std::string& id, const Body& body) {
  try {
    return body();
  } catch (const NavigationError&) {
    (void)rows.vsi_path(id);
    throw;
  }
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Before pixels are read.
void check_png(const RasterInfo& info, const PixelOptions& pixels) {
  const std::size_t bands = pixels.bands.empty() ? static_cast<std::size_t>(info.bands) : pixels.bands.size();
  if (bands > 4) {
    throw UsageError("--png holds one to four bands, found " + std::to_string(bands) + "; --bands chooses");
  }
  if (info.type == DataType::UInt8 || info.type == DataType::UInt16) return;
  throw UsageError(std::string("--png holds uint8 and uint16, found ") + to_string(info.type) +
                   "; --npy holds all, and taco preview stretches");
}

/// A chunk of a raster, "lrf::2", which no sample is called.
std::optional<Tensor> read_chunk(const DataFrame& rows, const ReadOptions& options) {
  if (options.id.find("::") == std::string::npos) return std::nullopt;
  v1::Datum datum = v1::read(rows, options.id);
  auto* chunk = std::get_if<Tensor>(&datum);
  if (!chunk) return std::nullopt;
  if (!options.pixels.npy && !options.pixels.png) throw UsageError("a chunk has pixels: --npy or --png expected");
  if (!options.pixels.bands.empty() || options.pixels.window)
    throw UsageError("--bands and --window choose pixels of a raster; a chunk is read whole");
  if (options.pixels.png) {
    if (chunk->shape().size() != 3) throw UsageError("--png holds rasters, found a chunk of more than three axes");
    check_png({.bands = static_cast<int>(chunk->shape()[0]), .type = chunk->type()}, options.pixels);
  }
  return std::move(*chunk);
}

Tensor read_raster(const DataFrame& rows, const ReadOptions& options) {
  return about(options.id, options.path, [&] {
    const auto raster = open_raster(rows, options.id, raster_opener());
    if (options.pixels.png) check_png(raster->info(), options.pixels);
    return read_tensor(*raster, {.bands = options.pixels.bands, .window = options.pixels.window});
  });
}

void write_pixels(const Tensor& pixels, const Dataset& dataset, const ReadOptions& options) {
  with_output(options.output, files_of(dataset), [&](tabular::Output& output) {
    if (options.pixels.png) return output.write(text_of(encode_png(to_picture(pixels))));
    output.write(npy_header(pixels));
    output.write(text_of(pixels.bytes()));
  });
}

}  // namespace

int run_read(const ReadOptions& options) {
  const bool is_pixels = options.pixels.npy || options.pixels.png;
  if (!is_pixels && (!options.pixels.bands.empty() || options.pixels.window)) {
    throw UsageError("--bands and --window choose pixels, which --npy or --png asks for");
  }
  if (!options.vsi) refuse_terminal(options.output);
  const Dataset dataset = load(options.path, options.load);
  const DataFrame rows = dataset.data();
  if (const auto chunk = read_chunk(rows, options)) {
    write_pixels(*chunk, dataset, options);
    return 0;
  }
  if (is_pixels) {
    write_pixels(of_file(rows, options.id, [&] { return read_raster(rows, options); }), dataset, options);
    return 0;
  }
  if (options.vsi) {
    const std::string path = rows.vsi_path(options.id).value;
    with_output(options.output, files_of(dataset), [&](tabular::Output& output) { output.write(path + "\n"); });
    return 0;
  }
  const Bytes bytes = of_file(rows, options.id, [&] { return rows.read_bytes(options.id); });
  with_output(options.output, files_of(dataset), [&](tabular::Output& output) { output.write(text_of(bytes)); });
  return 0;
}

int run_preview(const PreviewCommandOptions& options) {
  if (options.preview.size < 1 || options.preview.size > 16384) {
    throw UsageError("--size is " + std::to_string(options.preview.size) + ", expected 1 to 16384");
  }
  refuse_terminal(options.output);
  const Dataset dataset = load(options.path, options.load);
  const DataFrame rows = dataset.data();
  const Picture picture = of_file(rows, options.id, [&] {
    return about(options.id, options.path,
                 [&] { return preview(*open_raster(rows, options.id, raster_opener()), options.preview); });
  });
  with_output(options.output, files_of(dataset),
              [&](tabular::Output& output) { output.write(text_of(encode_png(picture))); });
  return 0;
}

}  // namespace tacore::cli
