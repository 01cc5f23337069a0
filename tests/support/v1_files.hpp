#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "support/support.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/v1/create.hpp"
#include "tacore/write/sample.hpp"

/// Files of v1 as bytes, read without the code that writes them.
namespace tacore::v1 {

inline uint64_t number_at(const std::string& bytes, std::size_t at) {
  uint64_t out = 0;
  for (std::size_t i = 8; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return out;
}

/// The fields of a header, and whether all that is free is zero.
struct Fields {
  std::string magic;
  uint64_t footer, footer_size, parts, collection, collection_size;
  bool rest_is_zero;
};

inline Fields fields_of(const std::string& bytes, std::size_t base = 0) {
  return {bytes.substr(base, 2),
          number_at(bytes, base + 2),
          number_at(bytes, base + 10),
          number_at(bytes, base + 18),
          number_at(bytes, base + 26),
          number_at(bytes, base + 34),
          bytes.substr(base + 42, 158) == std::string(158, '\0')};
}

/// The footer of the container at `base`.
inline std::shared_ptr<arrow::Table> footer_of(const std::string& bytes, std::size_t base = 0) {
  const Fields header = fields_of(bytes, base);
  const TemporaryFolder folder;
  return read_table(folder.write("footer.parquet", bytes.substr(base + header.footer, header.footer_size)));
}

inline std::vector<std::string> texts(const arrow::Table& table, const std::string& name) {
  std::vector<std::string> out;
  for (const auto& text : text_column(table, name, "")) out.push_back(text.value_or("null"));
  return out;
}

inline std::vector<int64_t> integers(const arrow::Table& table, const std::string& name) {
  std::vector<int64_t> out;
  for (const auto& value : read_values(*find_column(table, name)))
    out.push_back(value.get<int64_t>() ? *value.get<int64_t>() : -1);
  return out;
}

/// Options that decode nothing.
inline CreateTacoOptions plain(CreateTacoOptions options = {}) {
  options.stats = false;
  return options;
}

/// Samples: img1 {lrf, hrf} and note.
inline Tortilla demo() {
  const Tortilla inner({Sample("lrf", to_bytes(std::string(10, 'A'))), Sample("hrf", to_bytes(std::string(20, 'B')))});
  return Tortilla({Sample("img1", inner), Sample("note", to_bytes("hello bytes"))});
}

inline Collection demo_collection() {
  Collection out;
  out.id = "demo";
  out.dataset_version = "1.0.0";
  out.description = "A demo";
  out.licenses = {"MIT"};
  out.providers = {{.name = "Our lab"}};
  out.curators = out.providers;
  out.extent.spatial = BBox{};
  out.extent.temporal = TimeRange{};
  return out;
}

}  // namespace tacore::v1
