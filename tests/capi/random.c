/* Calls the functions of tacore.h at random, with valid and wrong arguments, NULL and mutated JSON among them, and checks what
 * the header promises of each: after a failure there is an error and no result, after a success there is no error.
 *   random ROOT FOLDER [SEED [STEPS]]     the same seed gives the same calls */
#include "testing.h"

enum { kNumSlots = 6 };

static tacore_dataset* datasets[kNumSlots];
static tacore_frame* frames[kNumSlots];
static tacore_raster* rasters[kNumSlots];
static tacore_loader* loaders[kNumSlots];
static tacore_batch* batches[kNumSlots];
static tacore_samples* samples[kNumSlots];
static tacore_buffer* buffers[kNumSlots];

static uint64_t state = 1;
static long num_ok, num_failed;

static uint32_t pick(uint32_t end) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(state >> 33) % end;
}

static int rarely(void) { return pick(12) == 0; }

static const char* const words[] = {
    "", "id", "SELECT * FROM data", "SELECT * FROM data WHERE water > 0.1", "SELECT id FROM data", "SELECT", "optical", "mask",
    "optical/4,3,2", "1,2", "nothing", "/", "..", "a/b/c", "auto", "footprint", "2000", "2000-06", "2000/2001", "x", "intersection",
    "fill_missing", "strict", "stac", "croissant", "datacite", "datacard", "markdown", "html", "\xff\xfe", "'; DROP TABLE data; --",
    "\xc3\xa9\xe2\x82\xac", "convert", "validate", "diff", "header", "/vsisubfile/0_10,x", "/vsisubfile/99999999999999999999_1,x"};

static const char* const json[] = {
    "{}", "{\"jobs\": 1}", "{\"batch_size\": 3, \"seed\": 4}", "{\"inputs\": [\"optical/1\", \"mask\"], \"batch_size\": 2}",
    "{\"inputs\": [{\"path\": \"optical\", \"bands\": [1, 2], \"window\": [0, 0, 8, 8], \"scale\": [[0.5, 1]], \"dtype\": \"float32\"}]}",
    "{\"scale\": 0.5, \"fill\": -1}", "{\"bands\": [1], \"quantiles\": [0.5]}", "{\"compute\": true, \"child\": \"optical\"}",
    "{\"verify\": true, \"mode\": \"strict\"}", "{\"start\": 99999999999, \"pad\": true}", "{\"start\": -1}", "{\"rank\": 1, \"world_size\": 2}",
    "{\"size\": 20, \"bands\": [3, 2, 1]}", "{\"id_column\": \"id\", \"path_column\": \"internal:gdal_vsi\"}", "{\"path\": \"x\"}",
    "{\"a\": \"x\", \"b\": \"y\"}", "{\"overwrite\": true, \"split_size\": \"1MB\"}", "[]", "nul", "{\"on_error\": \"skip\"}"};

/* Names of columns, ids and children may be NULL, which most calls of users have. */
static const char* word(void) { return rarely() ? NULL : words[pick(sizeof words / sizeof *words)]; }

static const char* name(void) { return pick(3) ? NULL : word(); }

static const char* const requests[] = {
    "{\"path\": \"%s\"}", "{\"path\": \"%s\", \"deep\": true}", "{\"a\": \"%s\", \"b\": \"%s\"}", "{\"inputs\": [\"%s\"], \"output\": \"/none/x\"}",
    "{\"input\": \"%s\", \"output\": \"/none/x.tacozip\"}", "{\"path\": \"%s\", \"output\": \"/none/x\"}", "{}", "{\"path\": 5}"};
static const char* const operations[] = {"validate", "diff", "convert", "index", "collect", "sync", "describe", "header", "tog", "edit"};
static const char collection[] =
    "{\"id\": \"chips\", \"dataset_version\": \"1.0.0\", \"description\": \"Chips\", \"licenses\": [\"MIT\"],"
    " \"providers\": [{\"name\": \"P\"}], \"tasks\": [\"classification\"]}";

/* Of existing files, for operations that change nothing, or fail to write. */
static const char* request(void) {
  static char out[9000];
  const char* path = in_root(pick(2) ? FLAT : NESTED);
  snprintf(out, sizeof out, requests[pick(sizeof requests / sizeof *requests)], path, path);
  return out;
}

/* JSON of which, at times, a byte is another one, or the end is missing. */
static const char* options(void) {
  static char out[300];
  if (pick(5) < 3) return NULL;
  snprintf(out, sizeof out, "%s", json[pick(sizeof json / sizeof *json)]);
  if (pick(3) == 0) {
    const size_t at = pick((uint32_t)strlen(out));
    out[at] = pick(2) ? "\"{}[]0123,:-e\\\x01"[pick(16)] : '\0';
  }
  return out;
}

static int64_t position(void) {
  static const int64_t some[] = {15, 16, -1, -2, INT64_MAX, INT64_MIN};
  return pick(4) ? (int64_t)pick(6) : some[pick(6)];
}

static int32_t level(void) { return pick(2) ? 0 : (int32_t)pick(5) - 2; }

static tacore_error* error;

/* What holds after every call. */
static void after(tacore_status status, int has_result) {
  if (status == TACORE_OK) {
    ++num_ok;
    CHECK(error == NULL);
  } else {
    ++num_failed;
    if (status >= TACORE_E_INTERNAL || has_result) fprintf(stderr, "%s\n", tacore_error_text(error));
    CHECK(status > 0 && status < TACORE_E_INTERNAL && !has_result); /* nothing here is without a name */
    CHECK(error != NULL && tacore_error_code(error) == status && *tacore_error_text(error) != '\0');
  }
  tacore_error_free(error);
  error = NULL;
}

/* A new handle in a slot, where an old one is freed before. */
#define MAKE(slots, free_one, call)        \
  do {                                     \
    const uint32_t at = pick(kNumSlots);   \
    free_one(slots[at]);                   \
    slots[at] = NULL;                      \
    const tacore_status status = (call);   \
    after(status, slots[at] != NULL);      \
  } while (0)

/* A handle, rarely NULL: the first one from a random slot on. The slot that is being filled is empty, for what is freed may not
 * be used. */
#define ANY(slots) slots[rarely() ? pick(kNumSlots) : first_of((const void* const*)slots)]

static uint32_t first_of(const void* const* slots) {
  const uint32_t from = pick(kNumSlots);
  for (uint32_t i = 0; i < kNumSlots; ++i) {
    if (slots[(from + i) % kNumSlots] != NULL) return (from + i) % kNumSlots;
  }
  return from;
}

/* With numbers of its own: how often it is called depends on time. */
static int32_t poll(uint64_t done, uint64_t total, void* user) {
  static uint32_t num_polls;
  (void)done;
  (void)total;
  (void)user;
  return ++num_polls % 4 == 0;
}

static void take_stream(const tacore_frame* frame) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  const tacore_status status = tacore_frame_stream(frame, (int32_t)pick(4), &stream, &error);
  after(status, stream.release != NULL);
  if (status != TACORE_OK) return;
  if (pick(2)) { /* make samples of it */
    MAKE(samples, tacore_samples_free, tacore_samples_from_rows(&stream, options(), &samples[at], &error));
    CHECK(stream.release == NULL);
    return;
  }
  CHECK(stream.get_schema(&stream, &schema) == 0);
  schema.release(&schema);
  while (stream.get_next(&stream, &array) == 0 && array.release != NULL) array.release(&array);
  stream.release(&stream);
}

static void take_batch(const tacore_batch* batch) {
  const void* data;
  const int64_t* positions;
  int64_t shape[4], next;
  int32_t type;
  size_t num;
  tacore_batch_tensor(batch, pick(4), &data, shape, &type);
  tacore_batch_positions(batch, &positions, &num, &next);
  CHECK(tacore_batch_failures(batch) != NULL);
  if (data != NULL) CHECK(shape[0] >= 0 && shape[0] * shape[1] * shape[2] * shape[3] < 100000000);
}

static void step(const char* folder) {
  static unsigned char pixels[6 * 64 * 64 * 8];
  char output[4200];
  const double box[4] = {-35, -9, -34, (double)position()};
  const int64_t positions[3] = {position(), position(), position()};
  const int64_t window[4] = {position(), 0, (int64_t)pick(70), 8};
  const int32_t bands[2] = {(int32_t)pick(8), 1};
  const char* paths[2];
  const tacore_dataset* some[2];
  tacore_buffer* read[3];
  tacore_status status;
  switch (pick(30)) {
    case 0: case 1:
      paths[0] = in_root(pick(2) ? FLAT : NESTED);
      paths[1] = rarely() ? NULL : paths[0];
      MAKE(datasets, tacore_dataset_free, tacore_open(paths, 1 + pick(2) - (uint32_t)rarely(), options(), &datasets[at], &error));
      break;
    case 2:
      MAKE(datasets, tacore_dataset_free, (some[0] = ANY(datasets), some[1] = ANY(datasets),
           tacore_concat(some, pick(3), name(), &datasets[at], &error)));
      break;
    case 3: MAKE(datasets, tacore_dataset_free, tacore_dataset_sql(ANY(datasets), word(), &datasets[at], &error)); break;
    case 4:
      MAKE(datasets, tacore_dataset_free,
           tacore_dataset_filter_bbox(ANY(datasets), rarely() ? NULL : box, name(), level(), &datasets[at], &error));
      break;
    case 5:
      MAKE(datasets, tacore_dataset_free,
           tacore_dataset_filter_datetime(ANY(datasets), word(), name(), level(), &datasets[at], &error));
      break;
    case 6: case 7: case 8:
      MAKE(frames, tacore_frame_free, tacore_dataset_rows(ANY(datasets), (int32_t)pick(3), &frames[at], &error));
      break;
    case 9: MAKE(frames, tacore_frame_free, tacore_dataset_flatten(ANY(datasets), level(), &frames[at], &error)); break;
    case 10: MAKE(buffers, tacore_buffer_free, tacore_dataset_about(ANY(datasets), &buffers[at], &error)); break;
    case 11:
      MAKE(buffers, tacore_buffer_free, tacore_dataset_statistics(ANY(datasets), options(), &buffers[at], &error));
      break;
    case 12:
      MAKE(buffers, tacore_buffer_free, tacore_dataset_describe(ANY(datasets), word(), NULL, &buffers[at], &error));
      break;
    case 13: case 14:
      MAKE(frames, tacore_frame_free,
           tacore_frame_children(ANY(frames), position(), name(), &frames[at], &error));
      break;
    case 15: MAKE(frames, tacore_frame_free, tacore_frame_take(ANY(frames), positions, pick(4), &frames[at], &error)); break;
    case 16: MAKE(datasets, tacore_dataset_free, tacore_frame_dataset(ANY(frames), &datasets[at], &error)); break;
    case 17: MAKE(buffers, tacore_buffer_free, tacore_frame_path(ANY(frames), position(), name(), &buffers[at], &error)); break;
    case 18:
      status = tacore_frame_read(ANY(frames), positions, 3, name(), read, &error);
      after(status, read[0] != NULL || read[1] != NULL || read[2] != NULL);
      for (int i = 0; i < 3; ++i) tacore_buffer_free(read[i]);
      break;
    case 19: take_stream(ANY(frames)); break;
    case 20: MAKE(buffers, tacore_buffer_free, tacore_frame_ipc(ANY(frames), (int32_t)pick(4), &buffers[at], &error)); break;
    case 21:
      MAKE(buffers, tacore_buffer_free, tacore_frame_statistics(ANY(frames), options(), &buffers[at], &error));
      break;
    case 22:
      MAKE(rasters, tacore_raster_free, tacore_raster_open(ANY(frames), position(), name(), &rasters[at], &error));
      break;
    case 23: MAKE(rasters, tacore_raster_free, tacore_raster_open_path(word(), &rasters[at], &error)); break;
    case 24: {
      /* The size that would be right, at times another. */
      static const size_t widths[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
      const int32_t type = (int32_t)pick(13) - 2;
      const size_t size = pick(4) ? 6 * 64 * 64 * (type >= 0 && type < 10 ? widths[type] : 1) : pick(sizeof pixels);
      status = tacore_raster_read(ANY(rasters), pick(2) ? NULL : bands, pick(3), pick(2) ? NULL : window, type, options(),
                                  rarely() ? NULL : pixels, size, &error);
      after(status, 0);
      break;
    }
    case 25: MAKE(buffers, tacore_buffer_free, tacore_raster_preview(ANY(rasters), options(), &buffers[at], &error)); break;
    case 26: MAKE(loaders, tacore_loader_free, tacore_loader_new(ANY(frames), options(), &loaders[at], &error)); break;
    case 27:
      MAKE(batches, tacore_batch_free, tacore_loader_next(ANY(loaders), &batches[at], &error));
      take_batch(ANY(batches));
      break;
    case 28:
      snprintf(output, sizeof output, "%s/%u%s", folder, pick(3), pick(2) ? ".tacozip" : "");
      if (pick(2)) MAKE(buffers, tacore_buffer_free, tacore_export(ANY(datasets), output, options(), &buffers[at], &error));
      else MAKE(buffers, tacore_buffer_free, tacore_create(ANY(samples), output, rarely() ? word() : collection,
                                                           pick(2) ? NULL : "{\"overwrite\": true, \"places\": false}", &buffers[at], &error));
      break;
    default:
      tacore_set_poll(pick(4) ? NULL : poll, NULL);
      switch (pick(6)) {
        case 0:
        case 1: MAKE(buffers, tacore_buffer_free, tacore_run(operations[pick(10)], request(), &buffers[at], &error)); break;
        case 2: MAKE(buffers, tacore_buffer_free, tacore_run(word(), options(), &buffers[at], &error)); break;
        case 3:
          MAKE(samples, tacore_samples_free,
               tacore_samples_from_path(rarely() ? word() : in_root("examples/data/scene"), options(), &samples[at], &error));
          break;
        case 4: MAKE(buffers, tacore_buffer_free, tacore_frame_about(ANY(frames), &buffers[at], &error)); break;
        default: MAKE(buffers, tacore_buffer_free, tacore_raster_about(ANY(rasters), &buffers[at], &error));
      }
      MAKE(buffers, tacore_buffer_free, tacore_take_log(&buffers[at], &error));
  }
}

int main(int argc, char** argv) {
  long num_steps;
  if (argc < 3) return 2;
  root = argv[1];
  state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  num_steps = argc > 4 ? strtol(argv[4], NULL, 10) : 3000;
  for (long i = 0; i < num_steps; ++i) step(argv[2]);
  tacore_set_poll(NULL, NULL);
  for (int i = 0; i < kNumSlots; ++i) {
    tacore_buffer_free(buffers[i]);
    tacore_samples_free(samples[i]);
    tacore_batch_free(batches[i]);
    tacore_loader_free(loaders[i]);
    tacore_raster_free(rasters[i]);
    tacore_frame_free(frames[i]);
    tacore_dataset_free(datasets[i]);
  }
  printf("%ld calls succeeded, %ld failed\n", num_ok, num_failed);
  CHECK(num_ok > num_steps / 20 && num_failed > num_steps / 20);
  return 0;
}
