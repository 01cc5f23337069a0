#include <algorithm>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {
namespace {

/// The stored values of one family of columns at a level.
class Stated {
 public:
  Stated(const Tortilla& samples, int level, const std::vector<FieldDescription>& schema) : ids_(samples.ids(level)) {
    for (const auto& field : samples.fields(level)) {
      const bool ours = std::any_of(schema.begin(), schema.end(), [&](const auto& f) { return f.name == field.name; });
      if (ours) columns_[field.name] = samples.column(field.name, level);
    }
  }

  bool has(const std::vector<std::string>& names) const {
    return std::all_of(names.begin(), names.end(), [&](const auto& name) { return columns_.contains(name); });
  }
  const std::map<std::string, std::vector<Value>>& columns() const { return columns_; }
  const std::string& id(std::size_t row) const { return ids_[row]; }
  std::size_t num_rows() const { return ids_.size(); }

  const Value& value(const std::string& name, std::size_t row) const {
    static const Value null;
    const auto found = columns_.find(name);
    return found == columns_.end() ? null : found->second[row];
  }

  template <class T>
  const T& get(const std::string& name, std::size_t row, const char* expected) const {
    if (const T* out = value(name, row).get<T>()) return *out;
    fail(name, row, expected);
  }

  std::optional<Timestamp> time(const std::string& name, std::size_t row) const {
    const Value& given = value(name, row);
    if (given.is_null()) return std::nullopt;
    if (const auto* text = given.get<std::string>()) {
      try {
        return Timestamp::parse(*text);
      } catch (const QueryError& error) {
        throw SchemaError("[" + ids_[row] + "] " + name + ": " + error.message());
      }
    }
    return get<Timestamp>(name, row, "a timestamp");
  }

  std::optional<Binary> binary(const std::string& name, std::size_t row) const {
    if (value(name, row).is_null()) return std::nullopt;
    return get<Binary>(name, row, "WKB");
  }

  std::vector<double> numbers(const std::string& name, std::size_t row) const {
    std::vector<double> out;
    for (const auto& item : get<Value::List>(name, row, "a list of numbers")) {
      const auto* whole = item.get<int64_t>();
      const auto* real = item.get<double>();
      if (!whole && !real) fail(name, row, "a list of numbers");
      out.push_back(whole ? static_cast<double>(*whole) : *real);
    }
    return out;
  }

  [[noreturn]] void fail(const std::string& name, std::size_t row, const std::string& expected) const {
    throw SchemaError("[" + ids_[row] + "] " + name + " is not " + expected);
  }

 private:
  std::vector<std::string> ids_;
  std::map<std::string, std::vector<Value>> columns_;
};

std::vector<Value> stac_values(const Stated& stated, std::size_t row, const CrsTransformer* transformer) {
  StacOptions options{.sample_id = stated.id(row),
                      .crs = stated.get<std::string>("stac:crs", row, "text"),
                      .time_start = *stated.time("stac:time_start", row),
                      .time_end = stated.time("stac:time_end", row),
                      .time_middle = stated.time("stac:time_middle", row),
                      .centroid = stated.binary("stac:centroid", row),
                      .transformer = transformer};
  for (const auto& item : stated.get<Value::List>("stac:tensor_shape", row, "a list of whole numbers")) {
    const auto* size = item.get<int64_t>();
    if (!size) stated.fail("stac:tensor_shape", row, "a list of whole numbers");
    options.tensor_shape.push_back(*size);
  }
  const auto to_crs = stated.numbers("stac:geotransform", row);
  if (to_crs.size() != options.geotransform.size()) stated.fail("stac:geotransform", row, "six numbers");
  std::copy(to_crs.begin(), to_crs.end(), options.geotransform.begin());
  return STAC(options).values();
}

std::vector<Value> istac_values(const Stated& stated, std::size_t row, const CrsTransformer* transformer) {
  return ISTAC({.sample_id = stated.id(row),
                .crs = stated.get<std::string>("istac:crs", row, "text"),
                .geometry = stated.get<Binary>("istac:geometry", row, "WKB"),
                .time_start = *stated.time("istac:time_start", row),
                .time_end = stated.time("istac:time_end", row),
                .time_middle = stated.time("istac:time_middle", row),
                .centroid = stated.binary("istac:centroid", row),
                .transformer = transformer})
      .values();
}

/// A family of columns: its schema, the columns that must exist, and the function that computes a row.
struct Family {
  std::vector<FieldDescription> schema;
  std::vector<std::string> needed;
  std::vector<Value> (*values)(const Stated&, std::size_t, const CrsTransformer*);
};

Tortilla complete(Tortilla samples, const Family& family, const CrsTransformer* transformer) {
  bool found = false;
  for (int level = 0; level <= samples.depth(); ++level) {
    const Stated stated(samples, level, family.schema);
    if (!stated.has(family.needed)) continue;
    found = true;
    std::vector<MetadataColumn> columns;
    for (const auto& field : family.schema)
      columns.push_back({field.name, std::vector<Value>(stated.num_rows()), field.type, field.description});
    for (std::size_t row = 0; row < stated.num_rows(); ++row) {
      const bool whole = std::none_of(family.needed.begin(), family.needed.end(),
                                      [&](const auto& name) { return stated.value(name, row).is_null(); });
      if (!whole) continue;
      auto values = family.values(stated, row, transformer);
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].values[row] = std::move(values[c]);
    }
    for (const auto& column : stated.columns()) samples = samples.pop(column.first, level);
    samples = samples.extend_with(std::move(columns), level);
  }
  if (!found) throw SchemaError("no level has the columns " + join(family.needed, ", "));
  return samples;
}

}  // namespace

Tortilla with_stac(const Tortilla& samples, const CrsTransformer* transformer) {
  static const Family family{
      schema_of("stac"), {"stac:crs", "stac:tensor_shape", "stac:geotransform", "stac:time_start"}, stac_values};
  return complete(samples, family, transformer);
}

Tortilla with_istac(const Tortilla& samples, const CrsTransformer* transformer) {
  static const Family family{schema_of("istac"), {"istac:crs", "istac:geometry", "istac:time_start"}, istac_values};
  return complete(samples, family, transformer);
}

}  // namespace tacore::extensions
