/* Walks through all sections of tacore.h, with right results.   walk ROOT FOLDER     FOLDER: empty, for output */
#include <math.h>

#include "testing.h"

static char output[4096];

static const char* in_output(const char* name, const char* folder) {
  snprintf(output, sizeof output, "%s/%s", folder, name);
  return output;
}

static void library(void) {
  tacore_buffer* lines = NULL;
  CHECK(tacore_abi_version() == ((uint32_t)TACORE_ABI_MAJOR << 16 | TACORE_ABI_MINOR));
  CHECK(strlen(tacore_version()) >= 5);
  OK(tacore_set_options("{\"max_tries\": 2, \"verbose\": \"info\"}", &error));
  OK(tacore_set_options("{\"max_tries\": null, \"verbose\": false}", &error));
  OK(tacore_set_options(NULL, &error));
  OK(tacore_set_options("", &error));
  OK(tacore_take_log(&lines, &error));
  CHECK(tacore_buffer_size(lines) == strlen(text_of(lines)));
  tacore_buffer_free(lines);
  /* Getters of nothing, and freeing nothing. */
  CHECK(tacore_error_code(NULL) == TACORE_OK && strcmp(tacore_error_text(NULL), "") == 0);
  CHECK(tacore_buffer_data(NULL) == NULL && tacore_buffer_size(NULL) == 0);
  CHECK(tacore_frame_num_rows(NULL) == 0 && tacore_loader_num_batches(NULL) == 0);
  tacore_error_free(NULL);
  tacore_buffer_free(NULL);
}

static void datasets(void) {
  const double box[4] = {-34.87, -8.01, -34.84, -7.98}, nowhere[4] = {10, 10, 11, 11};
  tacore_dataset *all = open_one(FLAT), *water = NULL, *near = NULL, *none = NULL, *year = NULL, *both = NULL;
  tacore_frame *rows = rows_of(all), *raw = NULL, *flat = NULL;
  tacore_buffer* text = NULL;
  int64_t num_water;
  const tacore_dataset* parts[2];

  CHECK(tacore_frame_num_rows(rows) == 16);
  CHECK(strstr(tacore_dataset_collection(all), "\"dataset_version\"") != NULL);
  OK(tacore_dataset_about(all, &text, &error));
  CHECK(strstr(text_of(text), "\"num_rows\":16") != NULL && strstr(text_of(text), "\"format\":\"zip\"") != NULL);
  tacore_buffer_free(text);
  OK(tacore_dataset_sql(all, "SELECT * FROM data WHERE water > 0.1", &water, &error));
  tacore_frame_free(rows);
  rows = rows_of(water);
  num_water = tacore_frame_num_rows(rows);
  CHECK(num_water > 0 && num_water < 16);
  OK(tacore_dataset_filter_bbox(all, box, NULL, 0, &near, &error));
  OK(tacore_dataset_filter_bbox(all, nowhere, "auto", 0, &none, &error));
  OK(tacore_dataset_filter_datetime(all, "2000", NULL, 0, &year, &error));
  tacore_frame_free(rows);
  rows = rows_of(none);
  CHECK(tacore_frame_num_rows(rows) == 0);
  tacore_frame_free(rows);
  rows = rows_of(near);
  CHECK(tacore_frame_num_rows(rows) > 0);
  tacore_frame_free(rows);
  rows = rows_of(year);
  CHECK(tacore_frame_num_rows(rows) == 16);
  parts[0] = water;
  parts[1] = all;
  OK(tacore_concat(parts, 2, NULL, &both, &error));
  tacore_frame_free(rows);
  rows = rows_of(both);
  CHECK(tacore_frame_num_rows(rows) == 16 + num_water);
  OK(tacore_dataset_rows(all, TACORE_RAW, &raw, &error));
  OK(tacore_frame_about(raw, &text, &error));
  CHECK(strstr(text_of(text), "internal:offset") != NULL);
  tacore_buffer_free(text);
  OK(tacore_dataset_statistics(all, "{\"bands\": [1, 2]}", &text, &error));
  CHECK(strstr(text_of(text), "\"mean\"") != NULL);
  tacore_buffer_free(text);
  OK(tacore_dataset_describe(all, "stac", NULL, &text, &error));
  CHECK(strstr(text_of(text), "\"stac_version\"") != NULL);
  tacore_buffer_free(text);

  tacore_dataset_free(all);
  all = open_one(NESTED);
  OK(tacore_dataset_flatten(all, -1, &flat, &error));
  CHECK(tacore_frame_num_rows(flat) == 18);

  tacore_frame_free(flat);
  tacore_frame_free(raw);
  tacore_frame_free(rows);
  tacore_dataset_free(both);
  tacore_dataset_free(year);
  tacore_dataset_free(none);
  tacore_dataset_free(near);
  tacore_dataset_free(water);
  tacore_dataset_free(all);
}

static void frames(void) {
  tacore_dataset *nested = open_one(NESTED), *taken_dataset = NULL;
  tacore_frame *rows = rows_of(nested), *children = NULL, *taken = NULL, *again = NULL;
  tacore_buffer *path = NULL, *bytes[3] = {NULL, NULL, NULL}, *ipc = NULL, *json = NULL;
  const int64_t positions[] = {5, 0, 5};
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;

  OK(tacore_frame_children(rows, 1, NULL, &children, &error));
  CHECK(tacore_frame_num_rows(children) == 3);
  OK(tacore_frame_path(rows, 1, "optical", &path, &error));
  CHECK(strncmp(text_of(path), "/vsisubfile/", 12) == 0);
  OK(tacore_frame_take(rows, positions, 3, &taken, &error));
  CHECK(tacore_frame_num_rows(taken) == 3);
  OK(tacore_frame_read(taken, positions + 1, 1, "mask", bytes, &error));
  CHECK(tacore_buffer_size(bytes[0]) > 8 && memcmp(text_of(bytes[0]), "II*", 4) == 0);
  tacore_buffer_free(bytes[0]);
  OK(tacore_frame_read(rows, positions, 3, "optical", bytes, &error));
  CHECK(tacore_buffer_size(bytes[0]) == tacore_buffer_size(bytes[2]));
  CHECK(memcmp(text_of(bytes[0]), text_of(bytes[2]), tacore_buffer_size(bytes[0])) == 0);
  OK(tacore_frame_dataset(taken, &taken_dataset, &error));
  again = rows_of(taken_dataset);
  CHECK(tacore_frame_num_rows(again) == 3);

  OK(tacore_frame_stream(rows, TACORE_PLAIN, &stream, &error));
  CHECK(stream.get_schema(&stream, &schema) == 0 && strcmp(schema.format, "+s") == 0);
  CHECK(strcmp(schema.children[0]->name, "id") == 0 && strcmp(schema.children[0]->format, "u") == 0);
  CHECK(stream.get_next(&stream, &array) == 0 && array.length == 6 && array.n_children == schema.n_children);
  array.release(&array);
  CHECK(stream.get_next(&stream, &array) == 0 && array.release == NULL);
  schema.release(&schema);
  stream.release(&stream);
  OK(tacore_frame_ipc(rows, TACORE_PLAIN, &ipc, &error));
  CHECK(tacore_buffer_size(ipc) > 500);
  OK(tacore_frame_statistics(rows, "{\"compute\": true, \"child\": \"optical\", \"bands\": [1]}", &json, &error));
  CHECK(strstr(text_of(json), "\"num_samples\":6") != NULL);

  tacore_buffer_free(json);
  tacore_buffer_free(ipc);
  tacore_frame_free(again);
  tacore_dataset_free(taken_dataset);
  for (int i = 0; i < 3; ++i) tacore_buffer_free(bytes[i]);
  tacore_frame_free(taken);
  tacore_buffer_free(path);
  tacore_frame_free(children);
  tacore_frame_free(rows);
  tacore_dataset_free(nested);
}

static void rasters(void) {
  tacore_dataset* flat = open_one(FLAT);
  tacore_frame* rows = rows_of(flat);
  tacore_raster *raster = NULL, *same = NULL;
  tacore_buffer *path = NULL, *json = NULL, *png = NULL;
  int64_t shape[3];
  int32_t type;
  static unsigned char all[6 * 64 * 64], two[2 * 10 * 20];
  static float scaled[2 * 10 * 20];
  const int32_t bands[] = {4, 3};
  const int64_t window[] = {5, 7, 20, 10};

  OK(tacore_raster_open(rows, 3, NULL, &raster, &error));
  tacore_raster_shape(raster, shape, &type);
  CHECK(shape[0] == 6 && shape[1] == 64 && shape[2] == 64 && type == TACORE_UINT8);
  OK(tacore_raster_about(raster, &json, &error));
  CHECK(strstr(text_of(json), "\"dtype\":\"uint8\"") != NULL);
  OK(tacore_raster_read(raster, NULL, 0, NULL, TACORE_AS_STORED, NULL, all, sizeof all, &error));
  OK(tacore_raster_read(raster, bands, 2, window, TACORE_UINT8, NULL, two, sizeof two, &error));
  OK(tacore_raster_read(raster, bands, 2, window, TACORE_AS_STORED, "{\"scale\": 0.5}", scaled, sizeof scaled, &error));
  for (int band = 0; band < 2; ++band) {
    for (int y = 0; y < 10; ++y) {
      for (int x = 0; x < 20; ++x) {
        const unsigned char value = all[((bands[band] - 1) * 64 + y + 7) * 64 + x + 5];
        CHECK(two[(band * 10 + y) * 20 + x] == value);
        CHECK(fabsf(scaled[(band * 10 + y) * 20 + x] - (float)value / 2) < 1e-6F);
      }
    }
  }
  OK(tacore_frame_path(rows, 3, NULL, &path, &error));
  OK(tacore_raster_open_path(text_of(path), &same, &error));
  static unsigned char again[6 * 64 * 64];
  OK(tacore_raster_read(same, NULL, 0, NULL, TACORE_UINT8, NULL, again, sizeof again, &error));
  CHECK(memcmp(all, again, sizeof all) == 0);
  OK(tacore_raster_preview(raster, "{\"size\": 32}", &png, &error));
  CHECK(tacore_buffer_size(png) > 50 && memcmp(text_of(png), "\x89PNG", 4) == 0);

  tacore_buffer_free(png);
  tacore_raster_free(same);
  tacore_buffer_free(path);
  tacore_buffer_free(json);
  tacore_raster_free(raster);
  tacore_frame_free(rows);
  tacore_dataset_free(flat);
}

/* Reads an epoch from `start`; the sum of the positions and the number of samples. */
static int64_t epoch(const tacore_frame* rows, const char* options, int64_t* num_samples, int64_t* second_start) {
  tacore_loader* loader = NULL;
  int64_t sum = 0, next = 0;
  OK(tacore_loader_new(rows, options, &loader, &error));
  *num_samples = 0;
  for (int i = 0;; ++i) {
    tacore_batch* batch = NULL;
    const int64_t* positions;
    size_t num;
    const void* data;
    int64_t shape[4];
    int32_t type;
    OK(tacore_loader_next(loader, &batch, &error));
    if (batch == NULL) break;
    tacore_batch_positions(batch, &positions, &num, &next);
    tacore_batch_tensor(batch, 0, &data, shape, &type);
    CHECK(tacore_batch_num_tensors(batch) == 1 && (size_t)shape[0] == num && shape[1] == 2 && shape[2] == 64);
    CHECK((uintptr_t)data % 64 == 0 && type == TACORE_UINT8 && strcmp(tacore_batch_failures(batch), "[]") == 0);
    for (size_t k = 0; k < num; ++k) sum += positions[k];
    *num_samples += (int64_t)num;
    if (i == 0) *second_start = next;
    tacore_batch_free(batch);
  }
  tacore_loader_free(loader);
  return sum;
}

static void batches(void) {
  tacore_dataset* flat = open_one(FLAT);
  tacore_frame* rows = rows_of(flat);
  tacore_loader* loader = NULL;
  int64_t num, rest, start, unused, first_sum;
  char options[200];
  tacore_batch* batch = NULL;
  const int64_t* positions;
  size_t size;
  const void* data;

  CHECK(epoch(rows, "{\"inputs\": [\"4,3\"], \"batch_size\": 5, \"seed\": 1}", &num, &start) == 120 && num == 16);
  OK(tacore_loader_new(rows, "{\"inputs\": \"4,3\", \"batch_size\": 5, \"seed\": 1}", &loader, &error));
  CHECK(tacore_loader_num_batches(loader) == 4);
  OK(tacore_loader_next(loader, &batch, &error));
  tacore_loader_free(loader);
  /* A batch outlives its loader. */
  tacore_batch_positions(batch, &positions, &size, NULL);
  tacore_batch_tensor(batch, 0, &data, NULL, NULL);
  CHECK(size == 5 && data != NULL);
  first_sum = 0;
  for (size_t i = 0; i < size; ++i) first_sum += positions[i];
  tacore_batch_free(batch);
  snprintf(options, sizeof options, "{\"inputs\": [\"4,3\"], \"batch_size\": 5, \"seed\": 1, \"start\": %d}", (int)start);
  CHECK(epoch(rows, options, &rest, &unused) == 120 - first_sum && rest == 11);
  tacore_frame_free(rows);
  tacore_dataset_free(flat);
}

static void writing(const char* folder) {
  static const char collection[] =
      "{\"id\": \"chips\", \"dataset_version\": \"1.0.0\", \"description\": \"Chips\", \"licenses\": [\"MIT\"],"
      " \"providers\": [{\"name\": \"P\"}], \"tasks\": [\"classification\"]}";
  tacore_samples *samples = NULL, *copies = NULL;
  tacore_dataset *made = NULL, *flat = open_one(FLAT);
  tacore_frame *rows = NULL, *flat_rows = rows_of(flat);
  tacore_buffer *paths = NULL, *result = NULL, *before = NULL, *after = NULL;
  struct ArrowArrayStream stream;
  char request[9000];
  const char* opened[1];
  const int64_t first = 0;

  OK(tacore_samples_from_path(in_root("examples/data/scene"), NULL, &samples, &error));
  OK(tacore_samples_stream(samples, 0, TACORE_PLAIN, &stream, &error));
  stream.release(&stream);
  OK(tacore_create(samples, in_output("scene.tacozip", folder), collection, "{\"jobs\": 1}", &paths, &error));
  CHECK(strstr(text_of(paths), "scene.tacozip") != NULL);
  opened[0] = output;
  OK(tacore_open(opened, 1, NULL, &made, &error));
  rows = rows_of(made);
  CHECK(tacore_frame_num_rows(rows) >= 1);
  tacore_buffer_free(paths);
  snprintf(request, sizeof request, "{\"path\": \"%s\", \"deep\": true}", output);
  OK(tacore_run("validate", request, &result, &error));
  CHECK(strstr(text_of(result), "\"is_valid\":true") != NULL);
  tacore_buffer_free(result);
  snprintf(request, sizeof request, "{\"path\": \"%s.key\"}", output);
  OK(tacore_run("create_key", request, &result, &error));
  tacore_buffer_free(result);
  snprintf(request, sizeof request, "{\"path\": \"%s\", \"key\": \"%s.key\"}", output, output);
  OK(tacore_run("sign", request, &result, &error));
  CHECK(strstr(text_of(result), "\"root\":\"") != NULL);
  tacore_buffer_free(result);
  snprintf(request, sizeof request, "{\"path\": \"%s\", \"key\": \"%s.key.pub\"}", output, output);
  OK(tacore_run("verify", request, &result, &error));
  CHECK(strstr(text_of(result), "\"key_id\":\"\"") == NULL);
  tacore_buffer_free(result);
  snprintf(request, sizeof request, "{\"path\": \"%s\", \"read_size\": 2}", output);
  OK(tacore_run("doctor", request, &result, &error));
  CHECK(strstr(text_of(result), "\"what\":\"A proof against damage and forgery\",\"is_met\":true") != NULL);
  tacore_buffer_free(result);
  snprintf(request, sizeof request, "{\"path\": \"%s\"}", output);
  OK(tacore_run("repair", request, &result, &error));
  CHECK(strstr(text_of(result), "\"repairs\":[]") != NULL);
  tacore_buffer_free(result);

  /* Rows of one dataset become samples of another one: the bytes are the same. */
  OK(tacore_frame_stream(flat_rows, 0, &stream, &error));
  OK(tacore_samples_from_rows(&stream, "{\"path_column\": \"internal:gdal_vsi\"}", &copies, &error));
  CHECK(stream.release == NULL);
  OK(tacore_create(copies, in_output("copy.tacozip", folder), collection, NULL, &paths, &error));
  tacore_buffer_free(paths);
  tacore_frame_free(rows);
  tacore_dataset_free(made);
  OK(tacore_open(opened, 1, NULL, &made, &error));
  rows = rows_of(made);
  CHECK(tacore_frame_num_rows(rows) == 16);
  OK(tacore_frame_read(flat_rows, &first, 1, NULL, &before, &error));
  OK(tacore_frame_read(rows, &first, 1, NULL, &after, &error));
  CHECK(tacore_buffer_size(before) == tacore_buffer_size(after));
  CHECK(memcmp(text_of(before), text_of(after), tacore_buffer_size(before)) == 0);
  OK(tacore_export(made, in_output("export", folder), "{\"overwrite\": true}", &paths, &error));

  tacore_buffer_free(paths);
  tacore_buffer_free(after);
  tacore_buffer_free(before);
  tacore_frame_free(rows);
  tacore_dataset_free(made);
  tacore_samples_free(copies);
  tacore_samples_free(samples);
  tacore_frame_free(flat_rows);
  tacore_dataset_free(flat);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  root = argv[1];
  library();
  datasets();
  frames();
  rasters();
  batches();
  writing(argv[2]);
  return 0;
}
