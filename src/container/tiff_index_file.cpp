#include "container/tiff_index_file.hpp"

#include <cerrno>

#include "base/log.hpp"
#include "base/text.hpp"
#include "container/zip_samples.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

int required_column(const LevelTable& table, std::string_view name) {
  const int column = table.find(name);
  if (column < 0) throw FormatError("no column " + in_quotes(name) + ": no file of headers", table.where());
  return column;
}

}  // namespace

std::string fingerprint_of(const Container& container) {
  std::string out;
  for (int level = 0; level < container.num_levels(); ++level)
    out += fingerprint_of(*container.stored_level(level)) + "; ";
  return out;
}

std::string header_file_path(const std::string& dataset) { return with_suffix(dataset, kHeaderFileSuffix); }

TiffIndexFile::TiffIndexFile(std::shared_ptr<const LevelTable> table)
    : table_(std::move(table)),
      path_(required_column(*table_, names::kRelativePath)),
      source_file_(required_column(*table_, names::kSourceFile)),
      size_(required_column(*table_, names::kSize)),
      crc32_(required_column(*table_, kCrc32Column)),
      header_(required_column(*table_, kHeaderColumns[0])) {}

std::shared_ptr<const TiffIndexFile> TiffIndexFile::open(const Storage& storage, const std::string& path,
                                                         const Container& container,
                                                         const std::function<void(const std::string& why)>& leave) {
  const auto leave_aside = [&](const std::string& why) {
    if (leave) leave(why);
    else log::warning(path + ": not used: " + why);
  };
  std::shared_ptr<const ByteSource> source;
  try {
    source = storage.open(path);
  } catch (const IoError& error) {
    // A store may respond 403 for an absent file, also to users who can read the dataset.
    if (error.not_found() || (is_remote(path) && error.error_number() == EACCES)) return nullptr;
    throw;
  }
  try {
    auto table = LevelTable::open(std::move(source), {.path = path});
    const int dataset = required_column(*table, kDatasetColumn);
    if (table->num_rows() > 0 && table->text(dataset, 0) == fingerprint_of(container))
      return std::shared_ptr<const TiffIndexFile>(new TiffIndexFile(std::move(table)));
    leave_aside("it was made for another dataset than " + container.path() +
                ", or for an earlier state of it; `taco index-tiffs` makes a new one");
  } catch (const FormatError& error) {  // some servers send an error page for an absent file, with status 200
    leave_aside("it is not a TIFF index of this version: " + error.message());
  } catch (const SchemaError& error) {
    leave_aside("it is not a TIFF index of this version: " + error.message());
  }
  return nullptr;
}

HeaderRow TiffIndexFile::row(int64_t row) const {
  return {.source_file = table_->text(source_file_, row).value_or(""),
          .relative_path = table_->text(path_, row).value_or(""),
          .size = table_->integer(size_, row).value_or(-1),
          .crc32 = table_->integer(crc32_, row).value_or(-1),
          .header = table_->binary(header_, row).value_or("")};
}

/// Three-way comparison of a row with a file.
int TiffIndexFile::compare(int64_t row, const RowAddress& file) const {
  const int by_source = table_->text(source_file_, row).value_or("").compare(file.source_file);
  return by_source != 0 ? by_source : table_->text(path_, row).value_or("").compare(file.relative_path);
}

std::string TiffIndexFile::find(const RowAddress& file, const ByteSource& bytes) const {
  int64_t begin = 0, end = table_->num_rows();
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (compare(middle, file) < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == table_->num_rows() || compare(begin, file) != 0) return {};
  const auto size = table_->integer(size_, begin), crc = table_->integer(crc32_, begin);
  if (size != static_cast<int64_t>(bytes.size()) || !crc || !require_crc32(bytes, static_cast<uint32_t>(*crc))) {
    std::call_once(warned_, [&] {
      log::warning(table_->where().path + ": the header of " + in_quotes(file.relative_path) +
                   " does not match the file, and other entries may not either: the TIFFs are read instead; "
                   "`taco index-tiffs` makes a new file");
    });
    return {};
  }
  return table_->binary(header_, begin).value_or("");
}

}  // namespace tacore
