#include "validate/tortilla.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/text.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "io/vsi_path.hpp"
#include "table/level_table.hpp"
#include "table/values.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/container.hpp"
#include "tortilla/file_format.hpp"
#include "tortilla/header.hpp"
#include "tortilla/partitions.hpp"
#include "tortilla/pointer.hpp"
#include "tortilla/profiles.hpp"
#include "tortilla/streaming/faults.hpp"
#include "validate/fields.hpp"

namespace tacore::validator {
namespace {

using v1::Header;
using v1::Kind;

constexpr double kMostSeconds = 1e11;  // the year 5138

/// A container: a file, or a sample of one.
struct Place {
  ByteRange range = {};
  int level = 0;
  std::string id = {};  ///< path of the sample
};

std::string shown(const ByteRange& range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

std::string about(const Place& place, const std::string& what) {
  return place.id.empty() ? what : in_quotes(place.id) + ": " + what;
}

std::string in(const Place& place) { return place.id.empty() ? "" : " of " + in_quotes(place.id); }

std::string row_name(const Place& place, int64_t row) { return "row " + std::to_string(row) + in(place); }

/// V1-7: text that is a keyword in another case, or a synonym of one.
void check_words(Report& report, const LevelTable& table, const Place& place) {
  const auto visit = [&](std::string_view name, const auto& check) {
    const int column = table.find(name);
    for (int64_t row = 0; column >= 0 && row < table.num_rows(); ++row) check(table.text(column, row), row);
  };
  visit(v1::columns::kFileFormat, [&](const std::optional<std::string>& format, int64_t row) {
    for (const char* name : {"GTiff", "BYTES", "TORTILLA"}) {
      if (!format || *format == name || lower(*format) != lower(name)) continue;
      report.add("V1-7", row_name(place, row) + ": file_format is " + in_quotes(*format) + ", " + name + " expected",
                 table.where());
    }
    if (!format || format->empty())
      report.add("V1-7", row_name(place, row) + ": file_format is missing", table.where());
    else if (!v1::is_known_format(*format))
      report.add("V1-7",
                 row_name(place, row) + ": file_format is " + in_quotes(*format) +
                     ", the name of a GDAL driver, BYTES or TORTILLA expected",
                 table.where());
  });
  if (const int split = table.find(v1::columns::kDataSplit); split >= 0) {
    const auto& type = table.columns()[static_cast<std::size_t>(split)].type;
    if (type != "null" && type.find("string") == type.npos)
      report.add("V1-8", about(place, "data_split has the type " + type + ", string expected"), table.where());
  }
  visit(v1::columns::kDataSplit, [&](const std::optional<std::string>& split, int64_t row) {
    if (!split || split == "train" || split == "validation" || split == "test") return;
    report.add("V1-8",
               row_name(place, row) + ": data_split is " + in_quotes(*split) + ", train, validation or test expected",
               table.where());
  });
}

/// The numbers of a column; null where a cell has none.
std::vector<std::optional<double>> numbers(const LevelTable& table, const char* name) {
  std::vector<std::optional<double>> out;
  const int column = table.find(name);
  for (int g = 0; column >= 0 && g < table.num_row_groups(); ++g) {
    for (const Value& value : read_values(*table.decode(column, g))) {
      if (const auto* whole = value.get<int64_t>()) out.emplace_back(static_cast<double>(*whole));
      else if (const auto* real = value.get<double>(); real && !std::isnan(*real)) out.emplace_back(*real);
      else out.emplace_back();
    }
  }
  return out;
}

/// V1-14: the values of `stac:*` fields.
void check_values(Report& report, const LevelTable& table, const Place& place) {
  for (const char* name : {"stac:time_start", "stac:time_end"}) {
    const auto times = numbers(table, name);
    const auto late = std::find_if(times.begin(), times.end(),
                                   [](const auto& time) { return time && std::abs(*time) > kMostSeconds; });
    if (late == times.end()) continue;
    report.add("V1-14",
               row_name(place, late - times.begin()) + ": " + name +
                   " is more than 100000000000 seconds; is its unit milliseconds or smaller?",
               table.where());
  }
  check_fields(table, true, [&](std::string_view, const std::string& what) {
    report.add("V1-14", about(place, what), table.where());
  });
}

/// Checks one file, and all containers in it.
class FileCheck {
 public:
  FileCheck(Report& report, std::shared_ptr<const ByteSource> source, std::string path,
            std::unordered_set<std::string>& ids, bool deep)
      : report_(report), source_(std::move(source)), path_(std::move(path)), ids_(ids), deep_(deep) {}

  /// The header of the file, if it has one.
  std::optional<Header> run() {
    const auto header = check_container({.range = {0, source_->size()}});
    if (header && header->collection) check_collection_text(*header);
    if (header && !is_streaming_) check_end(*header);
    while (!nested_.empty()) {
      const Place place = std::move(nested_.back());
      nested_.pop_back();
      check_container(place);
    }
    if (is_streaming_) check_chain();
    return header;
  }

  const std::vector<std::string>& columns() const { return columns_; }
  /// Id and version of its COLLECTION, if there is a readable one.
  const std::optional<std::string>& identity() const { return identity_; }

 private:
  ErrorContext at(const Place& place, std::optional<uint64_t> offset = {}) const {
    return {.path = path_, .offset = offset, .level = place.level};
  }

  std::optional<Header> check_container(const Place& place) {
    std::optional<Header> header;
    try {
      const Bytes head = source_->read({place.range.offset, std::min(place.range.size, v1::kHeaderSize)});
      header = v1::parse_header(head, place.range.size, place.range.offset);
      check_generation(place, *header, head);
    } catch (const FormatError& error) {
      report_.add(place.level == 0 ? "V1-1" : "V1-9", about(place, message_of(error)),
                  at(place, error.context().offset));
      return std::nullopt;
    }
    check_footer(place, *header);
    return header;
  }

  void check_generation(const Place& place, const Header& header, const Bytes& head) {
    if (header.file_format)
      report_.add("V1-2", about(place, "the header is that of the version before 0.5.0"),
                  at(place, place.range.offset));
    const bool is_taco = head[0] == std::byte{'W'};
    if (place.level > 0 && header.num_partitions != 1) {
      report_.add("V1-23",
                  about(place, "states that it is one of " + std::to_string(header.num_partitions) + " partitions"),
                  at(place, place.range.offset));
    }
    if (is_taco != (header.kind == Kind::Taco)) {
      report_.add("V1-2", about(place, "starts with \"#y\", and has a COLLECTION; \"WX\" expected"),
                  at(place, place.range.offset));
    }
  }

  /// V1-22: nothing follows FOOTER and COLLECTION, except for the tables of a streaming file.
  void check_end(const Header& header) {
    uint64_t end = header.footer.offset + header.footer.size;
    if (header.collection) end = std::max(end, header.collection->offset + header.collection->size);
    if (end >= source_->size()) return;
    report_.add("V1-22", counted(source_->size() - end, "byte") + " after FOOTER and COLLECTION",
                {.path = path_, .offset = end});
  }

  void check_footer(const Place& place, const Header& header) {
    const ErrorContext where = at(place);
    const char* rule = place.level == 0 ? "V1-3" : "V1-9";
    try {
      const auto table = v1::open_footer(source_, place.range, header, where);
      if (place.level == 0) is_streaming_ = table->key_value(v1::kPointer).has_value();
      check_rows(place, header, *table);
      check_columns(place, *table);
      check_words(report_, *table, place);
      check_values(report_, *table, place);
    } catch (const FormatError& error) {
      report_.add(rule, about(place, message_of(error)), where);
    } catch (const SchemaError& error) {
      report_.add(rule, about(place, message_of(error)), where);
    }
  }

  /// V1-4 to V1-6, and nested containers.
  void check_rows(const Place& place, const Header& header, const LevelTable& table) {
    const int id = table.find(names::kId), offset = table.find(names::kOffset), size = table.find(names::kSize);
    const int type = table.find(names::kType), format = table.find(v1::columns::kFileFormat);
    const uint64_t begin = place.range.offset + v1::kHeaderSize, end = place.range.offset + header.footer.offset;
    if (table.num_rows() == 0) report_.add("V1-3", about(place, "the footer has no rows"), at(place));
    std::unordered_set<std::string> own;
    std::unordered_set<std::string>& ids = place.level == 0 ? ids_ : own;
    std::vector<std::pair<ByteRange, int64_t>> ranges;
    std::string children;
    for (int64_t row = 0; row < table.num_rows(); ++row) {
      const std::string name = table.text(id, row).value_or("");
      if (name.empty()) report_.add("V1-4", row_name(place, row) + ": the id is empty", at(place));
      else if (name.find('\0') != name.npos)
        report_.add("V1-4", row_name(place, row) + ": id " + in_quotes(name) + " has a NUL byte", at(place));
      else if (!ids.insert(name).second)
        report_.add("V1-4", row_name(place, row) + ": id " + in_quotes(name) + " occurs twice", at(place));
      const auto first = table.integer(offset, row), length = table.integer(size, row);
      const bool numbers = first && length && *first >= 0 && *length >= 0;
      const ByteRange range{numbers ? static_cast<uint64_t>(*first) : 0, numbers ? static_cast<uint64_t>(*length) : 0};
      if (!numbers || range.offset < begin || range.offset > end || range.size > end - range.offset) {
        report_.add("V1-5",
                    row_name(place, row) + ": " + number_or_null(length) + " bytes at " + number_or_null(first) +
                        " are outside of the data, bytes " + std::to_string(begin) + " to " + std::to_string(end),
                    at(place));
        continue;
      }
      if (range.size > 0) ranges.emplace_back(range, row);
      const bool is_folder = table.text(type, row) == "FOLDER";
      children += (is_folder ? " FOLDER " : " FILE ") + in_quotes(name);
      if (is_folder) nest(place, range, name);
      else if (deep_) check_format(place, row, table.text(format, row).value_or(""), range);
      if (is_folder) continue;
      if (is_streaming_ && format >= 0) check_tog(place, row, table.text(format, row).value_or(""), range);
    }
    check_overlaps(place, std::move(ranges));
    check_alike(place, children);
  }

  /// V1-21: tools rely on the tree of one sample.
  void check_alike(const Place& place, const std::string& children) {
    const auto level = static_cast<std::size_t>(place.level);
    if (level == 0) return;
    if (level >= children_.size()) children_.resize(level + 1);
    if (!children_[level]) children_[level] = {children, place.id};
    if (children_[level]->first == children) return;
    report_.add("V1-21",
                in_quotes(place.id) + " has" + children + "; " + in_quotes(children_[level]->second) + " has" +
                    children_[level]->first,
                at(place));
  }

  /// V1-24. A format without a signature may have any content.
  void check_format(const Place& place, int64_t row, const std::string& format, const ByteRange& range) {
    const Bytes head = source_->read({range.offset, std::min<uint64_t>(range.size, v1::kHeaderSize)});
    const std::string found = v1::guess_format(head, range.size, "");
    const bool is_nested = found == v1::columns::kTortilla;
    if (is_nested || (v1::has_signature(format) && !v1::same_signature(format, head)))
      report_.add("V1-24",
                  row_name(place, row) + ": file_format is " + in_quotes(format) +
                      ", but the first bytes of the sample are those of " + found,
                  at(place, range.offset));
  }

  /// V1-19: each GeoTIFF of a streaming file is a TOG.
  void check_tog(const Place& place, int64_t row, const std::string& format, const ByteRange& range) {
    if (lower(format) != "gtiff" && lower(format) != "cog") return;
    for (const auto& fault : v1::tog_faults(*slice(source_, range)))
      report_.add("V1-19", row_name(place, row) + ": " + fault, at(place, range.offset));
  }

  /// V1-18: the tables of a streaming file form a chain, and agree.
  void check_chain() {
    try {
      for (const auto& fault : v1::streaming_faults(source_, path_)) report_.add("V1-18", fault, {.path = path_});
    } catch (const FormatError& error) {
      report_.add("V1-18", error, {.path = path_});
    } catch (const SchemaError& error) {
      report_.add("V1-18", error, {.path = path_});
    }
  }

  void nest(const Place& above, const ByteRange& range, const std::string& id) {
    // Samples may share bytes; each container is checked once.
    if (seen_.insert({range.offset, range.size}).second)
      nested_.push_back({range, above.level + 1, above.id.empty() ? id : above.id + "/" + id});
  }

  void check_overlaps(const Place& place, std::vector<std::pair<ByteRange, int64_t>> ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.first.offset < b.first.offset; });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      const auto& [before, row_before] = ranges[i - 1];
      const auto& [range, row] = ranges[i];
      if (range.offset >= before.offset + before.size) continue;
      report_.add("V1-6",
                  row_name(place, row) + ": " + shown(range) + " overlap those of row " + std::to_string(row_before) +
                      ", " + shown(before),
                  at(place));
    }
  }

  /// V1-10 and V1-13.
  void check_columns(const Place& place, const LevelTable& table) {
    std::vector<std::string> names;
    for (const auto& column : table.columns()) {
      const DerivedColumn* made = table.derived(static_cast<int>(&column - table.columns().data()));
      if (!made || made->name == made->from) names.push_back(column.name);
    }
    std::vector<std::string> fields;
    for (const auto& name : names)
      fields.push_back(name + " (" + table.columns()[static_cast<std::size_t>(table.find(name))].type + ")");
    for (const auto& name : names) {
      if (name.starts_with(names::kInternal))
        report_.add("V1-13", about(place, "column " + in_quotes(name) + " should not be stored"), at(place));
    }
    std::sort(names.begin(), names.end());
    const auto level = static_cast<std::size_t>(place.level);
    if (level == 0) columns_ = names;
    if (level >= schemas_.size()) schemas_.resize(level + 1);
    std::sort(fields.begin(), fields.end());
    if (!schemas_[level]) schemas_[level] = {fields, place.id};
    if (schemas_[level]->first == fields) return;
    report_.add("V1-10",
                in_quotes(place.id) + " has columns " + join(fields, ", ") + "; " + in_quotes(schemas_[level]->second) +
                    " has " + join(schemas_[level]->first, ", "),
                at(place));
  }

  void check_collection_text(const Header& header) {
    const ErrorContext where{.path = path_, .offset = header.collection->offset};
    const Bytes text = source_->read(*header.collection);
    try {
      const auto found = v1::examine_collection({reinterpret_cast<const char*>(text.data()), text.size()});
      for (const auto& fault : found.faults) report_.add("V1-11", "COLLECTION: " + fault, where);
      for (const auto& advice : found.advice) report_.add("V1-17", "COLLECTION: " + advice, where);
      const auto collection =
          v1::parse_stored_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path_);
      identity_ = in_quotes(collection.id) + ", version " + in_quotes(collection.dataset_version);
    } catch (const FormatError& error) {
      report_.add("V1-11", "COLLECTION: " + message_of(error), where);
    }
  }

  Report& report_;
  std::shared_ptr<const ByteSource> source_;
  std::string path_;
  std::unordered_set<std::string>& ids_;  ///< of level 0, of all partitions
  bool deep_;                             ///< the first bytes of samples are checked
  std::optional<std::string> identity_;
  bool is_streaming_ = false;  ///< level 0 points to further tables
  std::vector<Place> nested_;
  std::set<std::pair<uint64_t, uint64_t>> seen_;
  std::vector<std::string> columns_;
  /// By level: columns with their types, and the container that has them.
  std::vector<std::optional<std::pair<std::vector<std::string>, std::string>>> schemas_;
  /// By level: the children as text, and the container that has them.
  std::vector<std::optional<std::pair<std::string, std::string>>> children_;
};

/// V1-12: the existing partitions.
std::vector<std::string> paths_of(Report& report, const Storage& storage, const std::string& path, uint64_t count) {
  if (count == 1) {
    if (v1::parse_partition_name(path))
      report.add("V1-15", "is named as one of several partitions, but is the only one", {.path = path});
    return {path};
  }
  if (!v1::parse_partition_name(path))
    report.add("V1-15", "is not named as a partition, NAME.0000.part.EXTENSION expected", {.path = path});
  if (const auto left = v1::left_over(storage, path, count); !left.empty())
    report.add(
        "V1-12",
        in_quotes(file_name(left)) + " is an additional file beside the " + std::to_string(count) + " partitions",
        {.path = path});
  try {
    return v1::partition_paths(storage, path, count, false);
  } catch (const Error& error) {
    report.add("V1-12", error, {.path = path});
  }
  try {
    return v1::partition_paths(storage, path, count, true);
  } catch (const Error&) {
    return {path};
  }
}

}  // namespace

void check_tortilla(Report& report, const Storage& storage, const std::string& path,
                    const std::vector<std::string>& profiles, bool deep) {
  const auto source = storage.open(path);
  uint64_t count = 1;
  try {
    const Bytes head = source->read({0, std::min(source->size(), v1::kHeaderSize)});
    count = v1::parse_header(head, source->size()).num_partitions;
  } catch (const FormatError&) {
    count = 1;  // reported below
  }
  std::unordered_set<std::string> ids;
  std::optional<std::string> identity;
  for (const auto& part : paths_of(report, storage, path, count)) {
    FileCheck check(report, part == path ? source : storage.open(part), part, ids, deep);
    const auto header = check.run();
    if (check.identity() && !identity) identity = check.identity();
    if (check.identity() && check.identity() != identity) {
      report.add("V1-12", "is a partition of " + *check.identity() + ", other partitions are of " + *identity,
                 {.path = part});
    }
    if (header && header->num_partitions != count) {
      report.add("V1-12",
                 "states " + counted(header->num_partitions, "partition") + ", " + in_quotes(path) + " states " +
                     std::to_string(count),
                 {.path = part, .offset = 18});
    }
    for (const auto& profile : profiles) {
      for (const auto& field : v1::missing_fields(profile, check.columns()))
        report.add("V1-16", "lacks the column " + field + " of the profile " + profile, {.path = part, .level = 0});
    }
  }
}

}  // namespace tacore::validator
