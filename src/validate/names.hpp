#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacore::validator {

/// Many names in one block of memory: a million of them must not be a million objects.
class Names {
 public:
  void add(std::string_view name);
  std::size_t size() const noexcept { return ends_.size(); }
  /// The name with this position in the order of adding.
  std::string_view operator[](std::size_t position) const;

  /// Call it after the last add() and before find() and duplicates().
  void sort();
  /// The position of a name (of one of several equal ones). Fast when names are looked up in the order of adding.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The positions of names that occur earlier, too.
  std::vector<std::size_t> duplicates() const;

 private:
  std::string text_;
  std::vector<uint64_t> ends_;
  std::vector<std::size_t> sorted_;  ///< empty when they were added in order
  bool ascends_ = true;
  mutable std::size_t next_ = 0;
};

/// The files of one container by name, each with its location, and whether a row refers to it.
class Entries {
 public:
  void add(std::string_view name, uint64_t offset, uint64_t size);
  void sort() { names_.sort(); }
  std::size_t size() const noexcept { return names_.size(); }
  const Names& names() const noexcept { return names_; }
  uint64_t offset(std::size_t position) const { return offsets_[position]; }
  uint64_t size_of(std::size_t position) const { return sizes_[position]; }
  std::optional<std::size_t> find(std::string_view name) const { return names_.find(name); }

  void mark(std::size_t position) { marked_[position] = true; }
  bool is_marked(std::size_t position) const { return marked_[position]; }

 private:
  Names names_;
  std::vector<uint64_t> offsets_;
  std::vector<uint64_t> sizes_;
  std::vector<bool> marked_;
};

}  // namespace tacore::validator
