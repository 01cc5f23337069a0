#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/checked_math.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "format/tortilla_names.hpp"
#include "io/output_file.hpp"
#include "table/edit_columns.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "table/stack_tables.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/v1/convert.hpp"
#include "tortilla/write/output_rules.hpp"
#include "tortilla/write/stored_file.hpp"
#include "writer/staging.hpp"

namespace tacore::v1 {
namespace {

/// One of the files, and the location of its samples in the unsplit file.
struct Piece {
  StoredFile file;
  StoredTable footer;
  uint64_t data_end;  ///< the end of the samples
  uint64_t begin;
};

uint64_t end_of_samples(const StoredTable& footer) {
  const auto offsets = whole_numbers(*footer.table, columns::kOffset, {});
  const auto lengths = whole_numbers(*footer.table, columns::kLength, {});
  uint64_t out = kHeaderSize;
  for (std::size_t row = 0; row < offsets.size(); ++row)
    out = std::max(out, static_cast<uint64_t>(offsets[row] + lengths[row]));
  return out;
}

std::vector<Piece> open_pieces(const std::vector<std::string>& paths) {
  std::vector<Piece> out;
  uint64_t begin = kHeaderSize;
  for (const auto& path : paths) {
    StoredFile file(path);
    check_generation(file);
    StoredTable footer = file.footer();
    const uint64_t end = end_of_samples(footer);
    out.push_back({std::move(file), std::move(footer), end, begin});
    begin = checked_add(begin, end - kHeaderSize, "size of the unsplit file");
  }
  return out;
}

void check_pieces(const std::vector<Piece>& pieces) {
  if (pieces.empty()) throw ValidationError("no parts; at least one expected");
  const StoredFile& first = pieces[0].file;
  for (const auto& piece : pieces) {
    const auto fail = [&](const std::string& what) { throw ValidationError(what, {.path = piece.file.path()}); };
    if (const uint64_t count = piece.file.header().num_partitions; count != pieces.size()) {
      fail("is one of " + std::to_string(count) + (count == 1 ? " part, " : " parts, ") +
           std::to_string(pieces.size()) + (pieces.size() == 1 ? " is given" : " are given"));
    }
    if (piece.file.header().kind != first.header().kind) fail("is of a different kind than " + first.path());
    if (piece.file.collection() != first.collection()) fail("has another collection than " + first.path());
  }
}

/// The stacked footers, with offsets in the unsplit file.
std::shared_ptr<arrow::Table> join_footers(const std::vector<Piece>& pieces) {
  std::vector<TablePart> parts;
  std::vector<std::optional<int64_t>> offsets;
  std::unordered_set<std::string> seen;
  for (const auto& [file, footer, end, begin] : pieces) {
    parts.push_back({footer.table, static_cast<int64_t>(offsets.size())});
    for (const int64_t offset : whole_numbers(*footer.table, columns::kOffset, {}))
      offsets.emplace_back(offset + static_cast<int64_t>(begin - kHeaderSize));
    parts.back().num_rows = static_cast<int64_t>(offsets.size()) - parts.back().num_rows;
    for (const auto& id : text_column(*footer.table, std::string(columns::kId), file.path())) {
      if (id && !seen.insert(*id).second)
        throw FormatError("sample " + in_quotes(*id) + " is also in another part", {.path = file.path()});
    }
  }
  return set_integers(stack_tables(parts), columns::kOffset, offsets);
}

class Join {
 public:
  Join(const std::vector<Piece>& pieces, const std::string& output, const ConvertOptions& options)
      : pieces_(pieces), output_(output), options_(options) {
    for (const auto& piece : pieces) num_bytes_ += piece.data_end - kHeaderSize;
  }

  void run() {
    const auto footer = encode_parquet(*join_footers(pieces_), options_.output.parquet);
    const StoredFile& first = pieces_[0].file;
    const std::string collection = first.collection();
    OutputFile file(output_, options_.output.overwrite, options_.output.temp_dir);
    for (const auto& piece : pieces_) copy(piece, file);
    Header header{.kind = first.header().kind, .footer = {kHeaderSize + num_bytes_, footer.size()}};
    const uint64_t end = header.footer.offset + header.footer.size;
    file.write(header.footer.offset, footer);
    if (header.kind == Kind::Taco) header.collection = ByteRange{end, collection.size()};
    file.write(end, std::as_bytes(std::span(collection)));
    file.write(0, encode_header(header));
    file.sync();
    tell(0);
    file.commit();
  }

 private:
  void copy(const Piece& piece, const OutputFile& file) {
    piece.file.copy({kHeaderSize, piece.data_end - kHeaderSize}, file, piece.begin,
                    [&](uint64_t num_bytes) { tell(num_bytes); });
  }

  void tell(uint64_t num_bytes) {
    num_done_ += num_bytes;
    report(options_.task, num_done_, num_bytes_, output_);
  }

  const std::vector<Piece>& pieces_;
  const std::string& output_;
  const ConvertOptions& options_;
  uint64_t num_bytes_ = 0, num_done_ = 0;
};

}  // namespace

void join(const std::vector<std::string>& parts, const std::string& output, const ConvertOptions& options) {
  const auto pieces = open_pieces(parts);
  check_pieces(pieces);
  check_name(output, pieces[0].file.header().kind);
  check_absent(output, options.output.overwrite);
  require_apart(output, parts);
  check_temp_dir(output, options.output.temp_dir);
  check_v1_parquet_options(options.output.parquet);
  Join(pieces, output, options).run();
}

}  // namespace tacore::v1
