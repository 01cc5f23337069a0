#include "tacore/create.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_rules.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/folder_writer.hpp"
#include "writer/pad.hpp"
#include "writer/tables.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/zip_writer.hpp"

namespace tacore {

namespace {

constexpr const char* kTacoVersion = "2.0.0";

void check_output(const std::string& output, bool overwrite) {
  const std::string name = file_name(output);
  for (const std::string_view reserved : {".tacocat", "DATA", "METADATA"}) {
    if (name == reserved) throw ValidationError("a folder of this name is part of a dataset", {.path = output});
  }
  struct stat status = {};
  if (!overwrite && ::lstat(output.c_str(), &status) == 0) throw ValidationError("exists already", {.path = output});
}

void check_collection(const Collection& collection) {
  const auto faults = collection_faults(collection);
  if (!faults.empty())
    throw ValidationError("the collection breaks " + std::to_string(faults.size()) + " rules: " + join(faults, "; "));
}

}  // namespace

std::vector<std::string> create(const Taco& taco, const std::string& given, const CreateOptions& options) {
  std::string output = given;
  while (output.size() > 1 && output.ends_with('/')) output.pop_back();
  check_output(output, options.overwrite);
  check_parquet_options(options.parquet);
  check_collection(taco.collection);
  const Tree& tree = taco.tortilla.impl()->tree;
  Collection collection = taco.collection;
  collection.taco_version = kTacoVersion;
  collection.sources.clear();
  collection.pit_schema = check_tree(tree);
  collection.field_schema.clear();
  for (int level = 0; level <= taco.tortilla.depth(); ++level) {
    collection.field_schema["level" + std::to_string(level)] = level_fields(tree, level);
  }
  const uint64_t num_bytes = taco.tortilla.num_bytes();
  WriteOptions write{.overwrite = options.overwrite,
                     .jobs = options.jobs > 0 ? options.jobs : static_cast<int>(std::thread::hardware_concurrency()),
                     .parquet = options.parquet};
  if (options.progress) {
    write.progress = [&](uint64_t num_done) {
      if (!options.progress(num_done, num_bytes, options.user)) throw IoError("stopped", {.path = output});
    };
    write.progress(0);
  }
  if (is_zip_name(output)) {
    write_zip(tree, collection, output, write);
  } else {
    write_folder(tree, collection, output, write);
  }
  return {output};
}

}  // namespace tacore
