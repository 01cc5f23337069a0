#include "tortilla/file_format.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/text.hpp"
#include "format/tortilla_names.hpp"
#include "tacore/error.hpp"
#include "tortilla/header.hpp"
#include "writer/payload_reader.hpp"

namespace tacore::v1 {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kFormats =
    "VRT DERIVED GTiff COG NITF RPFTOC ECRGTOC HFA SAR_CEOS CEOS JAXAPALSAR GFF ELAS ESRIC AIG AAIGrid GRASSASCIIGrid "
    "ISG SDTS DTED PNG JPEG MEM JDEM GIF BIGGIF ESAT FITS BSB XPM BMP DIMAP AirSAR RS2 SAFE PCIDSK PCRaster ILWIS SGI "
    "SRTMHGT Leveller Terragen netCDF HDF4 HDF4Image ISIS3 ISIS2 PDS PDS4 VICAR TIL ERS JP2OpenJPEG L1B FIT GRIB RMF "
    "WCS WMS MSGN RST GSAG GSBG GS7BG COSAR TSX COASP R MAP KMLSUPEROVERLAY WEBP PDF Rasterlite MBTiles PLMOSAIC CALS "
    "WMTS SENTINEL2 MRF PNM DOQ1 DOQ2 PAux MFF MFF2 GSC FAST BT LAN CPG NDF EIR DIPEx LCP GTX LOSLAS NTv2 CTable2 ACE2 "
    "SNODAS KRO ROI_PAC RRASTER BYN NOAA_B NSIDCbin ARG RIK USGSDEM GXF BAG S102 HDF5 HDF5Image NWT_GRD NWT_GRC ADRG "
    "SRP BLX PostGISRaster SAGA XYZ HF2 OZI CTG ZMap NGSGEOID IRIS PRF EEDAI DAAS SIGDEM HEIF TGA OGCAPI STACTA STACIT "
    "GPKG OpenFileGDB CAD PLSCENES NGW GenBin ENVI EHdr ISCE Zarr HTTP JPEGXL AVIF GeoJSON GeoJSONSeq FlatGeobuf "
    "Parquet "
    "Arrow KML LIBKML GML GPX CSV SQLite TopoJSON MVT DXF DGN S57 BYTES TORTILLA";

/// The signature of a format: bytes from `at` on and, where several formats share these, the extension.
struct Signature {
  std::size_t at;
  std::string_view bytes;
  std::string_view format;
  std::string_view suffix = "";
};

constexpr Signature kSignatures[] = {
    {0, "II*\0"sv, "GTiff"},
    {0, "MM\0*"sv, "GTiff"},
    {0, "II+\0"sv, "GTiff"},
    {0, "MM\0+"sv, "GTiff"},
    {0, "\x89PNG\r\n\x1a\n", "PNG"},
    {0, "\xff\xd8\xff", "JPEG"},
    {0, "\0\0\0\x0cjP  \r\n\x87\n"sv, "JP2OpenJPEG"},
    {0, "\xff\x4f\xff\x51", "JP2OpenJPEG"},
    {0, "CDF\x01", "netCDF"},
    {0, "CDF\x02", "netCDF"},
    {0, "CDF\x05", "netCDF"},
    {0, "\x89HDF\r\n\x1a\n", "netCDF", ".nc"},
    {0, "\x89HDF\r\n\x1a\n", "HDF5"},
    {0, "\x0e\x03\x13\x01", "HDF4"},
    {0, "GRIB", "GRIB"},
    {0, "GIF8", "GIF"},
    {8, "WEBP", "WEBP"},
    {4, "ftypheic", "HEIF"},
    {4, "ftypavif", "AVIF"},
    {4, "ftypavis", "AVIF"},
    {0, "\xff\x0a", "JPEGXL"},
    {0, "\0\0\0\x0cJXL \r\n\x87\n"sv, "JPEGXL"},
    {0,
     "fgb\x03"
     "fgb",
     "FlatGeobuf"},
    {0, "PAR1", "Parquet"},
    {0, "SIMPLE  =", "FITS"},
    {0, "EHFA_HEADER_TAG", "HFA"},
    {0, "NITF0", "NITF"},
    {0, "NSIF0", "NITF"},
    {0, "%PDF-", "PDF"},
    {0, "SQLite format 3\0"sv, "GPKG", ".gpkg"},
    {0, "SQLite format 3\0"sv, "MBTiles", ".mbtiles"},
    {0, "BM", "BMP", ".bmp"},
    {0, "<VRTDataset", "VRT"},
    // Text formats, or binary ones without a signature.
    {0, "", "VRT", ".vrt"},
    {0, "", "AAIGrid", ".asc"},
    {0, "", "SRTMHGT", ".hgt"},
    {0, "", "DTED", ".dt0"},
    {0, "", "DTED", ".dt1"},
    {0, "", "DTED", ".dt2"},
    {0, "", "GeoJSON", ".geojson"},
    {0, "", "KML", ".kml"},
};

/// Parses the header: a magic of only two bytes may be a coincidence.
bool is_tortilla(std::span<const std::byte> head, uint64_t size) {
  if (!is_header(head)) return false;
  try {
    parse_header(head, size);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

}  // namespace

std::string spelled_format(std::string_view name) {
  static const auto known = [] {
    std::map<std::string, std::string> out;
    for (const auto& format : split(kFormats, ' ')) out.emplace(lower(format), format);
    return out;
  }();
  const auto found = known.find(lower(name));
  return found == known.end() ? std::string(name) : found->second;
}

std::string guess_format(std::span<const std::byte> head, uint64_t size, std::string_view path) {
  if (is_tortilla(head, size)) return std::string(names::kTortilla);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (const auto& [at, bytes, format, suffix] : kSignatures) {
    if (text.size() >= at && text.substr(at).starts_with(bytes) && ends_with_ignoring_case(path, suffix))
      return std::string(format);
  }
  // Text formats with a typical beginning.
  const auto first = std::min(text.find_first_not_of("\xEF\xBB\xBF \t\r\n"), text.size());
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  if (text.substr(first).starts_with('{') && (has("\"FeatureCollection\"") || has("\"Feature\""))) return "GeoJSON";
  if (text.substr(first).starts_with('<') && has("<kml")) return "KML";
  return std::string(names::kBytes);
}

bool is_known_format(std::string_view name) {
  const auto all = split(kFormats, ' ');
  return std::ranges::any_of(all, [&](const auto& format) { return lower(format) == lower(name); });
}

bool has_signature(std::string_view format) {
  return std::ranges::any_of(kSignatures, [&](const Signature& s) { return s.format == format && !s.bytes.empty(); });
}

bool same_signature(std::string_view format, std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return std::ranges::any_of(kSignatures, [&](const Signature& s) {
    return s.format == format && text.size() >= s.at && text.substr(s.at).starts_with(s.bytes);
  });
}

Bytes read_head(const Payload& payload) {
  Bytes out(std::min<uint64_t>(payload.size, kHeaderSize));
  if (!out.empty()) PayloadReader(payload).read(out);
  return out;
}

std::string guess_format(const Payload& payload) {
  // The name of a file that contains more than the sample does not give its format.
  std::string out = guess_format(read_head(payload), payload.size, payload.part ? "" : payload.path);
  if (out != "HDF5") return out;
  // A netCDF-4 file is an HDF5 file whose root group names the netCDF library.
  constexpr std::string_view kMark = "_NCProperties";
  constexpr uint64_t kRoot = 64 * 1024;
  Bytes begin(std::min(payload.size, kRoot));
  PayloadReader(payload).read(begin);
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  return text.find(kMark) == text.npos ? out : "netCDF";
}

}  // namespace tacore::v1
