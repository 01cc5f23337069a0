#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"
#include "plain_stream.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/extensions/named.hpp"
#include "tacore/raster/stac.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/write/create.hpp"

namespace tacore::c {
namespace {

TableOptions table_options(const char* options) {
  TableOptions out;
  Options given(options, "options");
  given.fill(out);
  given.finish();
  return out;
}

Tortilla samples_of(const std::string& path, const TableOptions& how) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open", {.path = path}, errno);
  if (!S_ISDIR(status.st_mode)) return Tortilla::from_table(path, how);
  if (how != TableOptions())
    throw ArgumentError("options: names of columns describe a table, but " + path + " is a folder");
  return Tortilla::from_folder(path);
}

/// A stream that is released at the end, whatever was read of it.
struct Rows {
  explicit Rows(ArrowArrayStream* rows) : stream(rows) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() {
    if (stream != nullptr && stream->release != nullptr) stream->release(stream);
  }
  ArrowArrayStream* stream;
};

/// What create() gets besides samples and collection.
struct How {
  CreateOptions create = {};
  std::vector<std::string> extensions = {};
  bool places = true;
  bool tog = false;
  TogSamplesOptions togs = {};
  bool pad = false;
  std::string fields = {};
};

How how_of(const char* options) {
  How out;
  Options given(options, "options");
  given.fill(out.create);
  given.take("extensions", out.extensions);
  given.take("places", out.places);
  given.take("tog", out.tog);
  given.take("block_size", out.togs.block_size);
  given.take("zstd_level", out.togs.zstd_level);
  given.take("pad", out.pad);
  given.take("fields", out.fields);
  given.finish();
  return out;
}

/// An extension of a text NAME or NAME=VALUE.
struct Extension {
  std::string name;
  extensions::NamedExtension what;
};

std::vector<Extension> extensions_of(const How& how) {
  std::vector<Extension> out;
  for (const std::string& text : how.extensions) {
    const std::size_t end = text.find('=');
    const auto value = end == text.npos ? std::nullopt : std::optional(text.substr(end + 1));
    try {
      const std::string name = text.substr(0, end);
      out.push_back({name, extensions::named_extension(name, value, {.jobs = how.create.task.jobs})});
    } catch (const ValidationError& error) {
      throw ValidationError("extension \"" + text + "\": " + error.message());
    }
  }
  return out;
}

Tortilla with_places(const Tortilla& samples, int jobs) {
  return extensions::with_folder_places(extensions::with_raster_places(samples, {}, jobs));
}

Tortilla with_togs(const Tortilla& samples, How& how, Call& call) {
  how.togs.temp_dir = how.create.output.temp_dir;
  how.togs.task.jobs = how.create.task.jobs;
  call.watch(how.togs.task);
  return tacore::with_togs(samples, how.togs).samples;
}

Taco taco_of(Tortilla samples, const std::string& collection, How& how, Call& call) {
  Taco out{std::move(samples), parse_draft_collection(collection, "collection")};
  if (out.collection.dataset_version == Collection().dataset_version) out.collection.dataset_version = "1.0.0";
  const std::vector<Extension> all = extensions_of(how);
  Tortilla& made = out.tortilla;
  if (how.tog) made = with_togs(made, how, call);
  // STAC and ISTAC take places from the rasters themselves; other extensions need them.
  const bool has_own =
      std::ranges::any_of(all, [](const Extension& each) { return extensions::states_places(each.name); });
  if (how.places && !has_own) made = with_places(made, how.create.task.jobs);
  for (const Extension& each : all) {
    if (each.what.columns) made = each.what.columns->add_to(made);
  }
  if (how.places && has_own) made = with_places(made, how.create.task.jobs);
  if (how.pad) made = made.pad();
  for (const Extension& each : all) {
    if (!each.what.keys.empty()) out.extend_with(extensions::TacoColumns(each.what.keys));
  }
  if (!how.fields.empty()) out.describe_fields(how.fields);
  return out;
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

tacore_status tacore_samples_from_rows(struct ArrowArrayStream* rows, const char* options, tacore_samples** samples,
                                       tacore_error** error) {
  clear(samples);
  const Rows held(rows);
  return run_polled(error, [&](Call&) {
    require(rows, "rows");
    require(samples, "samples");
    const tacore::TableOptions how = table_options(options);
    if (rows->release == nullptr) throw ArgumentError("rows: the stream has been released already");
    *samples = new tacore_samples{tacore::Tortilla::from_arrow(rows, how)};
  });
}

tacore_status tacore_samples_from_path(const char* path, const char* options, tacore_samples** samples,
                                       tacore_error** error) {
  clear(samples);
  return run_polled(error, [&](Call&) {
    require(path, "path");
    require(samples, "samples");
    *samples = new tacore_samples{samples_of(path, table_options(options))};
  });
}

void tacore_samples_free(tacore_samples* samples) { delete samples; }

tacore_status tacore_samples_stream(const tacore_samples* samples, int32_t level, int32_t flags,
                                    struct ArrowArrayStream* stream, tacore_error** error) {
  if (stream != nullptr) *stream = {};
  return run_polled(error, [&](Call&) {
    require(samples, "samples");
    require(stream, "stream");
    export_rows([&](ArrowArrayStream* out) { samples->samples.export_metadata(out, level); }, flags, stream);
  });
}

tacore_status tacore_create(const tacore_samples* samples, const char* output, const char* collection,
                            const char* options, tacore_buffer** paths, tacore_error** error) {
  clear(paths);
  return run_polled(error, [&](Call& call) {
    require(samples, "samples");
    require(output, "output");
    require(collection, "collection");
    require(paths, "paths");
    How how = how_of(options);
    const tacore::Taco taco = taco_of(samples->samples, collection, how, call);
    call.watch(how.create.task);
    *paths = buffer_of(to_text(tacore::create(taco, output, how.create)));
  });
}
