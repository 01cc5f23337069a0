#include "info_text.hpp"

#include <algorithm>
#include <vector>

#include <tacore/ops/describe.hpp>
#include <tacore/v1/collection.hpp>

#include "extent_text.hpp"
#include "layout.hpp"
#include "tree.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

constexpr std::size_t kIndent = 12;
constexpr std::size_t kMostLines = 5;  // of a description

std::string paragraph(std::string_view label, const std::vector<std::string>& items) {
  return labelled(label, fill(items, terminal_width() - kIndent));
}

/// Items with commas, each on one line.
std::vector<std::string> enumerated(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items) {
    out.push_back(printable(item) + (&item == &items.back() ? "" : ","));
  }
  return out;
}

std::string description(const std::string& text) {
  auto lines = fill(words(text), terminal_width());
  if (lines.size() > kMostLines) {
    lines.resize(kMostLines);
    lines.back() += " ...";
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string contact(const Contact& who) {
  std::vector<std::string> roles = who.roles;
  if (!who.role.empty()) roles.insert(roles.begin(), who.role);
  std::string out = who.name.empty() ? who.organization : who.name;
  if (!who.name.empty() && !who.organization.empty()) out += " - " + who.organization;
  for (std::size_t i = 0; i < roles.size(); ++i) out += (i == 0 ? " (" : ", ") + roles[i];
  return out + (roles.empty() ? "" : ")");
}

std::string contacts(std::string_view label, const std::vector<Contact>& list) {
  std::vector<std::string> items;
  for (const Contact& who : list) items.push_back(contact(who));
  return listed(label, items);
}

std::string level(const Dataset& dataset, int number) {
  const auto columns = dataset.level_columns(number);
  std::vector<std::string> items;
  for (const auto& [name, type] : columns) items.push_back(name + " (" + type + ")");
  const auto rows = static_cast<uint64_t>(dataset.level_rows(number));
  return labelled("Level " + std::to_string(number),
                  {count_of(rows, "row") + ", " + count_of(columns.size(), "column")}) +
         listed("", items);
}

std::string heading(const Dataset& dataset) {
  const Collection& collection = dataset.collection();
  std::string out;
  if (collection.title && !collection.title->empty()) out += printable(*collection.title) + "\n";
  out += printable(collection.id);
  if (!collection.dataset_version.empty()) out += " " + printable(collection.dataset_version);
  if (dataset.format() != Format::Tortilla)
    out += collection.taco_version.empty() ? ", TACO" : ", TACO " + printable(collection.taco_version);
  return out + ", " + to_string(dataset.format()) + "\n";
}

}  // namespace

std::string labelled(std::string_view label, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    std::string head(out.empty() ? label : "");
    head.resize(std::max(head.size() + 1, kIndent), ' ');
    out += head + line + "\n";
  }
  return out;
}

std::string listed(std::string_view label, const std::vector<std::string>& items) {
  return paragraph(label, enumerated(items));
}

std::string info_text(const Dataset& dataset) {
  const Collection& collection = dataset.collection();
  std::string out = heading(dataset) + description(collection.description) + "\n";
  out += listed("Licence", collection.licenses);
  out += contacts("Providers", collection.providers);
  if (collection.curators) out += contacts("Curators", *collection.curators);
  out += listed("Tasks", collection.tasks);
  if (collection.keywords) out += listed("Keywords", *collection.keywords);
  if (is_v1(dataset.format())) out += listed("Profiles", v1::profiles(dataset.level_columns(0)));
  const auto [box, time] = dataset.known_extent();
  out += labelled("Extent", {box ? in_words(*box) : "unknown"});
  if (time) out += labelled("Time", {in_words(*time)});
  for (const auto& [name, text] : collection_details(dataset)) out += paragraph(name, words(printable(text)));
  if (!collection.sources.empty()) {
    out += labelled("Partitions", {count_of(collection.sources.size(), "dataset")});
  }
  const PitSchema pit_schema = dataset.pit_schema();
  out += labelled("Tree", tree(pit_schema));
  for (int number = 0; number <= pit_schema.max_depth(); ++number) out += level(dataset, number);
  return out;
}

}  // namespace tacore::cli
