#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tacore/ops/doctor.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string parts_text(const ReportCard& card) {
  std::vector<std::vector<std::string>> lines;
  std::map<CardPart, std::pair<int, int>> counts;
  for (const CardItem& item : card.items) {
    counts[item.part].first += item.is_met;
    ++counts[item.part].second;
  }
  for (const auto& [part, count] : counts) {
    lines.push_back(
        {"  " + std::string(to_string(part)), std::to_string(count.first) + " of " + std::to_string(count.second)});
  }
  return left_aligned(lines);
}

/// Two decimals, "0.86".
std::string number(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.2f", value);
  return out;
}

std::string reading_text(const ReadingSpeed& speed) {
  return "  " + grouped(static_cast<uint64_t>(speed.samples_per_second)) +
         " samples a second here, the first one after " + number(1000 * speed.seconds_to_first) + " ms; " +
         number(speed.requests_in_order) + " requests a sample in order, " + number(speed.requests_shuffled) +
         " shuffled, from a server\n";
}

/// Words in lines of the width of the terminal, all but the first indented.
std::string paragraph(const std::string& first, const std::string& text) {
  std::string out;
  const std::string indent(first.size(), ' ');
  for (const std::string& line : fill(words(text), terminal_width() - first.size()))
    out += (out.empty() ? first : indent) + line + "\n";
  return out;
}

std::string card_text(const ReportCard& card) {
  std::string out = printable(card.path) + ": ";
  if (card.id.empty()) {
    out += "cannot be opened";
  } else {
    out += printable(card.id + " " + card.version) + ", " +
           count_of(static_cast<uint64_t>(card.num_samples), "sample") + ", " +
           grouped(static_cast<uint64_t>(card.num_checked)) + " compared with their files";
  }
  out += "\n\n" + parts_text(card);
  if (card.reading) out += "\n" + reading_text(*card.reading);
  const auto to_do = advice(card);
  if (!to_do.empty()) out += "\nWhat to improve, the most useful first (benefit from 0 to 100):\n";
  for (std::size_t i = 0; i < to_do.size(); ++i) {
    const CardItem& item = to_do[i];
    const std::string number = std::to_string(i + 1);
    out +=
        paragraph(std::string(number.size() < 2 ? 2 : 1, ' ') + number + ". ",
                  printable(item.what + " (" + std::to_string(item.benefit) + "): " + item.found + ". " + item.advice));
  }
  return out;
}

}  // namespace

int run_doctor(const DoctorCommandOptions& options) {
  const std::string& file = options.report;
  if (!file.empty()) {
    if (!is_html(file) && !file.ends_with(".json"))
      throw UsageError("--report: '" + file + "' does not end in .html or .json");
    check_output(file, options.overwrite);
  }
  DoctorOptions how = options.how;
  how.transformer = transformer();
  how.fallback = raster_opener();
  ReportCard card;
  run_copy(
      how.task, [&] { card = examine(options.path, how); }, "files");
  if (!file.empty()) {
    run_interruptibly([&] {
      with_output({file, options.overwrite}, {options.path},
                  [&](tabular::Output& to) { to.write(is_html(file) ? card2html(card, how) : card2json(card)); });
    });
  }
  print(options.json ? card2json(card) : card_text(card));
  const auto is_error = [](const Issue& issue) { return issue.severity == Severity::Error; };
  return std::any_of(card.issues.begin(), card.issues.end(), is_error) ? 1 : 0;
}

}  // namespace tacore::cli
