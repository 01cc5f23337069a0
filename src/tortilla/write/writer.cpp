#include "tortilla/write/writer.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/crc32.hpp"
#include "base/threads.hpp"
#include "io/output_file.hpp"
#include "table/parquet_write.hpp"
#include "writer/copy_payload.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/whole_payloads.hpp"

namespace tacore::v1 {
namespace {

class TortillaWriter {
 public:
  TortillaWriter(const TortillaPart& part, const TortillaFile& file, const std::string& target,
                 const WriteOptions& options)
      : part_(part),
        plan_(part.plan()),
        file_(file),
        options_(options),
        out_(target, options.overwrite, options.temp_dir) {}

  void run() {
    const auto [begin, end] = part_.rows(0);
    for (int64_t row = begin; row < end; ++row) list(0, row);
    copy_samples();
    tell(0);
    write_rest();
    tell(0);
    out_.sync();
    tell(0);
    out_.commit();
  }

 private:
  enum class What { Sample, Header, Footer };

  /// A FILE, or the header or footer of a FOLDER, in file order.
  struct Piece {
    What what;
    int level;
    int64_t row;
    uint64_t begin, size;
  };

  void list(int level, int64_t row) {
    const uint64_t begin = part_.offset(level, row), size = static_cast<uint64_t>(plan_.sizes(level)[as_size(row)]);
    if (plan_.tree().levels[as_size(level)].types[as_size(row)] == SampleType::File) {
      pieces_.push_back({What::Sample, level, row, begin, size});
      return;
    }
    pieces_.push_back({What::Header, level, row, begin, kHeaderSize});
    const auto& first = plan_.first_children(level);
    for (int64_t child = first[as_size(row)]; child < first[as_size(row) + 1]; ++child) list(level + 1, child);
    const uint64_t footer = plan_.footer(level, row).size();
    pieces_.push_back({What::Footer, level, row, begin + size - footer, footer});
  }

  const Payload& payload(const Piece& piece) const {
    return plan_.tree().levels[as_size(piece.level)].payloads[as_size(piece.row)];
  }

  void copy_samples() {
    const auto begins = pieces_of(pieces_.size(), [&](std::size_t i) { return pieces_[i].size; });
    const bool has_remote = tacore::has_remote(plan_.tree());
    const auto is_large = [](const Piece& piece) { return piece.what == What::Sample && piece.size >= kCopyPiece; };
    run_parallel(begins.size() - 1, has_remote ? readers_.num_threads : options_.jobs, [&](std::size_t i) {
      const Piece& first = pieces_[begins[i]];
      if (!is_large(first)) return copy_together(begins[i], begins[i + 1]);
      if (payload(first).is_remote()) return;
      const uint32_t crc =
          copy_payload(payload(first), out_, first.begin, [&](uint64_t num_bytes) { tell(num_bytes); });
      check_crc32(plan_.tree(), first.level, first.row, crc);
    });
    std::vector<Piece> large;
    std::vector<RemoteCopy> copies;
    for (const Piece& piece : pieces_) {
      if (!is_large(piece) || !payload(piece).is_remote()) continue;
      large.push_back(piece);
      copies.push_back({&payload(piece), piece.begin});
    }
    const auto crcs = copy_remote(copies, options_.max_concurrent_requests,
                                  [&](std::size_t, uint64_t offset, std::span<const std::byte> bytes) {
                                    out_.write(offset, bytes);
                                    tell(bytes.size());
                                  });
    for (std::size_t i = 0; i < large.size(); ++i) check_crc32(plan_.tree(), large[i].level, large[i].row, crcs[i]);
  }

  void copy_together(std::size_t begin, std::size_t end) {
    const uint64_t first = pieces_[begin].begin, last = pieces_[end - 1].begin + pieces_[end - 1].size;
    const std::span bytes = scratch(last - first, first);
    std::vector<WholePayload> samples;
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = pieces_[i];
      if (piece.what == What::Sample)
        samples.push_back({&payload(piece), bytes.subspan(piece.begin - first, piece.size)});
    }
    read_whole(samples, readers_.num_ranges);
    uint64_t num_bytes = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Piece& piece = pieces_[i];
      fill(piece, bytes.subspan(piece.begin - first, piece.size));
      if (piece.what == What::Sample) num_bytes += piece.size;
    }
    out_.write(first, bytes);
    tell(num_bytes);
  }

  /// `out` already has the bytes of a sample, which are verified; a header or footer is encoded into it.
  void fill(const Piece& piece, std::span<std::byte> out) const {
    if (piece.what == What::Sample) {
      if (payload(piece).crc32) check_crc32(plan_.tree(), piece.level, piece.row, crc32(out));
    } else if (piece.what == What::Footer) {
      plan_.footer(piece.level, piece.row).read(0, out);
    } else {
      const uint64_t footer = plan_.footer(piece.level, piece.row).size();
      const auto size = static_cast<uint64_t>(plan_.sizes(piece.level)[as_size(piece.row)]);
      const auto header = encode_header({.footer = {size - footer, footer}});
      std::copy(header.begin(), header.end(), out.begin());
    }
  }

  void write_rest() {
    const Tables tables = file_.tables ? file_.tables(part_) : Tables{.footer = part_.footer_table(0)};
    const auto footer = encode_parquet(*tables.footer, options_.parquet, tables.metadata);
    Header header{.kind = file_.kind, .num_partitions = file_.num_partitions};
    uint64_t end = part_.end();
    const auto append = [&](std::span<const std::byte> bytes) {
      const ByteRange out{end, bytes.size()};
      out_.write(end, bytes);
      end += bytes.size();
      return out;
    };
    append(tables.before);
    header.footer = append(footer);
    if (file_.kind == Kind::Taco) header.collection = append(std::as_bytes(std::span(file_.collection)));
    out_.write(0, encode_header(header));
  }

  /// Called after each piece, and between other slow steps: `progress` may stop the work.
  void tell(uint64_t num_bytes) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    num_written_ += num_bytes;
    options_.progress(num_written_);
  }

  const TortillaPart& part_;
  const TortillaPlan& plan_;
  const TortillaFile& file_;
  const WriteOptions& options_;
  const Readers readers_{options_.max_concurrent_requests};
  OutputFile out_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;
  uint64_t num_written_ = 0;
};

}  // namespace

void write_tortilla(const TortillaPart& part, const TortillaFile& file, const std::string& target,
                    const WriteOptions& options) {
  TortillaWriter(part, file, target, options).run();
}

}  // namespace tacore::v1
