#include "validate/names.hpp"

#include <algorithm>
#include <numeric>

namespace tacore::validator {

void Names::add(std::string_view name) {
  if (ascends_ && size() > 0 && (*this)[size() - 1] >= name) ascends_ = false;
  text_ += name;
  ends_.push_back(text_.size());
}

std::string_view Names::operator[](std::size_t position) const {
  const uint64_t begin = position == 0 ? 0 : ends_[position - 1];
  return std::string_view(text_).substr(begin, ends_[position] - begin);
}

void Names::sort() {
  sorted_.clear();
  if (ascends_) return;
  sorted_.resize(size());
  std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
  std::sort(sorted_.begin(), sorted_.end(), [this](std::size_t a, std::size_t b) {
    const int order = (*this)[a].compare((*this)[b]);
    return order != 0 ? order < 0 : a < b;
  });
}

std::optional<std::size_t> Names::find(std::string_view name) const {
  if (next_ < size() && (*this)[next_] == name) return next_++;
  const auto at = [this](std::size_t rank) { return sorted_.empty() ? rank : sorted_[rank]; };
  std::size_t first = 0, count = size();
  while (count > 0) {
    const std::size_t half = count / 2;
    if ((*this)[at(first + half)] < name) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (first == size() || (*this)[at(first)] != name) return std::nullopt;
  next_ = at(first) + 1;
  return at(first);
}

std::vector<std::size_t> Names::duplicates() const {
  std::vector<std::size_t> out;
  for (std::size_t rank = 1; rank < sorted_.size(); ++rank) {
    if ((*this)[sorted_[rank]] == (*this)[sorted_[rank - 1]]) out.push_back(sorted_[rank]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void Entries::add(std::string_view name, uint64_t offset, uint64_t size) {
  names_.add(name);
  offsets_.push_back(offset);
  sizes_.push_back(size);
  marked_.push_back(false);
}

}  // namespace tacore::validator
