#pragma once

#include <string>
#include <vector>

#include "case.hpp"

namespace tacore::mutate {

/// What a file holds: an entry of a ZIP, a table or document of a `__TACOCAT__`, a header, sample, table or document of a
/// Tortilla, or the file as a whole.
struct Part {
  std::string name = {};
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t local = 0;  ///< ZIP: its local header
  uint64_t central = 0;
  uint64_t central_size = 0;
};

struct Archive {
  enum class Form { Plain, Zip, Tacocat, Tortilla } form = Form::Plain;
  std::vector<Part> parts = {};  ///< in the order of the file
  uint64_t directory = 0;        ///< ZIP
  uint64_t directory_end = 0;
  uint64_t end = 0;
};

Archive open_archive(const File& file);

/// True when the part can have another size without moving anything that offsets in tables name.
bool can_resize(const Archive& archive, const Part& part);

/// The file with another payload in a part, otherwise right: offsets, sizes and checksums follow.
Bytes replace_part(const File& file, const Archive& archive, const Part& part, const Bytes& payload);

/// True for the tables of a dataset: levels and `__meta__`.
bool is_table(const std::string& part_name);

/// The footer, the end and the pages of a Parquet file.
struct Page {
  uint64_t header = 0;
  uint64_t header_size = 0;
  uint64_t body_size = 0;
};
struct Table {
  uint64_t footer = 0;
  uint64_t footer_size = 0;
  std::vector<Page> pages = {};
};
Table open_table(const Bytes& bytes);

}  // namespace tacore::mutate
