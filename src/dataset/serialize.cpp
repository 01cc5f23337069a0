#include "tacore/plumbing/serialize.hpp"

#include <arrow/type_fwd.h>

#include <charconv>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "dataset/dataframe_impl.hpp"
#include "format/names.hpp"
#include "table/ipc.hpp"
#include "table/parquet_footer.hpp"

namespace tacore {
namespace {

FileVersion version_of(const std::string& path, std::string facts) {
  return {path, hex(sha256(std::as_bytes(std::span(facts)))).substr(0, 32)};
}

FileVersion version_of(const Container& container) {
  std::string facts = container.collection().json + '\n' + container.file_version();
  // Before 2.0 the levels below the root are assembled on first use.
  const int num_levels = is_v1(container.format()) ? 1 : container.num_levels();
  for (int level = 0; level < num_levels; ++level) {
    const Bytes& tail = container.stored_level(level)->tail();
    facts += '\n' + hex(sha256(std::span(tail).last(footer_size(tail))));
  }
  return version_of(container.path(), std::move(facts));
}

std::vector<FileVersion> versions_of(const View& view) {
  if (const Container* container = view.container()) return {version_of(*container)};
  std::vector<FileVersion> out;
  for (const auto& part : std::get<Union>(view.base).parts) {
    for (auto& each : versions_of(*part.view)) out.push_back(std::move(each));
  }
  return out;
}

constexpr std::string_view kRows = "rows";
constexpr std::string_view kKeys = "keys";
constexpr std::string_view kDrawn = "drawn";

/// The keys of the rows, when all rows are in one level and each visible column is stored there unchanged.
bool keys_suffice(const DataFrame::Impl& frame) {
  const Rows& rows = *frame.rows;
  if (!frame.is_stored || rows.num_rows() == 0 || !rows.key(0)) return false;
  const RowKey first = *rows.key(0);
  for (int64_t row = 1; row < rows.num_rows(); ++row) {
    const auto key = rows.key(row);
    if (!key || key->part != first.part || key->level != first.level) return false;
  }
  const auto& level = *frame.dataset->leaf(first.part)->stored_level(first.level);
  for (std::size_t c = 0; c < frame.columns.size(); ++c) {
    if (frame.sources[c] < 0) continue;
    const int stored = level.find(frame.columns[c].name);
    if (stored < 0 || level.columns()[static_cast<std::size_t>(stored)] != frame.columns[c]) return false;
  }
  return true;
}

int part_of(const DataFrame::Impl& frame) {
  int part = 0;
  while (frame.dataset->leaf(part) != frame.container) ++part;
  return part;
}

class About {
 public:
  explicit About(const std::map<std::string, std::string>& about) : about_(about) {}

  const std::string& text(const std::string& key) const {
    const auto found = about_.find(key);
    if (found == about_.end()) throw FormatError("serialized rows: " + in_quotes(key) + " is missing");
    return found->second;
  }
  int number(const std::string& key) const {
    const std::string& digits = text(key);
    int out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw FormatError("serialized rows: " + in_quotes(key) + " is " + in_quotes(digits) + ", a number expected");
    return out;
  }
  bool has(const std::string& key) const { return about_.contains(key); }

 private:
  const std::map<std::string, std::string>& about_;
};

std::shared_ptr<const Rows> rows_with(const Dataset::Impl& dataset, const std::shared_ptr<const Rows>& keys) {
  std::vector<int64_t> stored;
  for (int64_t row = 0; row < keys->num_rows(); ++row) {
    const auto key = keys->key(row);
    if (!key) throw FormatError("serialized rows: row " + std::to_string(row) + " has no key");
    stored.push_back(key->row);
  }
  RowKey first = *keys->key(0);
  first.row = 0;
  const auto container = dataset.leaf(first.part);
  const auto table = container->known_level(first.level);
  for (const int64_t row : stored) {
    if (row >= table->num_rows())
      throw FormatError("serialized rows: level " + std::to_string(first.level) + " has no row " + std::to_string(row),
                        {.path = container->path()});
  }
  return taken_rows(level_rows(table, first, 0, table->num_rows()), std::move(stored));
}

}  // namespace

std::vector<FileVersion> file_versions(const Dataset& dataset) {
  const auto& impl = *impl_of(dataset);
  if (impl.partitions) return {version_of(impl.path, impl.collection->json)};
  return versions_of(impl.base);
}

std::vector<FileVersion> file_versions(const DataFrame& frame) {
  const auto& dataset = *impl_of(frame)->dataset;
  const bool has_bounds = dataset.partitions && dataset.partitions->states_bounds();
  auto out = versions_of(has_bounds ? dataset.partitions->as_stated(dataset.base.steps) : dataset.view());
  if (dataset.partitions) out.push_back(version_of(dataset.path, dataset.collection->json));
  return out;
}

Bytes serialize(const DataFrame& frame) {
  const auto& impl = *impl_of(frame);
  const auto rows = with_keys(impl.rows);
  std::vector<std::pair<std::string, int>> columns;
  DescribedTable out;
  if (keys_suffice(impl)) {
    out.about[std::string(kRows)] = kKeys;
    columns.emplace_back(kRowKeyColumn, rows->find(kRowKeyColumn));
  } else {
    out.about[std::string(kRows)] = "values";
    for (std::size_t c = 0; c < rows->columns().size(); ++c) {
      columns.emplace_back(rows->columns()[c].name, static_cast<int>(c));
    }
  }
  out.table = to_table(*rows, columns);
  for (std::size_t c = 0; c < impl.columns.size(); ++c) {
    const std::string number = std::to_string(c);
    out.about["name" + number] = impl.columns[c].name;
    out.about["type" + number] = impl.columns[c].type;
    out.about["source" + number] = std::to_string(impl.sources[c]);
  }
  out.about["stored"] = impl.is_stored ? "1" : "0";
  if (impl.container) {
    out.about["part"] = std::to_string(part_of(impl));
    out.about["level"] = std::to_string(impl.level);
    out.about["parent"] = impl.parent_path;
    out.about["file"] = impl.source_file;
  }
  return encode_ipc(out);
}

DataFrame deserialize(const Dataset& dataset, std::span<const std::byte> bytes) {
  const DescribedTable from = decode_ipc(bytes);
  const About about(from.about);
  auto out = std::make_shared<DataFrame::Impl>();
  out->dataset = impl_of(dataset);
  out->rows = table_rows(from.table);
  const bool by_key = about.text(std::string(kRows)) == kKeys;
  if (by_key) out->rows = rows_with(*out->dataset, out->rows);
  out->is_stored = about.number("stored") != 0;
  for (int c = 0; about.has("name" + std::to_string(c)); ++c) {
    const std::string number = std::to_string(c);
    out->columns.push_back({about.text("name" + number), about.text("type" + number)});
    const int source = about.number("source" + number);
    out->sources.push_back(by_key && source >= 0 ? out->rows->find(out->columns.back().name) : source);
    const int found = out->sources.back();
    if (found >= static_cast<int>(out->rows->columns().size()) || (source >= 0 && found < 0))
      throw FormatError("serialized rows: no column " + in_quotes(out->columns.back().name),
                        {.path = out->dataset->path});
  }
  if (about.has("part")) {
    out->container = out->dataset->leaf(about.number("part"));
    out->level = about.number("level");
    out->parent_path = about.text("parent");
    out->source_file = about.text("file");
  }
  return DataFrame(std::move(out));
}

bool varies(const Dataset& dataset) { return varies(impl_of(dataset)->base); }

Bytes serialize_drawn(const Dataset& dataset) {
  const auto rows = impl_of(dataset)->rows();
  const int key = rows->find(kRowKeyColumn);
  const bool by_key = key >= 0 && !changes_columns(impl_of(dataset)->base);
  std::vector<std::pair<std::string, int>> columns;
  for (int c = 0; c < static_cast<int>(rows->columns().size()); ++c) {
    if (!by_key || c == key) columns.emplace_back(rows->columns()[static_cast<std::size_t>(c)].name, c);
  }
  DescribedTable out;
  out.about[std::string(kDrawn)] = by_key ? kKeys : "values";
  out.table = to_table(*rows, columns);
  return encode_ipc(out);
}

Dataset with_drawn(const Dataset& dataset, std::span<const std::byte> bytes) {
  const DescribedTable from = decode_ipc(bytes);
  const bool has_keys_alone = About(from.about).text(std::string(kDrawn)) == kKeys;
  auto out = copy(*impl_of(dataset));
  out->base.drawn = DrawnRows{out->base.steps.size(), [rows = table_rows(from.table)] { return rows; }, has_keys_alone};
  return Dataset(std::move(out));
}

}  // namespace tacore
