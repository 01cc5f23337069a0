#include "assets/check.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "assets/classes.hpp"
#include "assets/order.hpp"
#include "assets/pixels.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/container.hpp"

namespace tacore::assets {
namespace {

std::string named(const Layer& layer) { return layer.name.empty() ? "the samples" : in_quotes(layer.name); }

/// AST-1: headers that cannot be read, and AST-9: files of another type than their names say.
void check_headers(const Survey& survey, std::vector<Finding>& out) {
  struct Ending {
    std::string_view suffix, format;
  };
  static constexpr Ending kEndings[] = {{".tif", "GTiff"}, {".tiff", "GTiff"},      {".png", "PNG"}, {".jpg", "JPEG"},
                                        {".jpeg", "JPEG"}, {".jp2", "JP2OpenJPEG"}, {".gif", "GIF"}, {".webp", "WEBP"}};
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    if (layer.type != SampleType::File) continue;
    Finding unreadable{.rule = "AST-1", .layer = number}, other{.rule = "AST-9", .layer = number};
    const auto& table = survey.container->stored_level(layer.level);
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const AssetFacts& facts = layer.facts[i];
      if (!facts.fault.empty()) {
        unreadable.rows.push_back(i);
        if (unreadable.faults.size() < kMostTold)
          unreadable.faults.push_back({i, "its header cannot be read: " + facts.fault});
      }
      const std::string id = table->text(table->find(names::kId), layer.rows[i]).value_or("");
      for (const Ending& ending : kEndings) {
        if (!facts.kind || !ends_with_ignoring_case(id, ending.suffix) || facts.kind->format == ending.format) continue;
        other.rows.push_back(i);
        if (other.faults.size() < kMostTold)
          other.faults.push_back({i, "its name is that of the format " + std::string(ending.format) +
                                         ", its content is " +
                                         (facts.kind->format == "BYTES" ? "of no known format" : facts.kind->format)});
      }
    }
    if (!unreadable.rows.empty()) out.push_back(std::move(unreadable));
    if (!other.rows.empty()) out.push_back(std::move(other));
  }
}

ClaimedLayer compare(const Survey& survey, std::size_t number, const CrsTransformer* transformer) {
  const Layer& layer = survey.layers[number];
  ClaimedLayer out{.layer = number, .claims = claims_of(survey, layer, transformer)};
  int column = -1;
  std::vector<Value> values;
  for (const Claim& claim : out.claims) {  // those of a column follow each other: it is read once
    Disagreement& found = out.found.emplace_back();
    if (claim.number != column) values = values_of(survey, layer, claim.number);
    column = claim.number;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto agrees = claim.agrees(values[i], i);
      found.num_compared += agrees.has_value();
      if (agrees == false) found.rows.push_back(i);
    }
  }
  return out;
}

/// The rows from which the values of a column are taken, after rows were moved: nullptr where it is none.
const Order* order_of(const std::vector<Order>& orders, std::size_t layer, const std::string& column) {
  for (const Order& order : orders) {
    if (order.layer == layer && std::ranges::find(order.columns, column, &MovedColumn::name) != order.columns.end())
      return &order;
  }
  return nullptr;
}

std::vector<Value> moved(std::vector<Value> values, const Order* order) {
  if (!order) return values;
  std::vector<Value> out;
  for (const std::size_t from : order->from) out.push_back(values[from]);
  return out;
}

Finding finding_of(const Survey& survey, const Order& order) {
  const Layer& layer = survey.layers[order.layer];
  Finding out{.rule = "AST-20", .layer = order.layer};
  std::map<Evidence, std::vector<std::string>> columns;
  for (const MovedColumn& column : order.columns) {
    out.columns.push_back(column.name);
    columns[column.evidence].push_back(column.name);
  }
  out.message = std::to_string(order.num_moved) + " of " + std::to_string(layer.size()) + " rows of " + named(layer) +
                " have the metadata of other rows: matched by " + order.key +
                (order.num_ambiguous > 0 ? ", " + std::to_string(order.num_ambiguous) + " of them not for sure" : "");
  out.reason = "the metadata of another row describes this file";
  const auto tell = [&](Evidence evidence, const std::string& why) {
    if (!columns[evidence].empty()) out.reason += "; " + join(columns[evidence], ", ") + ": " + why;
  };
  tell(Evidence::Files, "then agree with the files");
  tell(Evidence::Neighbours, "then are more alike among neighbours on the ground");
  tell(Evidence::None, "assumed to belong to them");
  out.message += "; columns " + join(out.columns, ", ");
  out.confidence = order.num_ambiguous > 0 ? 0.8 : 0.99;
  std::vector<std::vector<Value>> values;
  for (const MovedColumn& column : order.columns) values.push_back(values_of(survey, layer, column.number));
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (order.from[i] == i) continue;
    out.rows.push_back(i);
    Change change{.index = i};
    for (const auto& column : values) {
      change.old_values.push_back(column[i]);
      change.new_values.push_back(column[order.from[i]]);
    }
    out.changes.push_back(std::move(change));
  }
  return out;
}

/// What a claim says in the rows that disagree with their files, and the changes that remain to be made once rows have
/// been moved.
Finding finding_of(const Survey& survey, std::size_t number, const Claim& claim, const Disagreement& found,
                   const Order* order) {
  const Layer& layer = survey.layers[number];
  Finding out{.rule = claim.rule, .layer = number, .columns = {claim.column}, .rows = found.rows};
  const auto values = values_of(survey, layer, claim.number);
  for (const std::size_t i : found.rows) {
    if (out.faults.size() == kMostTold) break;
    out.faults.push_back({i, claim.column + " states " + text_of(values[i]) + ", the file has " + claim.found(i)});
  }
  const auto later = moved(values, order);
  for (std::size_t i = 0; i < later.size(); ++i) {
    if (claim.agrees(later[i], i) != false) continue;
    Value right = claim.right(later[i], i);
    if (!right.is_null())
      out.changes.push_back({.index = i, .old_values = {later[i]}, .new_values = {std::move(right)}});
  }
  if (out.changes.empty()) return out;
  out.reason = claim.means + " of the file";
  out.confidence = claim.is_guess ? 0.8 : 1;
  out.is_accepted = !claim.is_guess;
  return out;
}

/// Findings of the columns of a layer that disagree with its files, without the rows whose metadata moved.
std::vector<Finding> claim_findings(const Survey& survey, const ClaimedLayer& claimed,
                                    const std::vector<Order>& orders) {
  std::vector<Finding> out;
  for (std::size_t c = 0; c < claimed.claims.size(); ++c) {
    const Claim& claim = claimed.claims[c];
    const Disagreement& found = claimed.found[c];
    // A guess that agrees with the files only after rows are moved is part of the finding about these rows.
    if (claim.rule.empty() || found.rows.empty() || !is_believed(claim, found.num_compared, found.rows.size()))
      continue;
    out.push_back(finding_of(survey, claimed.layer, claim, found, order_of(orders, claimed.layer, claim.column)));
  }
  return out;
}

std::vector<Finding> value_patterns(const Survey& survey, std::size_t layer, const std::vector<Order>& orders) {
  const auto& columns = survey.container->stored_level(survey.layers[layer].level)->columns();
  const auto read = [&](int column) {
    return moved(values_of(survey, survey.layers[layer], column),
                 order_of(orders, layer, columns[static_cast<std::size_t>(column)].name));
  };
  auto out = column_patterns(survey, layer, read);
  std::ranges::move(path_patterns(survey, layer), std::back_inserter(out));
  return out;
}

}  // namespace

AssetReport check_assets(const std::shared_ptr<const Container>& container, const SurveyOptions& options) {
  AssetReport out{.survey = survey(container, options)};
  const Survey& all = out.survey;
  const std::size_t num_layers = all.layers.size();
  const auto add = [&](std::vector<Finding> findings) {
    std::ranges::move(findings, std::back_inserter(out.findings));
  };
  const auto for_each_layer = [&](const std::function<void(std::size_t layer)>& body) {
    run_parallel(num_layers, num_threads(options.jobs), body);
  };
  const auto add_of_layers = [&](const std::function<std::vector<Finding>(std::size_t layer)>& find) {
    std::vector<std::vector<Finding>> found(num_layers);
    for_each_layer([&](std::size_t layer) { found[layer] = find(layer); });
    for (auto& each : found) add(std::move(each));
  };
  check_headers(all, out.findings);
  std::vector<ClaimedLayer> claimed(num_layers);
  for_each_layer([&](std::size_t layer) { claimed[layer] = compare(all, layer, options.transformer); });
  const auto orders = find_orders(all, claimed);
  // Rows are moved before anything else is changed.
  for (const Order& order : orders) out.findings.push_back(finding_of(all, order));
  add_of_layers([&](std::size_t layer) { return claim_findings(all, claimed[layer], orders); });
  add_of_layers([&](std::size_t layer) { return value_patterns(all, layer, orders); });
  add(sample_patterns(all));
  add(series_patterns(all));
  add_of_layers([&](std::size_t layer) { return jump_patterns(all, layer); });
  std::optional<PixelReport> pixels;
  if (options.pixels) pixels = read_pixels(all, options);
  add_of_layers([&](std::size_t layer) { return class_patterns(all, layer, pixels ? &pixels->classes : nullptr); });
  if (pixels) add(std::move(pixels->findings));
  return out;
}

}  // namespace tacore::assets
