#include "reading.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "format/names.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/write/tabular.hpp"

namespace tacore::mutate {
namespace {

constexpr int kMaxLevels = 8;
constexpr int64_t kMaxRows = 200;  // that are navigated, of one frame

/// Keeps a digest of what is written.
class Digest : public tabular::Output {
 public:
  void write(std::string_view bytes) override {
    size_ += bytes.size();
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::string text() const { return std::to_string(size_) + "/" + std::to_string(hash_); }

 private:
  uint64_t size_ = 0;
  uint64_t hash_ = 0xcbf29ce484222325;
};

class Text : public tabular::Output {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text = {};
};

std::string digest(const Bytes& bytes) {
  Digest out;
  out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return out.text();
}

std::string cells(const DataFrame& frame, tabular::Encoding encoding = tabular::Encoding::Json) {
  Digest out;
  tabular::encode(frame, encoding, out);
  return out.text();
}

std::string column_text(const std::vector<Column>& columns) {
  std::string out;
  for (const auto& column : columns) out += column.name + " " + column.type + "; ";
  return out;
}

std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += std::to_string(value) + " ";
  return out;
}

class Reader {
 public:
  Reader(std::string path, std::string root) : path_(std::move(path)), root_(std::move(root)) {}

  Transcript run() {
    step("validate", [&] { return issues(); });
    step("collection", [&] { return read_collection(path_).json; });
    step("load", [&] {
      dataset_.emplace(load(path_));
      return std::string("opened");
    });
    if (dataset_) dataset();
    return std::move(out_);
  }

 private:
  template <class Body>
  void step(const std::string& name, const Body& body) {
    Outcome& out = out_[name];
    try {
      out.value = body();
    } catch (const Error& error) {
      out.failed = true;
      out.value = error.what();
      if (error.message().empty()) out.fault = "an error without a message";
      if (out.value.find(root_) == std::string::npos && !is_about_question(error))
        out.fault = "an error that does not say where: " + out.value;
    } catch (const std::exception& error) {
      out = {true, error.what(), std::string("untyped error: ") + error.what()};
    }
  }

  /// What a query, a filter or a statistic asks for is not there, by level or column: the dataset goes without saying.
  /// An error of SQL otherwise is damage that was taken for a fault of the query.
  static bool is_about_question(const Error& error) {
    if (!dynamic_cast<const QueryError*>(&error)) return false;
    return !error.message().starts_with("SQL: ") || error.message().find("column") != std::string::npos;
  }

  std::string issues() {
    std::string out;
    bool bad = false;
    for (const auto& issue : validate(path_, {.deep = true})) {
      bad = bad || issue.severity == Severity::Error;
      out += issue.rule + " " + issue.message + "\n";
      if (issue.message.empty() || issue.rule.empty()) throw std::logic_error("an issue without a rule or message");
    }
    return (bad ? "errors\n" : "fine\n") + out;
  }

  void dataset() {
    levels();
    step("root count", [&] { return std::to_string(dataset_->num_rows()); });
    frame("data", [&] { return dataset_->data(); });
    frame("raw", [&] { return dataset_->data_raw(); });
    frame("sql", [&] { return dataset_->sql("SELECT * FROM data ORDER BY id").data(); });
    frame("paths", [&] { return dataset_->sql("SELECT id, \"internal:gdal_vsi\" FROM data").data(); });
    filters();
    statistics();
    step("rsut", [&] { return std::string(dataset_->verify_rsut() ? "yes" : "no"); });
    step("walk", [&] {
      walk(dataset_->data(), "");
      return std::string();
    });
  }

  void levels() {
    for (int k = 0; k < kMaxLevels; ++k) {
      const std::string level = std::to_string(k);
      step("columns " + level, [&] { return column_text(dataset_->level_columns(k)); });
      const Outcome& columns = out_["columns " + level];
      if (columns.failed && columns.value.find("does not exist") != std::string::npos) {
        out_.erase("columns " + level);
        break;
      }
      if (columns.failed) return;
      depth_ = k;
      step("rows " + level, [&] { return std::to_string(dataset_->level_rows(k)); });
      step("count " + level, [&] {
        const auto frame = dataset_->sql("SELECT id, type FROM level" + level).data();
        return std::to_string(frame.num_rows());
      });
      frame("level " + level, [&] { return dataset_->sql("SELECT * FROM level" + level).data(); });
    }
    out_["levels"] = {.value = std::to_string(depth_ + 1)};
  }

  void frame(const std::string& name, const std::function<DataFrame()>& make) {
    std::optional<DataFrame> frame;
    step(name + " rows", [&] {
      frame.emplace(make());
      return std::to_string(frame->num_rows());
    });
    if (!frame) return;
    step(name + " columns", [&] { return column_text(frame->columns()); });
    step(name + " cells", [&] { return cells(*frame); });
    if (name == "data") step(name + " csv", [&] { return cells(*frame, tabular::Encoding::Csv); });
  }

  void filters() {
    for (int k = 0; k <= depth_; ++k) {
      const std::string level = std::to_string(k);
      const FilterOptions options{.column = "auto", .level = k};
      step("bbox " + level, [&] { return cells(dataset_->filter_bbox({-30, 0, 60, 42}, options).data()); });
      step("time " + level, [&] { return cells(dataset_->filter_datetime("2023-01-15/2024-06-30", options).data()); });
    }
  }

  void statistics() {
    step("stats 0", [&] { return numbers(dataset_->stats(Statistic::Mean)); });
    if (depth_ == 0) return;
    step("stats 1", [&] { return numbers(dataset_->stats(Statistic::Mean, {.level = 1, .id = "europe"})); });
  }

  void walk(const DataFrame& frame, const std::string& above) {
    out_["children " + above] = {.value = std::to_string(frame.num_rows())};
    const auto names = ids(frame, above);
    for (int64_t row = 0; row < std::min(frame.num_rows(), kMaxRows); ++row)
      sample(frame, row, above + names[static_cast<std::size_t>(row)]);
  }

  /// Samples go by their path, so that one that changed its id does not pass for another; of equal ones by position.
  std::vector<std::string> ids(const DataFrame& frame, const std::string& above) {
    std::vector<std::string> out;
    std::multiset<std::string> seen;
    step("ids " + above, [&] {
      Text text;
      const std::vector<std::string> id{"id"};
      tabular::encode(frame.select(id), tabular::Encoding::Json, text);
      for (const auto& row : nlohmann::json::parse(text.text))
        out.push_back(row["id"].is_string() ? row["id"].get<std::string>() : "null");
      return std::to_string(out.size());
    });
    out.resize(static_cast<std::size_t>(frame.num_rows()), "#");
    for (const auto& id : out) seen.insert(id);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (seen.count(out[i]) > 1) out[i] += "#" + std::to_string(i);
    }
    return out;
  }

  void sample(const DataFrame& frame, int64_t row, const std::string& path) {
    std::optional<Node> node;
    step("read " + path, [&] {
      node.emplace(frame.read(row));
      return std::string(std::holds_alternative<DataFrame>(*node) ? "FOLDER" : "FILE");
    });
    if (!node) return;
    if (const auto* children = std::get_if<DataFrame>(&*node)) {
      step("walk " + path, [&] {
        walk(*children, path + "/");
        return std::string();
      });
      return;
    }
    step("bytes " + path, [&] { return digest(frame.read_bytes(row)); });
  }

  std::string path_;
  std::string root_;
  std::optional<Dataset> dataset_;
  int depth_ = 0;
  Transcript out_;
};

// --- Comparing
// ---------------------------------------------------------------------------------------------------------------

bool starts(const std::string& name, std::initializer_list<const char*> prefixes) {
  for (const char* prefix : prefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

/// True for the bytes of some sample, as they were.
bool is_whole_sample(const Outcome& bytes, const Transcript& good) {
  return std::any_of(good.begin(), good.end(), [&](const auto& step) {
    return step.first.starts_with("bytes ") && !step.second.failed && step.second.value == bytes.value;
  });
}

bool names_padding(const std::string& text) { return text.find(names::kPadding) != std::string::npos; }

/// Padding is known by footers where they rule it out; those that lie, and sizes that padding has not, let it come to
/// light. Rows never go.
bool shows_padding(const std::string& step, const Outcome& outcome, const Transcript& good, const Transcript& now) {
  const auto told = [](const auto& s) { return names_padding(s.first) || names_padding(s.second.value); };
  if (std::none_of(now.begin(), now.end(), told)) return false;
  const auto before = good.find(step);
  const bool counts =
      starts(step, {"count ", "children ", "ids "}) || step.ends_with("rows") || starts(step, {"rows "});
  if (!counts || before == good.end() || before->second.failed) return false;
  return std::stoll(outcome.value) > std::stoll(before->second.value);
}

/// True when a rule lets a step give something else (case.hpp says why).
bool may_differ(const std::string& step, const Outcome& outcome, const Transcript& good, const Transcript& now,
                Rule rule, bool is_index) {
  if (step == "validate") return true;
  switch (rule) {
    case Rule::Exact: return false;
    case Rule::Pixels: return step.starts_with("bytes ");
    case Rule::Collection: return step == "collection" || (is_index && starts(step, {"bbox ", "time "}));
    case Rule::Cells:
    case Rule::Edited:
      if (!good.contains(step)) {
        return !step.starts_with("bytes ") || is_whole_sample(outcome, good) || names_padding(step);
      }
      if (starts(step, {"columns ", "bbox ", "time ", "stats ", "rsut", "read "}) || step.ends_with(" cells") ||
          step.ends_with(" columns") || step.ends_with(" csv")) {
        return true;
      }
      return shows_padding(step, outcome, good, now);
    case Rule::Places:
      return !starts(step, {"levels", "rows 0", "count 0", "root count"}) && !step.ends_with("data rows");
  }
  return false;
}

}  // namespace

Transcript read_everything(const std::string& path, const std::string& root) { return Reader(path, root).run(); }

std::string compare(const Transcript& good, const Transcript& now, Rule rule, bool is_index, bool is_checked) {
  std::string out;
  bool differs = false;
  for (const auto& [step, outcome] : now) {
    const auto before = good.find(step);
    const bool same =
        before != good.end() && before->second.failed == outcome.failed && before->second.value == outcome.value;
    if (same) continue;
    if (!outcome.fault.empty()) out += step + ": " + outcome.fault + "\n";
    if (outcome.failed || step == "validate") continue;
    differs = true;
    if (may_differ(step, outcome, good, now, rule, is_index)) continue;
    out += step + ": was " + (before == good.end() ? "not there" : tacore::in_quotes(before->second.value)) + ", is " +
           tacore::in_quotes(outcome.value) + "\n";
  }
  // What no reader can see at its speed, the checksums of the ZIP tell whoever asks.
  const auto validate = now.find("validate");
  const bool found = validate != now.end() && validate->second.value != good.at("validate").value;
  if (differs && is_checked && !found) out += "validate: nothing found, but other data\n";
  return out;
}

}  // namespace tacore::mutate
