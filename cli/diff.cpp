#include <unistd.h>

#include <algorithm>
#include <new>

#include <tacore/error.hpp>
#include <tacore/ops/diff.hpp>

#include "base/utf8.hpp"
#include "commands.hpp"
#include "copying.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

constexpr std::size_t kMostShown = 80;  // characters of a value, and of these so many before where it differs
constexpr std::size_t kBefore = 20;

/// `text` from a little before `begin` on, cut.
std::string shown(const std::string& text, std::size_t begin) {
  std::size_t start = text.size() <= kMostShown || begin < kBefore ? 0 : begin - kBefore;
  while (start < text.size() && utf8_length(std::string_view(text).substr(start)) == 0) ++start;
  std::size_t end = start;
  for (std::size_t n = 0; n < kMostShown && end < text.size(); ++n)
    end += utf8_length(std::string_view(text).substr(end));
  return (start > 0 ? "..." : "") + text.substr(start, end - start) + (end < text.size() ? "..." : "");
}

/// Both values where they differ.
std::string change(const ValueChange& value) {
  const std::string a = value.a ? printable(*value.a) : "null", b = value.b ? printable(*value.b) : "null";
  const auto differing = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const auto begin = static_cast<std::size_t>(differing - a.begin());
  return printable(value.name) + " " + shown(a, begin) + " -> " + shown(b, begin);
}

std::string line(const ColumnChange& column) {
  const auto& [name, a, b] = column.type;
  const std::string head = "level " + std::to_string(column.level) + " column " + printable(name) + ": ";
  if (!a) return head + "added, " + *b;
  if (!b) return head + "removed, " + *a;
  return head + *a + " -> " + *b;
}

std::string line(const SampleChange& sample) {
  const Colour colour = sample.change == ChangeKind::Added     ? Colour::Green
                        : sample.change == ChangeKind::Removed ? Colour::Red
                                                               : Colour::Yellow;
  std::string out = coloured(colour, to_string(sample.change), STDOUT_FILENO) + " " + printable(sample.path);
  std::string separator = ": ";
  for (const auto& field : sample.fields) {
    out += separator + change(field);
    separator = "; ";
  }
  if (!sample.bytes.empty()) out += separator + "data " + sample.bytes;
  return out;
}

std::string as_text(const Diff& found) {
  if (found.equal()) return "";
  std::string out;
  for (const auto& member : found.collection) out += "collection " + change(member) + "\n";
  for (const auto& column : found.columns) out += line(column) + "\n";
  for (const auto& sample : found.samples) out += line(sample) + "\n";
  const uint64_t all = found.num_added + found.num_removed + found.num_changed;
  if (all == 0) return out;
  if (const uint64_t more = all - found.samples.size(); more > 0) out += "and " + count_of(more, "more sample") + "\n";
  return out + count_of(found.num_added, "sample") + " added, " + std::to_string(found.num_removed) + " removed, " +
         std::to_string(found.num_changed) + " changed\n";
}

std::string text_or_null(const std::optional<std::string>& text) { return text ? json_string(*text) : "null"; }

std::string object(const ValueChange& value) {
  return json_object({{"name", json_string(value.name)}, {"a", text_or_null(value.a)}, {"b", text_or_null(value.b)}});
}

std::string object(const SampleChange& sample) {
  std::vector<std::string> fields;
  for (const auto& field : sample.fields) fields.push_back(object(field));
  return json_object({{"change", json_string(to_string(sample.change))},
                      {"level", std::to_string(sample.level)},
                      {"path", json_string(sample.path)},
                      {"fields", json_array(fields)},
                      {"data", sample.bytes.empty() ? "null" : json_string(sample.bytes)}});
}

std::string as_json(const Diff& found) {
  std::vector<std::string> members, columns, samples;
  for (const auto& member : found.collection) {
    members.push_back(json_object(
        {{"name", json_string(member.name)}, {"a", member.a.value_or("null")}, {"b", member.b.value_or("null")}}));
  }
  for (const auto& [level, type] : found.columns) {
    columns.push_back(json_object({{"level", std::to_string(level)},
                                   {"name", json_string(type.name)},
                                   {"a", text_or_null(type.a)},
                                   {"b", text_or_null(type.b)}}));
  }
  for (const auto& sample : found.samples) samples.push_back(object(sample));
  return json_object_lines({{"equal", found.equal() ? "true" : "false"},
                            {"added", std::to_string(found.num_added)},
                            {"removed", std::to_string(found.num_removed)},
                            {"changed", std::to_string(found.num_changed)},
                            {"collection", json_array(members)},
                            {"columns", json_array(columns)},
                            {"samples", json_array(samples)}});
}

int compare(const DiffCommandOptions& options) {
  Diff found;
  DiffOptions how = options.how;
  run_copy(how.task, [&] { found = diff(options.a, options.b, how); });
  print(options.json ? as_json(found) : as_text(found));
  return found.equal() ? 0 : 1;
}

}  // namespace

int run_diff(const DiffCommandOptions& options) {
  try {
    return compare(options);
  } catch (const std::bad_alloc&) {
    complain("out of memory", Colour::Red);
  } catch (const Error& error) {
    complain(error.what(), Colour::Red);
  }
  return 2;  // as of diff(1): 1 says that they differ
}

}  // namespace tacore::cli
