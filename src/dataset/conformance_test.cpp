#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "container/zip_directory.hpp"
#include "dataset/dataset_impl.hpp"
#include "format/zip_records.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"

// One suite over the same dataset in every container: each question has the same answer in all of them.
namespace {

using namespace tacore;

// One ZIP as every other container.

using Levels = std::vector<NamedArrays>;

/// The levels of a ZIP, columns as one array each.
Levels levels_of(const std::string& zip) {
  const Dataset dataset = load(zip);
  const Container& container = *impl_of(dataset)->base.container();
  Levels out;
  for (int k = 0; k < container.num_levels(); ++k) {
    const LevelTable& level = *container.stored_level(k);
    NamedArrays columns;
    for (std::size_t c = 0; c < level.columns().size(); ++c) {
      const auto rows = level_rows(container.stored_level(k), std::nullopt, 0, level.num_rows());
      columns.emplace_back(level.columns()[c].name, rows->array(static_cast<int>(c), 0, level.num_rows()));
    }
    out.push_back(std::move(columns));
  }
  return out;
}

void write_levels(const TemporaryFolder& folder, const std::string& where, Levels levels,
                  const std::function<void(NamedArrays&)>& change) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    change(levels[k]);
    folder.write(where + "/level" + std::to_string(k) + ".parquet", parquet_text(levels[k]));
  }
}

std::string as_folder(const TemporaryFolder& folder, const std::string& zip, const Levels& levels) {
  const auto source = local_storage()->open(zip);
  const auto entries = read_directory(*source);
  const auto offsets = payload_offsets(*source, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].name.starts_with("DATA/")) continue;
    folder.write("plain/" + entries[i].name, to_text(source->read({offsets[i], entries[i].size})));
  }
  write_levels(folder, "plain/METADATA", levels, [](NamedArrays& columns) {
    std::erase_if(columns, [](const auto& c) { return c.first == "internal:offset" || c.first == "internal:size"; });
  });
  folder.write("plain/COLLECTION.json", load(zip).collection().json);
  return folder.path("plain");
}

std::string little_endian(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

/// `.tacocat/`, `__TACOCAT__` and TACOLLECTION.json over one ZIP in `cat/`.
void as_tacocat(const TemporaryFolder& folder, const std::string& zip, const Levels& levels) {
  const std::string name = fs::path(zip).filename().string();
  fs::create_directories(folder.path("cat"));
  fs::copy_file(zip, folder.path("cat/" + name));
  write_levels(folder, "cat/.tacocat", levels, [&](NamedArrays& columns) {
    const auto rows = static_cast<std::size_t>(columns[0].second->length());
    columns.emplace_back("internal:source_file", texts(std::vector<std::optional<std::string>>(rows, name)));
  });
  const std::string document = load(zip).collection().json;
  folder.write("cat/.tacocat/COLLECTION.json", document);

  std::string header = std::string("TACOCAT\0", 8) + little_endian(1, 4) + little_endian(levels.size() - 1, 4), body;
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string level =
        k < levels.size() ? file_text(folder.path("cat/.tacocat/level" + std::to_string(k) + ".parquet")) : "";
    header += k < levels.size() ? little_endian(128 + body.size(), 8) + little_endian(level.size(), 8)
                                : std::string(16, '\0');
    body += level;
  }
  header += little_endian(128 + body.size(), 8) + little_endian(document.size(), 8);
  folder.write("cat/__TACOCAT__", header + body + document);

  const std::string sources = ", \"taco:sources\": {\"count\": 1, \"ids\": [\"one\"], \"files\": [\"" + name +
                              "\"], \"extents\": [{\"file\": \"" + name + "\", \"id\": \"one\"}]}}";
  folder.write("cat/TACOLLECTION.json", document.substr(0, document.rfind('}')) + sources);
}

struct Everywhere {
  TemporaryFolder folder;
  std::vector<std::string> paths;

  explicit Everywhere(const std::string& zip) {
    const Levels levels = levels_of(zip);
    as_tacocat(folder, zip, levels);
    paths = {zip, as_folder(folder, zip, levels), folder.path("cat/.tacocat"), folder.path("cat/__TACOCAT__"),
             folder.path("cat/TACOLLECTION.json")};
  }
};

// The questions.

using Answers = std::map<std::string, std::string>;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += word + "\n";
  return out;
}

/// The visible content of a frame without the path, which names the container. SQL, through which every row of several
/// ZIPs comes, counts time in microseconds at least; the values are the same.
std::string content(const DataFrame& frame) {
  auto names = column_names(frame);
  std::erase_if(names, [](const std::string& n) { return n.starts_with("internal:"); });
  std::string out;
  for (const auto& column : frame.columns()) {
    const std::string type = column.type == "timestamp[ms]" ? "timestamp[us]" : column.type;
    if (!column.name.starts_with("internal:")) out += column.name + " " + type + "\n";
  }
  return out + dump(frame.select(names));
}

void walk(const DataFrame& frame, const std::string& path, Answers& out) {
  out["rows of " + path] = content(frame);
  out["level of " + path] = std::to_string(frame.level());
  std::vector<int64_t> files;
  std::string bytes;
  const auto names = ids(frame);
  for (int64_t i = 0; i < frame.num_rows(); ++i) {
    const Node node = frame.read(i);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      walk(*below, path + "/" + std::to_string(i), out);
    } else {
      bytes += to_text(frame.read_bytes(i)) + "\n";
      files.push_back(i);
    }
  }
  out["bytes of " + path] = bytes;
  std::string together;
  for (const Bytes& one : frame.read_bytes(files)) together += to_text(one) + "\n";
  out["bytes of " + path + " in one go"] = together;
}

/// An answer or an error without the path in it: both have to be the same. What follows the first colon of an error
/// lists columns, and each container has its own internal ones.
void ask(Answers& out, const std::string& question, const std::function<std::string()>& answer) {
  try {
    out[question] = answer();
  } catch (const Error& error) {
    out[question] = "error: " + error.message().substr(0, error.message().find(": "));
  }
}

Answers answers(const Dataset& dataset) {
  Answers out;
  out["id"] = dataset.id();
  out["tree"] = dataset.pit_schema().to_json();
  out["rows"] = std::to_string(dataset.num_rows());
  const int depth = dataset.pit_schema().max_depth();
  for (int k = 0; k <= depth; ++k) {
    const std::string level = "level " + std::to_string(k);
    out["rows of " + level] = std::to_string(dataset.level_rows(k));
    ask(out, "columns of " + level, [&] {
      std::string all;
      for (const auto& column : dataset.level_columns(k)) all += column.name + " " + column.type + "\n";
      return all;
    });
    ask(out, "ids by SQL of " + level,
        [&] { return joined(ids(dataset.sql("SELECT id FROM level" + std::to_string(k)).data())); });
    ask(out, "bbox at " + level, [&] { return content(dataset.filter_bbox(-10, 0, 60, 60, {.level = k}).data()); });
    ask(out, "bbox at " + level + " over the antimeridian",
        [&] { return content(dataset.filter_bbox(170, -60, -100, 60, {.level = k}).data()); });
    ask(out, "time at " + level,
        [&] { return content(dataset.filter_datetime("2023-01-02/2023-02-02", {.level = k}).data()); });
    ask(out, "children left by the time at " + level, [&] {
      Answers inner;
      walk(dataset.filter_datetime("2023-01-02/2023-02-02", {.level = k}).data(), "", inner);
      std::string all;
      for (const auto& [question, answer] : inner) all += question + ": " + answer;
      return all;
    });
    for (const char* id : {"continuous", "weighted", "nan", "categorical", "one_pixel", "all_null", "it's", "nobody"}) {
      ask(out, "mean at " + level + " of " + id,
          [&] { return numbers_text(dataset.stats(Statistic::Mean, {.level = k, .id = id})); });
      ask(out, "p95 at " + level + " of " + id,
          [&] { return numbers_text(dataset.stats(Statistic::P95, {.bands = {1}, .level = k, .id = id})); });
    }
  }
  ask(out, "query", [&] { return content(dataset.sql("SELECT * FROM data WHERE id > 'b' ORDER BY id DESC").data()); });
  ask(out, "query on query", [&] {
    return content(dataset.sql("SELECT * FROM data WHERE id > 'b'").sql("SELECT * FROM data LIMIT 1").data());
  });
  ask(out, "join", [&] {
    return content(dataset
                       .sql("SELECT d.id, c.id AS child FROM data d JOIN level1 c ON c.\"internal:parent_id\" = "
                            "d.\"internal:current_id\" ORDER BY ALL")
                       .data());
  });
  ask(out, "navigation after a query", [&] {
    Answers inner;
    walk(dataset.sql("SELECT * FROM data ORDER BY id DESC").data(), "", inner);
    return joined({inner["rows of "], inner["bytes of "], inner["bytes of /0"]});
  });
  out["rsut"] = std::to_string(dataset.is_rsut()) + std::to_string(dataset.verify_rsut());
  walk(dataset.data(), "", out);
  const DataFrame rows = dataset.data();
  ask(out, "frame",
      [&] { return content(rows.filter("id > 'b'").sort("id", true).limit(2).with_column("n", "length(id)")); });
  ask(out, "unknown id", [&] { return content(children(rows, "nobody")); });
  ask(out, "unknown position", [&] { return content(std::get<DataFrame>(rows.read(1000))); });
  return out;
}

TEST_CASE("every container gives the same answers") {
  for (const std::string name :
       {"flat", "nested", "flat_padded", "nested_padded", "mixed_level1", "uneven_children", "six_levels",
        "permuted_offsets", "odd_names", "odd_names_nested", "times", "polygons", "lonlat_lists", "stats", "stats_flat",
        "snappy_v2pages", "zip64_records", "no_current_id"}) {
    CAPTURE(name);
    const Everywhere copies(golden(name + ".tacozip"));
    const Answers expected = answers(load(copies.paths[0]));
    for (const std::string& path : copies.paths) {
      CAPTURE(path);
      const Answers given = answers(load(path));
      CHECK(given.size() == expected.size());
      for (const auto& [question, answer] : expected) {
        CAPTURE(question);
        // An index of partitions tells how many rows it has from its own counts, which include padding, as long as it
        // opens none.
        const bool counted = question == "rows" || question == "tree" || question.starts_with("rows of level");
        if (counted && name.ends_with("_padded") && path.ends_with("TACOLLECTION.json")) continue;
        CHECK(given.at(question) == answer);
      }
    }
  }
}

TEST_CASE("four ZIPs give the same answers as .tacocat, __TACOCAT__, TACOLLECTION.json and a list of paths") {
  const std::string folder = golden("cascade_tacocat/");
  const Answers expected = answers(load(folder + ".tacocat"));
  std::vector<std::string> parts;
  for (const char* number : {"1", "2", "3", "4"}) parts.push_back(folder + "cascade_part000" + number + ".tacozip");
  const std::vector<Dataset> others{load(folder + "__TACOCAT__"), load(folder + "TACOLLECTION.json"), load(parts)};
  for (const Dataset& dataset : others) {
    CAPTURE(dataset.path());
    const Answers given = answers(dataset);
    for (const auto& [question, answer] : expected) {
      CAPTURE(question);
      // The index sorts its columns; a join without the source mixes rows of equal numbers, which the ZIPs of a list
      // number alike.
      if (question.starts_with("columns of") || question == "join" || question == "tree") continue;
      if (question.starts_with("bytes") || question.starts_with("ids") || question.starts_with("level"))
        CHECK(given.at(question) == answer);
      if (question.starts_with("rows of level") || question == "rows" || question == "rsut")
        CHECK(given.at(question) == answer);
    }
    for (int level = 0; level < 3; ++level) {
      const auto by_time = [&](const Dataset& d) {
        return ids(d.filter_datetime("2023-03-05/2023-05-05", {.level = level}).data());
      };
      const auto by_box = [&](const Dataset& d) {
        return ids(d.filter_bbox(60, 10, 150, 50, {.level = level}).data());
      };
      CHECK(by_time(dataset) == by_time(load(folder + ".tacocat")));
      CHECK(by_box(dataset) == by_box(load(folder + ".tacocat")));
    }
  }
}

TEST_CASE("published datasets in several formats give the same answers" * doctest::test_suite("external")) {
  if (missing(published("zip"))) return;
  const std::pair<std::string, std::string> twins[] = {{"zip/nested.tacozip", "folder/nested"},
                                                       {"zip/flat.tacozip", "folder/flat"},
                                                       {"zip/simple.tacozip", "folder/simple"},
                                                       {"folder/deep", "tacocat/deep"}};
  for (const auto& [one, other] : twins) {
    CAPTURE(one);
    CAPTURE(other);
    const Answers expected = answers(load(published(one))), given = answers(load(published(other)));
    for (const auto& [question, answer] : expected) {
      // Columns of an index are sorted, and ids of files differ where their writer numbered them anew.
      if (one == "folder/deep" && !question.starts_with("bytes") && !question.starts_with("ids")) continue;
      CAPTURE(question);
      CHECK(given.at(question) == answer);
    }
  }
}

}  // namespace
