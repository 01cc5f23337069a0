#include "base/text.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_structure.hpp"
#include "transform/validate_checks.hpp"

namespace tacore::validator {
namespace {

/// The header that the directory of the TIFF asks for, in the form of `header`.
std::string header_of(const TiffLayout& layout, std::string_view header) {
  return header.starts_with("LOVE") ? encode_tacotiff_header(layout) : encode_tiff_structure(layout);
}

/// What the TIFF in `source` has against `header`; "" when it is its own.
std::string why_other(const ByteSource& source, std::string_view header) {
  try {
    const TiffDirectory directory = read_tiff_directory(source);
    if (!directory.unsupported.empty()) return "it has " + directory.unsupported;
    return header_of(directory.layout, header) == header ? "" : "its own header is another";
  } catch (const FormatError& error) {
    return error.message();
  } catch (const ValidationError& error) {
    return "it " + error.message();
  }
}

}  // namespace

void check_tiff_header(Report& report, const HeaderCell& cell, const ErrorContext& where) {
  try {
    layout_from_header(cell.header, cell.size, where.path);
  } catch (const FormatError& error) {
    report.add("TIF-1", cell.row + ": " + error.message(), where);
    return;
  }
  if (!cell.source) return;
  if (const auto why = why_other(*cell.source, cell.header); !why.empty()) {
    report.add("TIF-2", cell.row + ": the header is not that of the sample's TIFF: " + why, where);
  }
}

}  // namespace tacore::validator
