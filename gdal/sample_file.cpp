#include "sample_file.hpp"

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <fcntl.h>
#include <gdal_priv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <string_view>
#include <vector>

#include "gdal_error.hpp"
#include "one_file_only.hpp"
#include "tacore/error.hpp"

namespace tacore::gdal {

namespace {

/// Drivers that follow references to other files or hosts, which an untrusted sample must not cause.
const std::set<std::string_view> kFollowing = {
    "VRT",      "DERIVED",         "GTI",    "WMS",        "WMTS",          "WCS",       "HTTP",         "PLMOSAIC",
    "PLSCENES", "STACIT",          "STACTA", "OGCAPI",     "NGW",           "EEDAI",     "DAAS",         "RDA",
    "JPIPKAK",  "KMLSUPEROVERLAY", "TILEDB", "RASTERLITE", "PostGISRaster", "GeoRaster", "MSSQLSpatial", "WEBSERVICE",
    "ISIS3",    "ISIS2",           "PDS4",   "PDS",        "VICAR",
};

/// The names of the drivers that are used, as GDALDataset::Open takes them.
const CPLStringList& drivers() {
  static const CPLStringList known = [] {
    GDALAllRegister();
    CPLStringList out;
    auto* manager = GetGDALDriverManager();
    for (int i = 0; i < manager->GetDriverCount(); ++i) {
      const char* name = manager->GetDriver(i)->GetDescription();
      if (!kFollowing.contains(name)) out.AddString(name);
    }
    return out;
  }();
  return known;
}

struct CloseFile {
  void operator()(VSILFILE* file) const noexcept { VSIFCloseL(file); }
};
using FilePtr = std::unique_ptr<VSILFILE, CloseFile>;

/// True for netCDF of all kinds; netCDF-4 is HDF5.
bool needs_real_file(std::string_view head) { return head.starts_with("CDF") || head.starts_with("\x89HDF\r\n\x1a\n"); }

std::string temporary_folder() {
  const char* system = std::getenv("TMPDIR");
  return system != nullptr && *system != '\0' ? system : "/tmp";
}

}  // namespace

/// A copy in an anonymous (unlinked) temporary file, which has a path while it is open.
class SampleFile::Copy {
 public:
  explicit Copy(VSILFILE* original) : folder_(temporary_folder()) {
    std::string name = folder_ + "/tacore-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw IoError("no temporary file can be created in this folder", {.path = folder_}, errno);
    ::unlink(name.c_str());
    try {
      fill(original);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~Copy() { ::close(descriptor_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  void fill(VSILFILE* original) const {
    VSIFSeekL(original, 0, SEEK_END);
    uint64_t left = VSIFTellL(original);
    VSIFSeekL(original, 0, SEEK_SET);
    std::vector<char> buffer(1 << 20);
    while (left > 0) {
      const std::size_t wanted = std::min<uint64_t>(left, buffer.size());
      if (VSIFReadL(buffer.data(), 1, wanted, original) != wanted) {
        throw IoError("its bytes cannot be read to the end" + Quiet::reason());
      }
      write({buffer.data(), wanted});
      left -= wanted;
    }
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR)
        throw IoError("no temporary copy can be written in this folder", {.path = folder_}, errno);
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string folder_;
  int descriptor_ = -1;
};

SampleFile::SampleFile(std::string path) : path_(std::move(path)) {
  if (!path_.starts_with("/vsi")) return;
  const OneFileOnly only;
  const Quiet quiet;
  const FilePtr file(VSIFOpenL(path_.c_str(), "rb"));
  std::array<char, 8> head = {};
  if (!file || VSIFReadL(head.data(), 1, head.size(), file.get()) != head.size()) return;  // open() will say why
  if (needs_real_file({head.data(), head.size()})) copy_ = std::make_shared<const Copy>(file.get());
}

DatasetPtr SampleFile::open(unsigned kind) const {
  const CPLStringList& allowed = drivers();
  const OneFileOnly only;
  const Quiet quiet;
  const std::string path = copy_ ? copy_->path() : path_;
  DatasetPtr out(GDALDataset::Open(path.c_str(), kind | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, allowed.List()));
  if (out) return out;
  const std::string reason = Quiet::reason();
  VSIStatBufL status = {};
  errno = 0;
  if (VSIStatExL(path.c_str(), &status, VSI_STAT_EXISTS_FLAG) != 0) {
    throw IoError("GDAL cannot open it" + reason, {.path = path_}, errno);
  }
  throw FormatError("GDAL cannot read it" + reason, {.path = path_});
}

}  // namespace tacore::gdal
