#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tacore/bbox.hpp>
#include <tacore/dataset.hpp>
#include <tacore/raster/raster.hpp>
#include <tacore/time_range.hpp>
#include <tacore/write/parquet_options.hpp>
#include <tacore/write/tabular.hpp>

#include "commands.hpp"

/// Arguments whose text means something. All throw UsageError.
namespace tacore::cli {

/// "xmin,ymin,xmax,ymax" in degrees; xmin > xmax crosses the antimeridian.
BBox parse_bbox(const std::string& text);
/// "A/B" as TimeRange::parse takes it.
TimeRange parse_datetime(const std::string& text);
tabular::Encoding parse_format(const std::string& text);
ColumnMode parse_mode(const std::string& text);
/// "stac", "stac-geoparquet", "geoparquet", "croissant", "datacite", "card", "markdown" or "html".
Description parse_description(const std::string& text);
/// "2026" or "2026-11-23", the date of publication.
std::string parse_published(const std::string& text);
/// A whole number from 0 on.
int parse_count(const std::string& option, const std::string& text);
/// "1,2": bands, which count from 1.
std::vector<int> parse_bands(const std::string& text);
/// "raise" or "skip".
OnError parse_on_error(const std::string& text);
/// "huggingface", "zenodo" or "source-cooperative".
Platform parse_platform(const std::string& text);
/// "x,y,width,height" in pixels.
Window parse_window(const std::string& text);
/// "Name: value".
std::pair<std::string, std::string> parse_http_header(const std::string& text);
/// "OLD=NEW"; the last = is the one between them, and OLD may be empty, as the name of a column is that has none.
std::pair<std::string, std::string> parse_rename(const std::string& text);
/// A number in [0, 1].
double parse_share(const std::string& option, const std::string& text);
/// KEY=VALUE, a key being a member of ParquetOptions; switches are "on" or "off".
void set_parquet(ParquetOptions& options, const std::string& setting);

/// "4GB" in bytes, as parse_size() takes it.
uint64_t parse_bytes(const std::string& option, const std::string& text);

/// `taco FILE` is `taco info FILE`: puts "info" in front when the first argument that is no option is none of
/// `commands` but may name a dataset. `options` take the argument that follows them.
std::vector<std::string> with_command(std::vector<std::string> arguments, const std::vector<std::string>& commands,
                                      const std::vector<std::string>& options);

}  // namespace tacore::cli
