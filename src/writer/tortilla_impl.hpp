#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/write/sample.hpp"
#include "writer/tree.hpp"

namespace tacore {

struct Tortilla::Impl {
  static const std::shared_ptr<const Impl>& of(const Tortilla& from) noexcept { return from.impl_; }

  Tree tree;
};
inline Tortilla tortilla_of(Tree tree) {
  return Tortilla(std::make_shared<const Tortilla::Impl>(Tortilla::Impl{std::move(tree)}));
}

/// The content of a sample: one of these members.
struct Sample::Content {
  std::optional<Payload> file = {};
  std::optional<Tortilla> children = {};
};

/// Why a field cannot be removed from the existing `keys`.
std::string why_not_popped(std::string_view key, const std::vector<std::string>& keys);

/// What a Tortilla is made of, for the library itself.
inline const std::shared_ptr<const Tortilla::Impl>& impl_of(const Tortilla& tortilla) noexcept {
  return Tortilla::Impl::of(tortilla);
}

}  // namespace tacore
