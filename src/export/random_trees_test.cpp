#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>

#include "base/text.hpp"
#include "support/create_files.hpp"
#include "support/rounds.hpp"

// Trees of samples of every kind, made at random, come back from both containers as they went in.
namespace tacore {
namespace {

/// A value to the bit, with its kind.
std::string shown(const Value& value) {
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  if (const auto* whole = value.get<int64_t>()) return "i" + std::to_string(*whole);
  if (const auto* text = value.get<std::string>()) return "'" + *text + "'";
  if (const auto* binary = value.get<Binary>()) return "b'" + binary->bytes + "'";
  if (const auto* time = value.get<Timestamp>()) return "t" + std::to_string(time->microseconds);
  if (const auto* real = value.get<double>()) {
    std::array<char, 40> out{};
    std::snprintf(out.data(), out.size(), "d%a", *real);
    return out.data();
  }
  std::string out;
  if (const auto* items = value.get<Value::List>()) {
    for (const auto& item : *items) out += shown(item) + " ";
    return "[" + out + "]";
  }
  if (const auto* fields = value.get<Struct>()) {
    for (const auto& [name, field] : *fields) out += name + "=" + shown(field) + " ";
    return "{" + out + "}";
  }
  return "null";
}

/// A field of a level: what its samples state, and the type that its column has.
struct Field {
  std::string key = {}, stated = {}, type = {}, description = {};
};

/// A sample as it must come back.
struct Expected {
  std::string id = {};
  std::vector<Value> values = {};  ///< one for each field of its level
  std::string bytes = {};          ///< of a FILE
  std::vector<Expected> children = {};
};

std::vector<Expected> next_level(const std::vector<Expected>& nodes) {
  std::vector<Expected> out;
  for (const auto& node : nodes) out.insert(out.end(), node.children.begin(), node.children.end());
  return out;
}

/// What all FOLDERs at one position have.
struct Position {
  std::string id = {};
  std::vector<Position> children = {};  ///< none: a FILE
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t number(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(engine_); }
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  T of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(number(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  std::string bytes(int64_t most) {
    std::string out(static_cast<std::size_t>(number(0, most)), '\0');
    for (char& c : out) c = static_cast<char>(number(0, 255));
    return out;
  }
  std::string text() {
    std::string out;
    for (int64_t n = number(0, 6); n > 0; --n)
      out += of<std::string>({"a", "Z9", " ", "é", "日本", "'", "\"", "\n", "%", "🌮"});
    return out;
  }

 private:
  std::mt19937 engine_;
};

/// Kinds whose type need not be stated, and those that Value has none of its own for.
const Strings kOwnTypes{"bool", "int64", "double", "string", "binary", "timestamp[us]"};
const Strings kStatedTypes{"int8",
                           "uint16",
                           "int32",
                           "uint64",
                           "float",
                           "large_string",
                           "large_binary",
                           "date32[day]",
                           "timestamp[ms]",
                           "timestamp[us, tz=UTC]",
                           "list<item: int64>",
                           "list<item: string>",
                           "list<item: timestamp[us]>",
                           "list<item: list<item: double>>",
                           "fixed_size_list<item: float>[3]",
                           "struct<a: int64, b: string>",
                           "struct<when: date32[day], parts: list<item: binary>>",
                           "list<item: struct<name: string, gain: double>>",
                           "null"};

Value value_of(const std::string& type, Random& random);

Value::List list_of(const std::string& type, int64_t size, Random& random) {
  Value::List out;
  for (; size > 0; --size) out.push_back(value_of(type, random));
  return out;
}

/// A value that `type` holds to the bit; null is one of five.
Value value_of(const std::string& type, Random& random) {
  constexpr int64_t kDay = 86'400'000'000;
  if (type == "null" || random.chance(20)) return {};
  if (type == "bool") return random.chance(50);
  if (type == "int8") return random.number(-128, 127);
  if (type == "uint16") return random.number(0, 65535);
  if (type == "int32") return random.number(INT32_MIN, INT32_MAX);
  if (type == "uint64") return random.number(0, INT64_MAX);
  if (type == "int64") return random.number(INT64_MIN, INT64_MAX);
  if (type == "float") return static_cast<double>(static_cast<float>(random.number(-1000, 1000)) / 7.0F);
  if (type == "double") {
    using Limits = std::numeric_limits<double>;
    return random.of<double>({0.0, -0.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                              Limits::denorm_min(), Limits::max(), 0.1, static_cast<double>(random.number(-9, 9)) / 7});
  }
  if (type == "string" || type == "large_string") return random.text();
  if (type == "binary" || type == "large_binary") return Binary{random.bytes(20)};
  if (type == "date32[day]") return Timestamp{random.number(-40000, 40000) * kDay};
  if (type == "timestamp[ms]") return Timestamp{random.number(-4'000'000'000'000, 4'000'000'000'000) * 1000};
  if (type.starts_with("timestamp")) return Timestamp{random.number(-4'000'000'000'000'000, 4'000'000'000'000'000)};
  if (type.starts_with("fixed_size_list")) return list_of("float", 3, random);
  if (type == "struct<a: int64, b: string>")
    return Struct{{"a", value_of("int64", random)}, {"b", value_of("string", random)}};
  if (type == "struct<name: string, gain: double>")
    return Struct{{"name", value_of("string", random)}, {"gain", value_of("double", random)}};
  if (type.starts_with("struct<when"))
    return Struct{{"when", value_of("date32[day]", random)}, {"parts", value_of("list<item: binary>", random)}};
  return list_of(type.substr(11, type.size() - 12), random.number(0, 3), random);  // list<item: ...>
}

/// A tree of samples with all that it must come back with.
class RandomTree {
 public:
  RandomTree(unsigned seed, const Workshop& shop) : random_(seed), shop_(shop), pool_(5000, '\0') {
    for (char& c : pool_) c = static_cast<char>(random_.number(0, 255));
    shop_.add("pool", pool_);
    depth_ = static_cast<int>(seed % 6);
    for (int level = 0; level <= depth_; ++level) fields.push_back(make_fields());
    is_irregular_ = depth_ > 0 && random_.chance(40);
    const auto pattern = depth_ == 0 ? std::vector<Position>() : make_positions(1);
    std::vector<Sample> samples;
    for (const auto& id : make_ids(random_.number(1, 4))) samples.push_back(make_sample({id, pattern}, 0, roots));
    find_types();
    const Tortilla plain(std::move(samples));
    const Tortilla regular = is_irregular_ ? plain.pad() : plain;
    tortilla = random_.chance(25) ? regular.pad_to(random_.number(2, 4)) : regular;
  }

  std::vector<std::vector<Field>> fields = {};  ///< by level
  std::vector<Expected> roots = {};
  std::optional<Tortilla> tortilla = {};

 private:
  std::vector<Field> make_fields() {
    std::vector<Field> out;
    for (int64_t n = random_.number(0, 5); n > 0; --n) {
      Field field{.key = random_.of<std::string>({"", "stac:", "x_"}) + "f" + std::to_string(n)};
      const bool own = random_.chance(50);
      field.type = random_.of(own ? kOwnTypes : kStatedTypes);
      if (!own || random_.chance(30)) field.stated = field.type;
      if (random_.chance(50)) field.description = random_.text();
      out.push_back(std::move(field));
    }
    return out;
  }

  Strings make_ids(int64_t count) {
    Strings out;
    while (static_cast<int64_t>(out.size()) < count) {
      std::string id =
          random_.of<std::string>({"a", "tile ", "é", "x.dat", "日本", "-", "[1]*?", "q'\"", "{,}", "A%20&"});
      if (random_.chance(50)) id += std::to_string(random_.number(0, 11));
      if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
    }
    return out;
  }

  /// FILEs and FOLDERs in any order, one of them as deep as the tree.
  std::vector<Position> make_positions(int level) {
    std::vector<Position> out;
    for (const auto& id : make_ids(random_.number(1, 3))) out.push_back({id, {}});
    const int64_t deepest = random_.number(0, static_cast<int64_t>(out.size()) - 1);
    for (std::size_t i = 0; level < depth_ && i < out.size(); ++i) {
      if (static_cast<int64_t>(i) == deepest || random_.chance(25)) out[i].children = make_positions(level + 1);
    }
    return out;
  }

  /// A sample of bytes, of a file, of a part of one, or of samples.
  Sample make_sample(const Position& position, int level, std::vector<Expected>& siblings) {
    Expected node{.id = position.id};
    std::vector<MetadataField> metadata;
    for (const auto& field : fields[static_cast<std::size_t>(level)]) {
      node.values.push_back(value_of(field.type, random_));
      metadata.push_back({field.key, node.values.back(), field.stated, field.description});
    }
    if (!position.children.empty()) {
      std::vector<Sample> children;
      for (const auto& child : position.children) {
        const bool is_last = &child == &position.children.back();
        if (is_irregular_ && random_.chance(25) && !(is_last && children.empty())) continue;
        children.push_back(make_sample(child, level + 1, node.children));
      }
      siblings.push_back(std::move(node));
      return {position.id, Tortilla(std::move(children)), std::move(metadata)};
    }
    const int64_t source = random_.number(0, 2);
    const auto begin = static_cast<std::size_t>(random_.number(0, 4000));
    const auto size = static_cast<std::size_t>(random_.number(1, 1000));
    node.bytes = source == 2 ? pool_.substr(begin, size) : random_.bytes(300);
    siblings.push_back(node);
    if (source == 0) return {position.id, to_bytes(node.bytes), std::move(metadata)};
    if (source == 2) {
      const std::string part = "/vsisubfile/" + std::to_string(begin) + "_" + std::to_string(size) + ",";
      return {position.id, part + shop_.source("pool"), std::move(metadata)};
    }
    const std::string name = "file" + std::to_string(num_files_++);
    shop_.add(name, node.bytes);
    return {position.id, shop_.source(name), std::move(metadata)};
  }

  /// A column without stated type that is null in all samples has the type null.
  void find_types() {
    auto rows = roots;
    for (std::size_t level = 0; !rows.empty(); ++level, rows = next_level(rows)) {
      for (std::size_t f = 0; f < fields[level].size(); ++f) {
        Field& field = fields[level][f];
        const auto is_null = [&](const Expected& node) { return node.values[f].is_null(); };
        if (field.stated.empty() && std::all_of(rows.begin(), rows.end(), is_null)) field.type = "null";
      }
    }
  }

  Random random_;
  const Workshop& shop_;
  std::string pool_;
  int depth_ = 0;
  bool is_irregular_ = false;
  int num_files_ = 0;
};

/// `path FILE key type=value ... bytes` of each sample, depth first.
Strings expected_lines(const RandomTree& tree, const std::vector<Expected>& nodes, std::size_t level = 0,
                       const std::string& above = "") {
  Strings out;
  for (const auto& node : nodes) {
    out.push_back(above + node.id + (node.children.empty() ? " FILE" : " FOLDER"));
    for (std::size_t f = 0; f < node.values.size(); ++f) {
      const Field& field = tree.fields[level][f];
      out.back() += " " + field.key + " " + field.type + "=" + shown(node.values[f]);
    }
    if (node.children.empty()) out.back() += " '" + node.bytes + "'";
    for (auto& line : expected_lines(tree, node.children, level + 1, above + node.id + "/"))
      out.push_back(std::move(line));
  }
  return out;
}

/// The same of what was read.
Strings found_lines(const DataFrame& frame, const std::string& above = "") {
  const auto table = table_of(frame);
  const auto row_ids = values_of(*table, "id"), types = values_of(*table, "type");
  Strings metadata(row_ids.size());
  for (const auto& column : frame.columns()) {
    if (column.name == "id" || column.name == "type" || column.name.starts_with("internal:")) continue;
    const auto cells = values_of(*table, column.name);
    for (std::size_t row = 0; row < cells.size(); ++row)
      metadata[row] += " " + column.name + " " + column.type + "=" + shown(cells[row]);
  }
  Strings out;
  for (std::size_t row = 0; row < row_ids.size(); ++row) {
    const auto& id = *row_ids[row].get<std::string>();
    out.push_back(above + id + " " + *types[row].get<std::string>() + metadata[row]);
    const auto position = static_cast<int64_t>(row);
    const auto node = frame.read(position);
    if (const auto* children = std::get_if<DataFrame>(&node)) {
      for (auto& line : found_lines(*children, above + id + "/")) out.push_back(std::move(line));
    } else {
      out.back() += " '" + to_text(frame.read_bytes(position)) + "'";
    }
  }
  return out;
}

/// `name type description` of the fields that the samples of a level state.
Strings descriptions(const std::vector<Field>& fields) {
  Strings out;
  for (const auto& field : fields) out.push_back(field.key + " " + lower(field.type) + " " + field.description);
  return out;
}
Strings descriptions(const Collection& made, std::size_t level) {
  Strings out;
  for (const auto& field : made.field_schema.at("level" + std::to_string(level))) {
    if (field.name != "id" && field.name != "type" && !field.name.starts_with("internal:"))
      out.push_back(field.name + " " + field.type + " " + field.description);
  }
  return out;
}

/// The values of each level, breadth first.
Strings level_values(const std::vector<Expected>& nodes) {
  Strings out;
  for (const auto& node : nodes) {
    out.push_back(node.id);
    for (const auto& value : node.values) out.back() += " " + shown(value);
  }
  return out;
}

Strings level_values(const Dataset& made, std::size_t level) {
  const DataFrame frame = made.sql("SELECT * FROM level" + std::to_string(level)).data();
  const auto table = table_of(frame);
  Strings out(static_cast<std::size_t>(frame.num_rows()));
  for (const auto& column : frame.columns()) {
    if (column.name == "type" || column.name.starts_with("internal:")) continue;
    const auto cells = values_of(*table, column.name);
    for (std::size_t row = 0; row < cells.size(); ++row)
      out[row] += column.name == "id" ? *cells[row].get<std::string>() : " " + shown(cells[row]);
  }
  return out;
}

}  // namespace

TEST_CASE("random trees with samples of every kind survive a round trip in both containers") {
  const Report report;  // a FILE before a FOLDER is a warning
  for (unsigned seed = 0; seed < rounds(30); ++seed) {
    CAPTURE(seed);
    const Workshop shop = Workshop::in_memory();
    const RandomTree tree(seed, shop);
    const Strings expected = expected_lines(tree, tree.roots);
    for (const std::string name : {"x.tacozip", "x"}) {
      CAPTURE(name);
      create({*tree.tortilla, collection()}, shop.out(name), {.task = {.jobs = 1 + static_cast<int>(seed % 2)}});
      const Dataset made = load(shop.out(name));
      CHECK(difference(found_lines(made.data()), expected) == "");
      auto rows = tree.roots;
      for (std::size_t level = 0; !rows.empty(); ++level, rows = next_level(rows)) {
        CAPTURE(level);
        CHECK(difference(descriptions(made.collection(), level), descriptions(tree.fields[level])) == "");
        CHECK(difference(level_values(made, level), level_values(rows)) == "");
        CHECK(made.level_rows(static_cast<int>(level)) == static_cast<int64_t>(rows.size()));
      }
      CHECK(faults(shop.out(name)) == "");
    }
    CHECK(load(shop.out("x")).pit_schema() == load(shop.out("x.tacozip")).pit_schema());
  }
}

}  // namespace tacore
