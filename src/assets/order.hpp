#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "assets/claims.hpp"
#include "assets/survey.hpp"

namespace tacore::assets {

/// How it is known that the values of a column belong to other rows.
enum class Evidence {
  Files,       ///< they contradict the files where they are, and agree with them in the other order
  Neighbours,  ///< in the other order, samples that are neighbours on the ground have more similar values
  None         ///< nothing tells; columns of one table are usually moved together
};

struct MovedColumn {
  int number = -1;  ///< in the level table
  std::string name = {};
  Evidence evidence = Evidence::None;
};

/// Metadata that belongs to other rows of its layer.
struct Order {
  std::size_t layer = 0;               ///< in Survey::layers
  std::vector<std::size_t> from = {};  ///< for each row of the layer, the row whose values belong to it
  std::size_t num_moved = 0;           ///< rows whose values belong to another one
  std::size_t num_ambiguous = 0;       ///< of these, rows for which several others would fit
  std::string key = {};                ///< what the rows were matched by
  std::vector<MovedColumn> columns = {};
};

/// What was found of a claim: the rows that disagree with their files.
struct Disagreement {
  std::size_t num_compared = 0;
  std::vector<std::size_t> rows = {};  ///< indices of the layer
};

/// Whether a column is taken for a claim: a guess has to agree with nearly all files.
bool is_believed(const Claim& claim, std::size_t num_compared, std::size_t num_wrong);

/// A layer and its claims, each with the values of its column.
struct ClaimedLayer {
  std::size_t layer = 0;
  std::vector<Claim> claims = {};
  std::vector<Disagreement> found = {};  ///< of each claim
};

/// Finds the layers whose metadata is in another order than their files: those of which the files say, row by row, that
/// another row describes them. `claimed` are in the order of the layers.
std::vector<Order> find_orders(const Survey& survey, const std::vector<ClaimedLayer>& claimed);

}  // namespace tacore::assets
