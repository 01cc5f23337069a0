#include <algorithm>
#include <map>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/page.hpp"
#include "describe/pit_tree.hpp"
#include "report/issue_json.hpp"
#include "report/issue_page.hpp"
#include "tacore/ops/doctor.hpp"
#include "tacore/plumbing/secrets.hpp"

namespace tacore {
namespace {

using namespace descriptions;

/// Items that are met, and all.
std::map<CardPart, std::pair<int, int>> counts_of(const ReportCard& card) {
  std::map<CardPart, std::pair<int, int>> out;
  for (const CardItem& item : card.items) {
    auto& [met, all] = out[item.part];
    met += item.is_met;
    ++all;
  }
  return out;
}

std::string short_number(double value) { return rounded_number_text(value, 3); }

std::string items_html(const ReportCard& card) {
  std::string out;
  for (const auto& [part, count] : counts_of(card)) {
    std::string name(to_string(part));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    out += "<h3>" + name + ": " + std::to_string(count.first) + " of " + std::to_string(count.second) +
           "</h3><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + name +
           "\"><table class=\"card\"><thead><tr><th scope=\"col\"></th><th scope=\"col\">What a good dataset has</th>"
           "<th scope=\"col\">Found</th></tr></thead><tbody>";
    for (const CardItem& item : card.items) {
      if (item.part != part) continue;
      out += std::string("<tr><td>") + (item.is_met ? "yes" : "<span class=\"warning\">no</span>") + "</td><td>" +
             one_line(item.what) +
             (item.principle.empty() ? "" : " <span class=\"dim\">" + item.principle + "</span>") + "</td><td>" +
             one_line(item.found) + "</td></tr>";
    }
    out += "</tbody></table></div>";
  }
  return out;
}

std::string advice_html(const ReportCard& card) {
  std::string out;
  for (const CardItem& item : advice(card)) {
    out += "<li><strong>" + one_line(item.what) + "</strong>: " + one_line(item.found) + "<br>" +
           one_line(item.advice) + " <span class=\"dim\">benefit " + std::to_string(item.benefit) + "</span></li>";
  }
  return out.empty()
             ? "<p>Nothing is left to do.</p>"
             : "<p class=\"dim\">The most useful first; the benefit is from 0 to 100, above 60 where the dataset is "
               "wrong or cannot be read as it is.</p><ol>" +
                   out + "</ol>";
}

std::string reading_html(const std::optional<ReadingSpeed>& reading) {
  if (!reading) return "";
  const auto row = [](const std::string& name, const std::string& value) {
    return "<dt>" + name + "</dt><dd>" + value + "</dd>";
  };
  std::vector<std::string> inputs;
  for (const std::string& input : reading->inputs) inputs.push_back(input.empty() ? "the sample itself" : input);
  return "<dl>" + row("Samples read", grouped(static_cast<uint64_t>(reading->num_samples)) + ", drawn at random") +
         row("Inputs", one_line(join(inputs, ", "))) +
         row("Samples a second",
             grouped(static_cast<uint64_t>(reading->samples_per_second)) + ", with all threads of this machine") +
         row("First sample", short_number(1000 * reading->seconds_to_first) + " ms after the dataset is opened") +
         row("Requests a sample", short_number(reading->requests_in_order) + " in the order of the rows, " +
                                      short_number(reading->requests_shuffled) + " in random order, from a server") +
         "</dl>";
}

}  // namespace

std::string card2json(const ReportCard& card) {
  Json parts = Json::object(), items = Json::array(), order = Json::array();
  for (const auto& [part, count] : counts_of(card))
    parts[std::string(to_string(part))] = {{"met", count.first}, {"all", count.second}};
  for (const CardItem& item : card.items) {
    items.push_back({{"part", to_string(item.part)},
                     {"principle", item.principle},
                     {"what", item.what},
                     {"is_met", item.is_met},
                     {"found", item.found},
                     {"advice", item.advice},
                     {"benefit", item.benefit}});
  }
  for (const CardItem& item : advice(card)) {
    const auto found = std::ranges::find_if(
        card.items, [&](const CardItem& one) { return one.part == item.part && one.what == item.what; });
    order.push_back(found - card.items.begin());
  }
  Json reading;
  if (card.reading) {
    const ReadingSpeed& speed = *card.reading;
    reading = {{"inputs", speed.inputs},
               {"num_samples", speed.num_samples},
               {"samples_per_second", speed.samples_per_second},
               {"seconds_to_first", speed.seconds_to_first},
               {"num_bytes", speed.num_bytes},
               {"requests_in_order", speed.requests_in_order},
               {"requests_shuffled", speed.requests_shuffled}};
  }
  return dump(Json{{"path", redact(card.path)},
                   {"id", card.id},
                   {"version", card.version},
                   {"num_samples", card.num_samples},
                   {"num_checked", card.num_checked},
                   {"parts", std::move(parts)},
                   {"items", std::move(items)},
                   {"advice", std::move(order)},
                   {"reading", std::move(reading)},
                   {"issues", report::json_of(card.issues)}});
}

std::string card2html(const ReportCard& card, const DoctorOptions& options) {
  ReportOptions how{.sample_size = card.num_checked < card.num_samples ? card.num_checked : 0,
                    .transformer = options.transformer,
                    .fallback = options.fallback};
  how.load.base_path = options.base_path;
  report::IssueParts found = report::issue_parts(card.issues, card.path, how);
  Page page{.title = std::move(found.title), .kicker = "Report card of a TACO dataset"};
  int met = 0;
  for (const CardItem& item : card.items) met += item.is_met;
  page.lead = "<p>" + std::to_string(met) + " of " + std::to_string(card.items.size()) +
              " of what a good dataset has; the files of " +
              report::counted(static_cast<uint64_t>(card.num_checked), "sample") +
              " were compared with their metadata.</p>";
  page.sections = {{"What to improve", advice_html(card)}, {"Report card", items_html(card)}};
  if (card.reading) page.sections.push_back({"Reading", reading_html(card.reading)});
  std::ranges::move(found.parts, std::back_inserter(page.sections));
  if (found.has_map) page.footer = kAboutLand;
  return write_page(page);
}

}  // namespace tacore
