#include "table/parquet_pages.hpp"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/zstd.hpp"
#include "table/arrow_error.hpp"
#include "table/page_check.hpp"
#include "table/parquet_footer.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Decompresses the pages of a column that is stored as ZSTD. As with Arrow's own reader, a page is valid until the
/// next one is read.
class ZstdPages : public parquet::PageReader {
 public:
  /// `first_size`: what the header of the first page states for its decompressed size; negative: nothing.
  ZstdPages(std::unique_ptr<parquet::PageReader> stored, int64_t first_size, arrow::MemoryPool* pool)
      : stored_(std::move(stored)), first_size_(first_size), buffer_(parquet::AllocateBuffer(pool, 0)) {}

  std::shared_ptr<parquet::Page> NextPage() override {
    const auto page = stored_->NextPage();
    if (!page) return page;
    const int64_t first_size = std::exchange(first_size_, -1);
    switch (page->type()) {
      case parquet::PageType::DATA_PAGE: return decompressed(static_cast<const parquet::DataPageV1&>(*page));
      case parquet::PageType::DATA_PAGE_V2: {
        const auto& data = static_cast<const parquet::DataPageV2&>(*page);
        return data.is_compressed() ? decompressed(data) : page;
      }
      case parquet::PageType::DICTIONARY_PAGE: {
        const auto& values = static_cast<const parquet::DictionaryPage&>(*page);
        if (first_size < 0) throw parquet::ParquetException("a dictionary is not the first page of its column");
        decompress(bytes_of(values), 0, first_size);
        return std::make_shared<parquet::DictionaryPage>(buffer_, values.num_values(), values.encoding(),
                                                         values.is_sorted());
      }
      default: return page;  // which readers pass over
    }
  }

  void set_max_page_header_size(uint32_t size) override { stored_->set_max_page_header_size(size); }

 private:
  static std::span<const std::byte> bytes_of(const parquet::Page& page) {
    return std::as_bytes(std::span(page.data(), static_cast<std::size_t>(page.size())));
  }

  std::shared_ptr<parquet::Page> decompressed(const parquet::DataPageV1& page) {
    decompress(bytes_of(page), 0, page.uncompressed_size());
    return std::make_shared<parquet::DataPageV1>(buffer_, page.num_values(), page.encoding(),
                                                 page.definition_level_encoding(), page.repetition_level_encoding(),
                                                 page.uncompressed_size());
  }

  /// Its levels are never compressed.
  std::shared_ptr<parquet::Page> decompressed(const parquet::DataPageV2& page) {
    const int64_t levels =
        int64_t{page.definition_levels_byte_length()} + int64_t{page.repetition_levels_byte_length()};
    if (levels > page.size() || levels > page.uncompressed_size())
      throw parquet::ParquetException("a page has " + std::to_string(levels) + " bytes of levels, of " +
                                      std::to_string(page.size()) + " stored and " +
                                      std::to_string(page.uncompressed_size()) + " decompressed");
    decompress(bytes_of(page), static_cast<std::size_t>(levels), page.uncompressed_size());
    return std::make_shared<parquet::DataPageV2>(buffer_, page.num_values(), page.num_nulls(), page.num_rows(),
                                                 page.encoding(), page.definition_levels_byte_length(),
                                                 page.repetition_levels_byte_length(), page.uncompressed_size());
  }

  /// Fills `buffer_` with the first `copied` bytes of a page as they are, and the others decompressed: `size` in all.
  void decompress(std::span<const std::byte> page, std::size_t copied, int64_t size) {
    const auto out = resized(size);
    std::ranges::copy(page.first(copied), out.begin());
    const auto expected = out.subspan(copied);
    if (expected.empty()) return;  // a page of nulls alone may have no frame
    const auto found = decompress_into(expected, page.subspan(copied));
    if (found == expected.size()) return;
    throw parquet::ParquetException("a page decompresses to " +
                                    (found ? std::to_string(*found + copied) : "more than " + std::to_string(size)) +
                                    " bytes, its header states " + std::to_string(size));
  }

  static std::optional<std::size_t> decompress_into(std::span<std::byte> out, std::span<const std::byte> page) {
    try {
      return decompress_zstd(page, out);
    } catch (const FormatError& error) {
      throw parquet::ParquetException(error.what());
    }
  }

  /// `buffer_` with this size. The pool refuses one that no valid file needs.
  std::span<std::byte> resized(int64_t size) {
    PARQUET_THROW_NOT_OK(buffer_->Resize(size, /*shrink_to_fit=*/false));
    return std::as_writable_bytes(std::span(buffer_->mutable_data(), static_cast<std::size_t>(size)));
  }

  std::unique_ptr<parquet::PageReader> stored_;
  int64_t first_size_;
  std::shared_ptr<parquet::ResizableBuffer> buffer_;
};

/// The decompressed size in the header of the first page of a column, since Arrow's dictionary page has none. Returns
/// -1 where the header is damaged, or longer than that of a dictionary, which has no statistics, can be.
int64_t first_page_size(arrow::io::InputStream& column) {
  constexpr int64_t kMostHeader = 4096;
  PARQUET_ASSIGN_OR_THROW(const std::string_view begin, column.Peek(kMostHeader));
  try {
    const auto page = parse_page_header(std::as_bytes(std::span(begin)));
    return page ? page->uncompressed : -1;
  } catch (const FormatError&) {
    return -1;
  }
}

/// An open file, which the readers of its row groups share.
struct File {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  std::shared_ptr<parquet::FileMetaData> footer;
  parquet::ReaderProperties properties;
  int64_t size = 0;
};

class GroupOfPages : public parquet::RowGroupReader::Contents {
 public:
  GroupOfPages(std::shared_ptr<File> file, int group)
      : file_(std::move(file)), group_(file_->footer->RowGroup(group)) {}

  const parquet::RowGroupMetaData* metadata() const override { return group_.get(); }
  const parquet::ReaderProperties* properties() const override { return &file_->properties; }

  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int column) override {
    const auto chunk = group_->ColumnChunk(column);
    const auto& writer = file_->footer->writer_version();
    const bool is_zstd = chunk->compression() == parquet::Compression::ZSTD;
    const auto bytes = file_->properties.GetStream(file_->file, first_page(*chunk), size_of(*chunk));
    const int64_t first_size = is_zstd ? first_page_size(*bytes) : -1;
    auto pages = parquet::PageReader::Open(
        bytes, chunk->num_values(), is_zstd ? parquet::Compression::UNCOMPRESSED : chunk->compression(),
        file_->properties,
#if ARROW_VERSION_MAJOR >= 25
        *file_->footer->schema()->Column(column),
#endif
        writer.VersionLt(parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION()));
    if (!is_zstd) return pages;
    return std::make_unique<ZstdPages>(std::move(pages), first_size, file_->properties.memory_pool());
  }

 private:
  /// The bytes of a chunk, and of the header of a dictionary that an early writer did not count (PARQUET-816).
  int64_t size_of(const parquet::ColumnChunkMetaData& chunk) const {
    const int64_t begin = first_page(chunk), size = chunk.total_compressed_size();
    if (begin < 0 || size < 0 || begin > file_->size || size > file_->size - begin) {
      throw parquet::ParquetException("the footer places a column at " + std::to_string(size) + " bytes from " +
                                      std::to_string(begin) + ", the file has " + std::to_string(file_->size));
    }
    if (!file_->footer->writer_version().VersionLt(parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION()))
      return size;
    constexpr int64_t kMostHeader = 100;
    return size + std::min(kMostHeader, file_->size - begin - size);
  }

  std::shared_ptr<File> file_;
  std::unique_ptr<parquet::RowGroupMetaData> group_;
};

class FileOfPages : public parquet::ParquetFileReader::Contents {
 public:
  explicit FileOfPages(File file) : file_(std::make_shared<File>(std::move(file))) {}

  void Close() override {}
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int group) override {
    return std::make_shared<parquet::RowGroupReader>(std::make_unique<GroupOfPages>(file_, group));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override { return file_->footer; }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override { return nullptr; }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    throw parquet::ParquetException("Bloom filters are not read here");
  }

 private:
  std::shared_ptr<File> file_;
};

}  // namespace

std::unique_ptr<parquet::ParquetFileReader> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                         arrow::MemoryPool* pool,
                                                         std::shared_ptr<parquet::FileMetaData> footer) {
  PARQUET_ASSIGN_OR_THROW(const int64_t size, file->GetSize());
  auto out = std::make_unique<parquet::ParquetFileReader>();
  out->Open(
      std::make_unique<FileOfPages>(File{std::move(file), std::move(footer), parquet::ReaderProperties(pool), size}));
  return out;
}

std::unique_ptr<parquet::arrow::FileReader> open_arrow_reader(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                              arrow::MemoryPool* pool,
                                                              std::shared_ptr<parquet::FileMetaData> footer,
                                                              const ErrorContext& where) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  return check(
      parquet::arrow::FileReader::Make(pool, open_parquet(std::move(file), pool, std::move(footer)), properties),
      where);
}

}  // namespace tacore
