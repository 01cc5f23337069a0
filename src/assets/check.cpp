#include "assets/check.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "assets/classes.hpp"
#include "assets/order.hpp"
#include "assets/pixels.hpp"
#include "base/text.hpp"
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

std::vector<ClaimedLayer> compare(const Survey& survey, const CrsTransformer* transformer) {
  std::vector<ClaimedLayer> out;
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    ClaimedLayer claimed{.layer = number, .claims = claims_of(survey, layer, transformer)};
    int column = -1;
    std::vector<Value> values;
    for (const Claim& claim : claimed.claims) {  // those of a column follow each other: it is read once
      Disagreement& found = claimed.found.emplace_back();
      if (claim.number != column) values = values_of(survey, layer, claim.number);
      column = claim.number;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto agrees = claim.agrees(values[i], i);
        found.num_compared += agrees.has_value();
        if (agrees == false) found.rows.push_back(i);
      }
    }
    out.push_back(std::move(claimed));
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

}  // namespace

AssetReport check_assets(const std::shared_ptr<const Container>& container, const SurveyOptions& options) {
  AssetReport out{.survey = survey(container, options)};
  const Survey& all = out.survey;
  check_headers(all, out.findings);
  const auto claimed = compare(all, options.transformer);
  const auto orders = find_orders(all, claimed);
  // Rows are moved before anything else is changed.
  for (const Order& order : orders) out.findings.push_back(finding_of(all, order));
  for (const ClaimedLayer& one : claimed) {
    for (std::size_t c = 0; c < one.claims.size(); ++c) {
      const Order* order = order_of(orders, one.layer, one.claims[c].column);
      // A guess that holds only once rows are moved is told with these.
      if (one.claims[c].rule.empty() || one.found[c].rows.empty() ||
          !is_believed(one.claims[c], one.found[c].num_compared, one.found[c].rows.size()))
        continue;
      out.findings.push_back(finding_of(all, one.layer, one.claims[c], one.found[c], order));
    }
  }
  for (std::size_t layer = 0; layer < all.layers.size(); ++layer) {
    const auto read = [&](int column) {
      const auto& name =
          container->stored_level(all.layers[layer].level)->columns()[static_cast<std::size_t>(column)].name;
      return moved(values_of(all, all.layers[layer], column), order_of(orders, layer, name));
    };
    for (auto& finding : column_patterns(all, layer, read)) out.findings.push_back(std::move(finding));
    for (auto& finding : path_patterns(all, layer)) out.findings.push_back(std::move(finding));
  }
  const auto add = [&](std::vector<Finding> findings) {
    for (Finding& finding : findings) out.findings.push_back(std::move(finding));
  };
  add(sample_patterns(all));
  add(series_patterns(all));
  for (std::size_t layer = 0; layer < all.layers.size(); ++layer) add(jump_patterns(all, layer));
  std::optional<PixelReport> pixels;
  if (options.pixels) pixels = read_pixels(all, options);
  for (std::size_t layer = 0; layer < all.layers.size(); ++layer)
    add(class_patterns(all, layer, pixels ? &pixels->classes : nullptr));
  if (pixels) add(std::move(pixels->findings));
  return out;
}

}  // namespace tacore::assets
