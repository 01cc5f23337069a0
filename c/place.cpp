#include "place.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "call.hpp"
#include "tacore/error.hpp"

namespace tacore::c {
namespace {

/// What a place is in messages.
std::string name_of(int64_t position, const char* child) {
  if (!is_below(child)) return "the sample at position " + std::to_string(position);
  const std::string id = "'" + std::string(child) + "'";
  return position < 0 ? "the sample " + id : id + " below position " + std::to_string(position);
}

Node read(const DataFrame& frame, int64_t position, const char* child) {
  if (is_below(child)) return rows_above(frame, position).read(std::string_view(child));
  if (position == -1) throw ArgumentError("position is -1, for which the path of ids `child` is needed");
  return frame.read(position);
}

}  // namespace

DataFrame rows_above(const DataFrame& frame, int64_t position) {
  if (position == -1) return frame;
  Node sample = frame.read(position);
  if (auto* rows = std::get_if<DataFrame>(&sample)) return std::move(*rows);
  throw NavigationError("the sample at position " + std::to_string(position) + " is a FILE, which has no children");
}

DataFrame children_at(const DataFrame& frame, int64_t position, const char* child) {
  Node sample = read(frame, position, child);
  if (auto* rows = std::get_if<DataFrame>(&sample)) return std::move(*rows);
  throw NavigationError(name_of(position, child) + " is a FILE, which has no children");
}

std::string path_at(const DataFrame& frame, int64_t position, const char* child) {
  if (is_below(child)) return rows_above(frame, position).vsi_path(std::string_view(child)).value;
  Node sample = read(frame, position, child);
  if (auto* path = std::get_if<VsiPath>(&sample)) return std::move(path->value);
  if (std::holds_alternative<DataFrame>(sample))
    throw NavigationError(name_of(position, child) + " is a FOLDER, which has no path of its own");
  // A FILE of format BYTES of a version before 2.0, which has a path all the same.
  const DataFrame row = frame.take(std::vector{position});
  return row.vsi_path(row.text(0, "id").value_or("")).value;
}

Bytes bytes_at(const DataFrame& frame, int64_t position, const char* child) {
  if (is_below(child)) return rows_above(frame, position).read_bytes(std::string_view(child));
  if (position == -1) throw ArgumentError("position is -1, for which the path of ids `child` is needed");
  return frame.read_bytes(position);
}

}  // namespace tacore::c
