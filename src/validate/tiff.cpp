#include "validate/tiff.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "container/tiff_index_file.hpp"
#include "container/zip_offsets.hpp"
#include "format/tortilla_names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/row_source.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "raster/tiff_structure.hpp"
#include "tacore/dataset.hpp"
#include "tortilla/file_format.hpp"
#include "tortilla/header.hpp"
#include "validate/sample_faults.hpp"

namespace tacore::validator {
namespace {

/// The index that the directory of the TIFF gives, in the form of `header`.
std::string header_of(const TiffLayout& layout, std::string_view header) {
  return header.starts_with("LOVE") ? encode_tacotiff_header(layout) : encode_tiff_structure(layout);
}

/// How `header` differs from the TIFF in `source`; "" when they agree.
std::string why_other(const ByteSource& source, std::string_view header) {
  try {
    const TiffDirectory directory = read_tiff_directory(source);
    if (!directory.unsupported.empty()) return "the TIFF has " + directory.unsupported;
    return header_of(directory.layout, header) == header ? "" : "its tiles or their encoding differ";
  } catch (const FormatError& error) {
    return error.message();
  } catch (const ValidationError& error) {
    return "the TIFF " + error.message();
  }
}

/// File types with a signature, and their file extensions.
struct Ending {
  std::string_view suffix, format;
};
constexpr Ending kEndings[] = {{".tif", "GTiff"}, {".tiff", "GTiff"},      {".png", "PNG"}, {".jpg", "JPEG"},
                               {".jpeg", "JPEG"}, {".jp2", "JP2OpenJPEG"}, {".gif", "GIF"}, {".webp", "WEBP"}};

std::string found_format(const ByteSource& source) {
  const Bytes head = source.read({0, std::min(source.size(), v1::kHeaderSize)});
  return v1::guess_format(head, source.size(), "");
}

/// Reads every pixel of a TIFF that tacore can decode.
void decode(const std::shared_ptr<const ByteSource>& source, const std::string& name) {
  auto directory = find_tiff_directory(*source);
  if (!directory || !directory->unsupported.empty()) return;
  const auto raster = make_tiff_raster(source, std::move(directory->layout), name);
  std::vector<int> bands(static_cast<std::size_t>(raster->info().bands));
  std::iota(bands.begin(), bands.end(), 1);
  for_each_piece(*raster, bands, [](std::size_t, std::span<const std::byte>) {});
}

/// The faults of a sample and of all samples below it.
void collect(const DataFrame& frame, int64_t position, const std::string& above, int level,
             std::vector<PlacedFault>& out) {
  const std::string id = frame.text(position, "id").value_or("");
  if (is_padding_id(id)) return;
  const std::string path = above.empty() ? id : above + "/" + id;
  try {
    const Node node = level < v1::kMaxLevels ? frame.read(position) : Node(VsiPath());
    if (const auto* children = std::get_if<DataFrame>(&node)) {
      for (int64_t child = 0; child < children->num_rows(); ++child) collect(*children, child, path, level + 1, out);
      return;
    }
    for (auto& fault : sample_faults(frame, position))
      out.push_back({std::string(fault.rule), std::move(fault.message), path, level});
  } catch (const IoError& error) {  // about another file than the dataset, which its text names
    out.push_back({"FMT-1", error.what(), path, level});
  } catch (const Error& error) {
    out.push_back({"FMT-1", error.message(), path, level});
  }
}

}  // namespace

std::vector<SampleFault> sample_faults(const DataFrame& frame, int64_t position) {
  const RowSource row = open_row(frame, position);
  const std::string found = found_format(*row.bytes), id = frame.text(position, "id").value_or("");
  std::vector<SampleFault> out;
  const auto& columns = frame.columns();
  const bool has_format =
      std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.name == v1::columns::kFileFormat; });
  std::string stated = has_format ? frame.text(position, v1::columns::kFileFormat).value_or("") : "";
  if (stated == "COG") stated = "GTiff";
  const bool is_known =
      std::any_of(std::begin(kEndings), std::end(kEndings), [&](const Ending& kind) { return kind.format == stated; });
  if (is_known && found != stated) out.push_back({"TIF-4", "its first bytes are not those of the format " + stated});
  for (const Ending& kind : kEndings) {
    if (!has_format && ends_with_ignoring_case(id, kind.suffix) && found != kind.format) {
      out.push_back({"TIF-5", "its file extension is that of the format " + std::string(kind.format) +
                                  ", but its first bytes are not"});
    }
  }
  try {
    decode(row.bytes, row.vsi_path);
  } catch (const FormatError& error) {
    out.push_back({"TIF-3", error.message()});
  }
  return out;
}

std::vector<PlacedFault> faults_of_samples(const std::string& path, const std::string& base_path, int jobs,
                                           std::size_t part, std::size_t num_parts) {
  const DataFrame rows = load(path, {.base_path = base_path}).data();
  const auto num_rows = static_cast<std::size_t>(rows.num_rows());
  const std::size_t begin = num_rows * part / num_parts, end = num_rows * (part + 1) / num_parts;
  std::vector<std::vector<PlacedFault>> found(end - begin);
  run_parallel(found.size(), num_threads(jobs),
               [&](std::size_t i) { collect(rows, static_cast<int64_t>(begin + i), "", 0, found[i]); });
  std::vector<PlacedFault> out;
  for (auto& of_row : found) std::ranges::move(of_row, std::back_inserter(out));
  return out;
}

void tell_faults(Report& report, const std::string& path, std::span<const PlacedFault> faults) {
  for (const auto& [rule, message, sample, level] : faults) {
    report.add(rule, "sample " + in_quotes(sample) + ": " + message, {.path = path, .offset = {}, .level = level});
  }
}

void check_header_file(Report& report, const Storage& storage, const Container& container, const std::string& path,
                       const std::string& base, bool deep) {
  const std::string name = header_file_path(path);
  const ErrorContext where{.path = name};
  const auto file = name.empty() ? nullptr : TiffIndexFile::open(storage, name, container, [&](const std::string& why) {
    report.add("TIF-6", why, where);
  });
  OpenDirectory zip;  // of the previous row: rows are in the order of their ZIPs
  for (int64_t i = 0; file && i < file->num_rows(); ++i) {
    const HeaderRow row = file->row(i);
    if (i == 0 || row.source_file != file->row(i - 1).source_file) {
      zip.archive = storage.open(row.source_file.empty() ? path : path_of_name(base, row.source_file), kReadZip);
      zip.directory = std::make_shared<const ZipDirectory>(*zip.archive);
    }
    const auto place = zip.directory->find(*zip.archive, entry_name(row.relative_path, SampleType::File));
    if (!place || static_cast<int64_t>(place->range.size) != row.size || place->crc32 != row.crc32) {
      report.add("TIF-6",
                 "the TIFF index of " + in_quotes(row.relative_path) + " was made from " + std::to_string(row.size) +
                     " bytes with CRC-32 " + std::to_string(row.crc32) + ", " + zip.archive->name() + " has " +
                     (place ? std::to_string(place->range.size) + " with " + std::to_string(place->crc32) : "none"),
                 where);
      continue;
    }
    const HeaderCell cell{.row = in_quotes(row.relative_path),
                          .header = row.header,
                          .size = place->range.size,
                          .source = deep ? slice(zip.archive, place->range) : nullptr};
    check_tiff_header(report, cell, where);
  }
}

void check_tiff_header(Report& report, const HeaderCell& cell, const ErrorContext& where) {
  try {
    layout_from_header(cell.header, cell.size, where.path);
  } catch (const FormatError& error) {
    report.add("TIF-1", cell.row + ": " + error.message(), where);
    return;
  }
  if (!cell.source) return;
  if (const auto why = why_other(*cell.source, cell.header); !why.empty()) {
    report.add("TIF-2", cell.row + ": the TIFF index is not that of the sample's TIFF: " + why, where);
  }
}

}  // namespace tacore::validator
