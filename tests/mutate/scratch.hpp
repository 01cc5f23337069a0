#pragma once

#include <filesystem>
#include <string>

#include "case.hpp"

namespace tacore::mutate {

/// A dataset written out, one file of it changed at a time. The folder goes with it.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::string root() const { return root_.string(); }
  std::string path(const Source& source) const { return (root_ / source.open).string(); }

  void write(const Source& source);
  void change(const Source& source, const Changed& changed);
  /// Undoes change().
  void restore(const Source& source, const Changed& changed);

 private:
  void put(const File& file, const Bytes& bytes) const;

  std::filesystem::path root_;
};

}  // namespace tacore::mutate
