#include "writer/zip_writer.hpp"

#include <algorithm>
#include <mutex>

#include "base/crc32.hpp"
#include "base/log.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "format/zip_records.hpp"
#include "io/output_file.hpp"
#include "table/parquet_write.hpp"
#include "writer/copy_payload.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tables.hpp"
#include "writer/whole_payloads.hpp"
#include "writer/zip_output.hpp"

namespace tacore {
namespace {

constexpr std::size_t kTablesAtOnce = 512;

/// The locations of the samples of a level in the archive, by row: the payload of a FILE, the `__meta__` of a FOLDER.
struct Places {
  std::vector<int64_t> offsets, sizes;
};

class ZipWriter {
 public:
  ZipWriter(const Tree& tree, const std::string& target, const WriteOptions& options)
      : tree_(tree), options_(options), target_(target), file_(target, options.overwrite, options.temp_dir) {
    for (const auto& level : tree_.levels) {
      places_.push_back({std::vector<int64_t>(level.ids.size()), std::vector<int64_t>(level.ids.size())});
      for (const auto& payload : level.payloads) latest_ = std::max(latest_, payload.time);
    }
    for (int k = 0; k + 1 < static_cast<int>(tree_.levels.size()); ++k) children_.push_back(tree_.first_children(k));
  }

  void run(std::string_view collection) {
    plan_samples();
    copy_samples();
    tell(0);
    for (int level = static_cast<int>(tree_.levels.size()) - 2; level >= 0; --level) write_folders(level);
    taco_header::Header header;
    for (int k = 0; k < static_cast<int>(tree_.levels.size()); ++k) {
      header.levels.push_back(add(std::string(names::kMetadata) + std::string(names::kLevelFiles[k]),
                                  encode_parquet(*level_table(k), options_of_level(options_.parquet, k))));
      log::debug(target_ + ": level " + std::to_string(k) + " is " + std::to_string(header.levels.back().size) +
                 " bytes at " + std::to_string(header.levels.back().offset));
    }
    header.collection = add(std::string(names::kCollection), std::as_bytes(std::span(collection)));
    zip_.finish(header, zip::dos_time(latest_));
    tell(0);
    file_.sync();
    tell(0);
    file_.commit();
    log_written(tree_, target_);
  }

 private:
  /// A FILE of the tree, and its entry.
  struct Sample {
    int level = 0;
    int64_t row = 0;
  };

  const Payload& payload(const Sample& sample) const {
    return tree_.levels[static_cast<std::size_t>(sample.level)].payloads[static_cast<std::size_t>(sample.row)];
  }

  /// Adds the entries depth first, in the order of the tree.
  void plan_samples() {
    for (int64_t row = 0; row < static_cast<int64_t>(tree_.levels[0].ids.size()); ++row) {
      plan(0, row, std::string(names::kData));
    }
  }

  void plan(int level, int64_t row, const std::string& folder) {
    const auto& here = tree_.levels[static_cast<std::size_t>(level)];
    const auto r = static_cast<std::size_t>(row);
    const std::string name = folder + here.ids[r];
    if (here.types[r] == SampleType::File) {
      const Payload& payload = here.payloads[r];
      entries_.push_back(zip::stored_entry(name, payload.size, end_, zip::dos_time(payload.time)));
      entries_.back().crc32 = payload.crc32.value_or(0);  // known from a source ZIP, else computed when it is copied
      samples_.push_back({level, row});
      const uint64_t begin = end_ + zip::local_header_size(entries_.back());
      places_[static_cast<std::size_t>(level)].offsets[r] = static_cast<int64_t>(begin);
      places_[static_cast<std::size_t>(level)].sizes[r] = static_cast<int64_t>(payload.size);
      end_ = begin + payload.size;
      return;
    }
    const auto& first = children_[static_cast<std::size_t>(level)];
    for (int64_t child = first[r]; child < first[r + 1]; ++child) plan(level + 1, child, name + "/");
  }

  void copy_samples() {
    const auto begins = pieces_of(
        entries_.size(), [&](std::size_t i) { return zip::local_header_size(entries_[i]) + entries_[i].size; });
    const bool has_remote = tacore::has_remote(tree_);
    const auto is_large = [&](std::size_t i) {
      return begins[i + 1] - begins[i] == 1 && entries_[begins[i]].size >= kCopyPiece;
    };
    run_parallel(begins.size() - 1, has_remote ? readers_.num_threads : options_.jobs, [&](std::size_t i) {
      if (!is_large(i)) return copy_together(begins[i], begins[i + 1]);
      if (!payload(samples_[begins[i]]).is_remote()) copy_large(begins[i]);
    });
    if (!has_remote) return;
    std::vector<std::size_t> large;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      if (is_large(i) && payload(samples_[begins[i]]).is_remote()) large.push_back(begins[i]);
    }
    copy_large_remote(large);
  }

  void copy_together(std::size_t begin, std::size_t end) {
    const uint64_t first = entries_[begin].local_offset;
    const uint64_t last = end < entries_.size() ? entries_[end].local_offset : end_;
    const std::span piece = scratch(last - first, first);
    std::vector<WholePayload> files;
    for (std::size_t i = begin; i < end; ++i) {
      const uint64_t at = entries_[i].local_offset - first + zip::local_header_size(entries_[i]);
      files.push_back({&payload(samples_[i]), piece.subspan(at, entries_[i].size)});
    }
    read_whole(files, readers_.num_ranges);
    uint64_t num_bytes = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const uint64_t at = entries_[i].local_offset - first;
      settle_crc32(i, crc32(files[i - begin].out));
      const auto local = zip::encode_local_header(entries_[i]);
      std::copy(local.begin(), local.end(), piece.begin() + static_cast<std::ptrdiff_t>(at));
      num_bytes += entries_[i].size;
    }
    file_.write(first, piece);
    tell(num_bytes);
  }

  void copy_large(std::size_t i) {
    const zip::CentralEntry& entry = entries_[i];
    const uint64_t begin = entry.local_offset + zip::local_header_size(entry);
    const bool is_planned = payload(samples_[i]).crc32.has_value();
    if (is_planned) write_header(entry);
    settle_crc32(i, copy_payload(payload(samples_[i]), file_, begin, [&](uint64_t num_bytes) { tell(num_bytes); }));
    if (!is_planned) write_header(entry);
  }

  void write_header(const zip::CentralEntry& entry) const {
    file_.write(entry.local_offset, zip::encode_local_header(entry));
  }

  /// `crc` is that of the copied bytes; it must equal the planned one, where there is one.
  void settle_crc32(std::size_t i, uint32_t crc) {
    if (!payload(samples_[i]).crc32) {
      entries_[i].crc32 = crc;
    } else {
      check_crc32(tree_, samples_[i].level, samples_[i].row, crc);
    }
  }

  void copy_large_remote(const std::vector<std::size_t>& entries) {
    std::vector<RemoteCopy> copies;
    for (const std::size_t i : entries) {
      if (payload(samples_[i]).crc32) write_header(entries_[i]);
      copies.push_back({&payload(samples_[i]), entries_[i].local_offset + zip::local_header_size(entries_[i])});
    }
    const auto write = [&](std::size_t, uint64_t offset, std::span<const std::byte> bytes) {
      file_.write(offset, bytes);
      tell(bytes.size());
    };
    const auto crcs = copy_remote(copies, options_.max_concurrent_requests, write);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const std::size_t i = entries[k];
      settle_crc32(i, crcs[k]);
      if (!payload(samples_[i]).crc32) write_header(entries_[i]);
    }
  }

  /// Called after each piece, and between other slow steps: `progress` may stop the work.
  void tell(uint64_t num_bytes) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    num_written_ += num_bytes;
    options_.progress(num_written_);
  }

  /// Writes the `__meta__` of each FOLDER of `level`, ordered by path.
  void write_folders(int level) {
    const auto& here = tree_.levels[static_cast<std::size_t>(level)];
    std::vector<std::pair<std::string, int64_t>> folders;
    for (int64_t row = 0; row < static_cast<int64_t>(here.ids.size()); ++row) {
      if (here.types[static_cast<std::size_t>(row)] == SampleType::Folder) {
        folders.emplace_back(tree_.path(level, row) + "/", row);
      }
    }
    std::sort(folders.begin(), folders.end());
    const auto table = with_places(level + 1, samples_table(tree_, level + 1));
    const auto& first = children_[static_cast<std::size_t>(level)];
    Places& places = places_[static_cast<std::size_t>(level)];
    // Encoded in parallel, in batches, then appended in order.
    for (std::size_t begin = 0; begin < folders.size(); begin += kTablesAtOnce) {
      std::vector<Bytes> tables(std::min(kTablesAtOnce, folders.size() - begin));
      run_parallel(tables.size(), options_.jobs, [&](std::size_t i) {
        const auto r = static_cast<std::size_t>(folders[begin + i].second);
        tables[i] = encode_parquet(*slice_rows(table, first[r], first[r + 1]), options_of_meta(options_.parquet));
      });
      for (std::size_t i = 0; i < tables.size(); ++i) {
        const auto& [path, row] = folders[begin + i];
        const auto r = static_cast<std::size_t>(row);
        const ByteRange range = add(std::string(names::kData) + path + std::string(names::kMeta), tables[i]);
        places.offsets[r] = static_cast<int64_t>(range.offset);
        places.sizes[r] = static_cast<int64_t>(range.size);
      }
    }
  }

  std::shared_ptr<arrow::Table> with_places(int level, std::shared_ptr<arrow::Table> table) const {
    const Places& places = places_[static_cast<std::size_t>(level)];
    return add_column(add_column(table, names::kOffset, places.offsets), names::kSize, places.sizes);
  }

  std::shared_ptr<arrow::Table> level_table(int level) const {
    return with_paths(tree_, level, with_places(level, with_numbers(tree_, level, samples_table(tree_, level))));
  }

  ByteRange add(std::string name, std::span<const std::byte> bytes) {
    const ByteRange out = zip_.add(std::move(name), bytes, zip::dos_time(latest_));
    tell(0);
    return out;
  }

  const Tree& tree_;
  const WriteOptions& options_;
  const std::string target_;
  const Readers readers_{options_.max_concurrent_requests};
  OutputFile file_;
  ZipOutput zip_{file_};
  std::vector<zip::CentralEntry>& entries_ = zip_.entries;  ///< in the order of the archive, without TACO_HEADER
  uint64_t& end_ = zip_.end;
  int64_t latest_ = 0;
  std::vector<std::vector<int64_t>> children_;
  std::vector<Places> places_;
  std::vector<Sample> samples_;  ///< of the first entries
  std::mutex mutex_;
  uint64_t num_written_ = 0;
};

}  // namespace

void write_zip(const Tree& tree, std::string_view collection, const std::string& target, const WriteOptions& options) {
  ZipWriter(tree, target, options).run(collection);
}

}  // namespace tacore
