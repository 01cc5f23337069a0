#include "tacore/extensions/tiff_index.hpp"

#include <optional>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "tacore/error.hpp"
#include "writer/sample_source.hpp"

namespace tacore::extensions {
namespace {

/// All reasons why this TIFF has no index.
std::vector<std::string> why_none(const TiffDirectory& directory) {
  if (!directory.unsupported.empty()) return {"has " + directory.unsupported};
  return why_no_tacotiff_header(directory.layout);
}

/// The index of a TIFF; nothing for a TIFF that cannot have one.
std::optional<std::string> header_of(const TiffDirectory& directory, const std::string& path, const std::string& id,
                                     bool skip_others) {
  if (const auto why = why_none(directory); !why.empty()) {
    if (skip_others) return std::nullopt;
    throw SchemaError("[" + id + "] no TacoTIFF header for " + in_quotes(path) + ": it " + join(why, "; it "));
  }
  return encode_tacotiff_header(directory.layout);
}

/// The column of a level; nothing when no sample has an index.
std::optional<MetadataColumn> column_of(const Tortilla& samples, int level, const TiffIndexOptions& options) {
  const auto ids = samples.ids(level);
  OrderedWork<std::optional<std::string>> work(
      std::vector<uint64_t>(ids.size(), 1), 4096, num_threads(options.jobs),
      [&](std::size_t row) -> std::optional<std::string> {
        const auto source = source_of(samples, level, row);
        const auto directory = source ? find_tiff_directory(*source) : std::nullopt;
        if (!directory) return std::nullopt;
        return header_of(*directory, source->name(), ids[row], options.skip_others);
      });
  const auto field = TiffIndex().schema().front();
  MetadataColumn out{field.name, {}, field.type, field.description};
  bool found = false;
  while (auto header = work.next()) {
    found = found || header->has_value();
    Value& value = out.values.emplace_back();
    if (*header) value = Binary{std::move(**header)};
  }
  return found ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::vector<FieldDescription> TiffIndex::schema() const {
  return {{"taco:header", "binary",
           "TacoTIFF header: the place of every tile, so that pixels are read without opening the TIFF"}};
}

std::vector<Value> TiffIndex::compute(const Sample& sample) const {
  const auto source = source_of(sample);
  return {Binary{*header_of(read_tiff_directory(*source), source->name(), sample.id(), false)}};
}

Tortilla with_tiff_index(const Tortilla& samples, const TiffIndexOptions& options) {
  Tortilla out = samples;
  bool found = false;
  for (int level = 0; level <= samples.depth(); ++level) {
    auto column = column_of(samples, level, options);
    if (!column) continue;
    found = true;
    out = out.extend_with({std::move(*column)}, level);
  }
  if (!found) throw SchemaError("no sample is a TIFF that has a TacoTIFF header");
  return out;
}

}  // namespace tacore::extensions
