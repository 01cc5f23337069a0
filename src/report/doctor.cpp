#include "tacore/ops/doctor.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/facts.hpp"
#include "describe/pit_tree.hpp"
#include "io/vsi_path.hpp"
#include "proof/statement.hpp"
#include "report/issue_page.hpp"
#include "report/reading.hpp"

namespace tacore {
namespace {

using descriptions::Facts;
using descriptions::grouped;
using report::counted;

constexpr std::size_t kLeastDescription = 100;  // characters: a sentence or two
constexpr std::size_t kLeastKeywords = 3;
constexpr int kWrong = 100, kUntrue = 90, kDoubtful = 50;  // benefits

/// The items of a card, by part. In an advice, PATH is that of a local dataset; what is on a server is not changed
/// there.
class Items {
 public:
  explicit Items(const std::string& path) : path_(is_remote(path) ? "PATH" : path) {}

  void add(CardPart part, const char* principle, std::string what, bool is_met, std::string found, std::string advice,
           int benefit) {
    if (const auto at = advice.find("PATH"); at != advice.npos) advice.replace(at, 4, path_);
    out_.push_back({.part = part,
                    .principle = principle,
                    .what = std::move(what),
                    .is_met = is_met,
                    .found = std::move(found),
                    .advice = is_met ? "" : std::move(advice),
                    .benefit = is_met ? 0 : benefit});
  }
  void add(std::vector<CardItem> items) { std::ranges::move(items, std::back_inserter(out_)); }

  std::vector<CardItem> take() {
    std::ranges::stable_sort(out_, {}, &CardItem::part);
    return std::move(out_);
  }

 private:
  std::string path_;
  std::vector<CardItem> out_ = {};
};

/// An item for the errors, and one for the warnings, of the rules that `belongs` says.
template <class Belongs>
void judge_issues(Items& items, const std::vector<Issue>& issues, CardPart part, const std::string& what, int benefit,
                  const std::string& advice, const Belongs& belongs) {
  for (const Severity severity : {Severity::Error, Severity::Warning}) {
    const bool is_error = severity == Severity::Error;
    std::map<std::string, int64_t> rules;
    for (const Issue& issue : issues) {
      if (issue.severity == severity && belongs(issue)) rules[issue.rule] += issue.num_issues;
    }
    std::vector<std::string> found;
    for (const auto& [rule, count] : rules)
      found.push_back(rule + (count > 1 ? " (" + std::to_string(count) + ")" : ""));
    items.add(part, "", what + (is_error ? ": no error" : ": no warning"), rules.empty(),
              rules.empty() ? "none" : join(found, ", "), advice, is_error ? benefit : kDoubtful);
  }
}

void judge_truth(Items& items, const ReportCard& card) {
  const auto is_asset = [](const Issue& issue) { return issue.rule.starts_with("AST-"); };
  judge_issues(items, card.issues, CardPart::Specification, "The specification", kWrong,
               "taco validate PATH tells each fault, docs/rules.md each rule",
               [&](const Issue& issue) { return !is_asset(issue); });
  // Files are not looked at where the structure is wrong.
  if (std::ranges::any_of(card.issues,
                          [&](const Issue& issue) { return issue.severity == Severity::Error && !is_asset(issue); }))
    return;
  judge_issues(items, card.issues, CardPart::Truth, "Metadata and files agree", kUntrue,
               "taco repair PATH -o plan.json proposes what mends them", is_asset);
}

/// The columns that are not described.
std::vector<std::string> undescribed(const Facts& facts) {
  std::vector<std::string> out;
  for (std::size_t level = 0; level < facts.levels.size(); ++level) {
    for (const FieldDescription& field : facts.levels[level].fields) {
      if (trimmed(field.description).empty()) out.push_back("level" + std::to_string(level) + " " + field.name);
    }
  }
  return out;
}

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost)));
  return join(some, ", ") + (names.size() > kMost ? ", ..." : "");
}

bool has_column(const Facts& facts, const std::set<std::string>& names) {
  return std::ranges::any_of(facts.levels, [&](const descriptions::LevelFacts& level) {
    return std::ranges::any_of(level.fields, [&](const FieldDescription& field) { return names.contains(field.name); });
  });
}

void judge_findable(Items& items, const Facts& facts, const Extent& extent) {
  const Collection& about = facts.collection;
  constexpr CardPart part = CardPart::Findable;
  items.add(part, "F1", "A persistent identifier (DOI) of the dataset", !facts.self.doi.empty(),
            facts.self.doi.empty() ? "none" : facts.self.doi,
            "register one, and name it: taco edit PATH --set-json scientific={\"doi\": \"10.1234/5678\"}", 30);
  items.add(part, "F2", "A title in words", about.title && *about.title != about.id, about.title.value_or("none"),
            "taco edit PATH --set title=...", 15);
  items.add(part, "F2", "Three keywords or more", facts.keywords().size() >= kLeastKeywords,
            facts.keywords().empty() ? "none" : join(facts.keywords(), ", "), "taco edit PATH --set keywords=...", 10);
  items.add(part, "F4", "The area that the samples cover is known", extent.spatial.has_value(),
            extent.spatial ? descriptions::in_words(*extent.spatial) : "unknown",
            "add stac:centroid or istac:geometry: taco create --extensions stac", 20);
  items.add(part, "F4", "The time that the samples cover is known", extent.temporal.has_value(),
            extent.temporal ? descriptions::in_words(*extent.temporal) : "unknown",
            "add stac:time_start: taco create --extensions stac", 15);
}

void judge_access(Items& items, const ReportCard& card, const Facts& facts) {
  const bool is_published = is_remote(card.path);
  items.add(CardPart::Accessible, "A1", "Read by its URL, in parts, over an open protocol", is_published,
            is_published ? "yes" : "a local path", "taco publish PATH, or any web server or object store", 25);
  const bool is_whole = facts.format == Format::Zip || !facts.collection.sources.empty();
  items.add(CardPart::Accessible, "A1", "Few files, which stores and mirrors copy whole", is_whole,
            is_whole ? "yes" : "a folder with a file for each sample", "taco convert PATH to a .tacozip", 10);
}

void judge_interoperable(Items& items, const Facts& facts) {
  constexpr CardPart part = CardPart::Interoperable;
  const bool has_places = has_column(facts, {"istac:geometry", "stac:centroid", "istac:centroid"});
  items.add(part, "I1", "Places in the columns of the specification", has_places, has_places ? "yes" : "none",
            "taco create --extensions stac", 20);
  const bool has_times = has_column(facts, {"stac:time_start", "istac:time_start"});
  items.add(part, "I1", "Times in the columns of the specification", has_times, has_times ? "yes" : "none",
            "taco create --time-column COLUMN", 15);
  const std::size_t num_references = facts.publications.size() + !facts.self.citation.empty();
  items.add(part, "I3", "References to publications", num_references > 0, counted(num_references, "publication"),
            "add them with the extension publications", 10);
}

void judge_reusable(Items& items, const Facts& facts) {
  const Collection& about = facts.collection;
  constexpr CardPart part = CardPart::Reusable;
  const bool is_licensed = !about.licenses.empty() && std::ranges::all_of(about.licenses, [](const std::string& one) {
    return !descriptions::spdx_of(one).empty();
  });
  items.add(part, "R1.1", "A licence of the SPDX list", is_licensed,
            about.licenses.empty() ? "none" : join(about.licenses, ", "), "taco edit PATH --set licenses=CC-BY-4.0",
            40);
  std::vector<Contact> people = about.providers;
  std::ranges::copy(facts.curators(), std::back_inserter(people));
  const bool has_contact =
      std::ranges::any_of(people, [](const Contact& who) { return !who.email.empty() || !who.url.empty(); });
  items.add(part, "R1.2", "Somebody to ask, with an e-mail address or a URL", has_contact,
            counted(people.size(), "contact"), "taco edit PATH --set-json curators=...", 15);
  const auto is_number = [](const std::string& text) { return !text.empty() && std::ranges::all_of(text, is_digit); };
  const auto version = split(about.dataset_version, '.');
  items.add(part, "R1.2", "A version of numbers, such as 1.0.0", std::ranges::all_of(version, is_number),
            about.dataset_version, "taco edit PATH --set dataset_version=1.0.0", 5);
  const bool is_signed = about.json.find(kRootMember) != std::string::npos;
  const bool has_hashes = has_column(facts, {"taco:sha256"});
  items.add(part, "R1.2", "A proof against damage and forgery", is_signed || has_hashes,
            is_signed    ? "a signature"
            : has_hashes ? "SHA-256 of each file"
                         : "none",
            "taco sign PATH, or taco create --extensions sha256", 20);
}

void judge_documentation(Items& items, const Facts& facts) {
  const Collection& about = facts.collection;
  constexpr CardPart part = CardPart::Documentation;
  items.add(part, "F2", "A description of a sentence or more", about.description.size() >= kLeastDescription,
            counted(about.description.size(), "character"), "taco edit PATH --set description=...", 20);
  const auto missing = undescribed(facts);
  std::size_t num_columns = 0;
  for (const auto& level : facts.levels) num_columns += level.fields.size();
  items.add(part, "R1", "A description of each column, with its unit", missing.empty(),
            missing.empty() ? "of all " + counted(num_columns, "column")
                            : grouped(missing.size()) + " of " + counted(num_columns, "column") +
                                  " have none: " + first_of(missing),
            "taco edit PATH --columns, or describe_fields() before create",
            num_columns == 0 ? 0 : static_cast<int>(5 + 20 * missing.size() / num_columns));
  const bool has_split = has_column(facts, {"split"});
  items.add(part, "R1.3", "Splits for training and tests, and how they were made",
            has_split && !facts.split_strategy.empty(),
            !has_split                     ? "no column split"
            : facts.split_strategy.empty() ? "no strategy"
                                           : facts.split_strategy,
            "add the column split, and the extension split_strategy", 15);
  const auto is_labelled = [](const std::string& task) {
    return task.find("classification") != task.npos || task.find("segmentation") != task.npos ||
           task.find("detection") != task.npos;
  };
  if (std::ranges::any_of(about.tasks, is_labelled)) {
    items.add(part, "I2", "The names of the classes", !facts.labels.empty(),
              facts.labels.size() == 1 ? "1 class" : grouped(facts.labels.size()) + " classes",
              "add them with the extension labels", 25);
  }
  if (!facts.bands.empty() || has_column(facts, {"stac:tensor_shape", "stac:raster_shape"})) {
    items.add(part, "I2", "The names and wavelengths of the bands", !facts.bands.empty(),
              counted(facts.bands.size(), "band"), "add them with the extension optical_data", 15);
  }
  items.add(part, "R1", "What the data should not be used for, and their limits (responsible AI)",
            !facts.statements.empty(), counted(facts.statements.size(), "statement"),
            "add members rai:... of Croissant RAI: taco edit PATH --force --set rai:dataLimitations=...", 5);
}

}  // namespace

std::string_view to_string(CardPart part) noexcept {
  switch (part) {
    case CardPart::Specification: return "specification";
    case CardPart::Truth: return "truth";
    case CardPart::Findable: return "findable";
    case CardPart::Accessible: return "accessible";
    case CardPart::Interoperable: return "interoperable";
    case CardPart::Reusable: return "reusable";
    case CardPart::Documentation: return "documentation";
    case CardPart::Reading: return "reading";
  }
  return "";
}

ReportCard examine(std::string_view path, const DoctorOptions& options) {
  ReportCard out{.path = std::string(path)};
  out.issues = validate(path, {.deep = options.deep,
                               .base_path = options.base_path,
                               .assets = true,
                               .pixels = options.pixels,
                               .sample_size = options.sample_size,
                               .seed = options.seed,
                               .task = options.task,
                               .transformer = options.transformer,
                               .fallback = options.fallback});
  Items items(out.path);
  judge_truth(items, out);
  std::optional<Dataset> dataset;
  try {
    dataset = load(path, {.base_path = options.base_path});
  } catch (const Error&) {  // the issues say why
    out.items = items.take();
    return out;
  }
  const Facts facts = descriptions::gather_stated(*dataset, {});
  out.id = dataset->id();
  out.version = dataset->version();
  out.num_samples = dataset->num_rows();
  out.num_checked = options.sample_size > 0 ? std::min(options.sample_size, out.num_samples) : out.num_samples;
  judge_findable(items, facts, dataset->known_extent());
  judge_access(items, out, facts);
  judge_interoperable(items, facts);
  judge_reusable(items, facts);
  judge_documentation(items, facts);
  report::Reading reading = report::measure_reading(*dataset, options);
  items.add(std::move(reading.items));
  out.reading = std::move(reading.speed);
  out.items = items.take();
  return out;
}

std::vector<CardItem> advice(const ReportCard& card) {
  std::vector<CardItem> out;
  std::ranges::copy_if(card.items, std::back_inserter(out), [](const CardItem& item) { return !item.is_met; });
  std::ranges::stable_sort(out, std::greater(), &CardItem::benefit);
  return out;
}

}  // namespace tacore
