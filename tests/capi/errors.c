/* Every error code, from a real cause, with where it happened; and after a failure, results are NULL and nothing is left in the
 * folder of the output.   errors ROOT FOLDER     FOLDER: empty, for output */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "testing.h"

static const char collection[] =
    "{\"id\": \"chips\", \"dataset_version\": \"1.0.0\", \"description\": \"Chips\", \"licenses\": [\"MIT\"],"
    " \"providers\": [{\"name\": \"P\"}], \"tasks\": [\"classification\"]}";

static const char* folder;

static const char* in_folder(const char* name) {
  static char paths[4][4096];
  static int next;
  char* out = paths[next++ % 4];
  snprintf(out, sizeof paths[0], "%s/%s", folder, name);
  return out;
}

static int num_entries(const char* path) {
  DIR* opened = opendir(path);
  int num = 0;
  CHECK(opened != NULL);
  while (readdir(opened) != NULL) ++num;
  closedir(opened);
  return num - 2;
}

static void copy_part(const char* from, const char* to, long size) {
  static char bytes[1 << 20];
  FILE* file = fopen(from, "rb");
  size_t num;
  CHECK(file != NULL);
  num = fread(bytes, 1, size < 0 ? sizeof bytes : (size_t)size, file);
  fclose(file);
  file = fopen(to, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, num, file) == num && fclose(file) == 0);
}

static tacore_status open_path(const char* path, tacore_dataset** dataset, tacore_error** error) {
  const char* paths[1];
  paths[0] = path;
  *dataset = (tacore_dataset*)1; /* a failure sets it to NULL */
  return tacore_open(paths, 1, NULL, dataset, error);
}

static void opening(void) {
  tacore_dataset* dataset;
  tacore_error* error = NULL;
  const char* path;
  int64_t offset;
  int32_t level, number;
  copy_part(in_root(FLAT), in_folder("short.tacozip"), 5000);
  FAILS(TACORE_E_FORMAT, "short.tacozip", open_path(in_folder("short.tacozip"), &dataset, &error));
  CHECK(dataset == NULL);
  FAILS(TACORE_E_NOT_FOUND, "none.tacozip", open_path(in_folder("none.tacozip"), &dataset, &error));
  CHECK(open_path(in_folder("none.tacozip"), &dataset, &error) == TACORE_E_NOT_FOUND);
  tacore_error_where(error, &path, &offset, &level, &number);
  CHECK(strstr(path, "none.tacozip") != NULL && number == ENOENT && level == -1 && offset == -1);
  tacore_error_free(error);
  CHECK(open_path(in_folder("none.tacozip"), &dataset, NULL) == TACORE_E_NOT_FOUND); /* nobody wants the error */
  path = in_root(FLAT);
  FAILS(TACORE_E_ARGUMENT, "unknown option \"?\"; known are", tacore_open(&path, 1, "{\"?\": 1}", &dataset, &error));
  FAILS(TACORE_E_ARGUMENT, "not JSON", tacore_open(&path, 1, "{", &dataset, &error));
  FAILS(TACORE_E_ARGUMENT, "a JSON object expected", tacore_open(&path, 1, "[1]", &dataset, &error));
  FAILS(TACORE_E_ARGUMENT, "true or false expected", tacore_open(&path, 1, "{\"verify\": 2}", &dataset, &error));
  FAILS(TACORE_E_ARGUMENT, "", tacore_open(&path, 0, NULL, &dataset, &error));
  FAILS(TACORE_E_IO, "127.0.0.1:1", open_path("http://user:word@127.0.0.1:1/a.tacozip?token=word", &dataset, &error));
  open_path("http://user:word@127.0.0.1:1/a.tacozip?token=word", &dataset, &error);
  tacore_error_where(error, &path, NULL, NULL, NULL);
  CHECK(strstr(path, "word") == NULL && strstr(tacore_error_text(error), "word") == NULL);
  tacore_error_free(error);
}

static void querying(void) {
  tacore_dataset *flat = open_one(FLAT), *out;
  tacore_frame *rows = rows_of(flat), *frame;
  tacore_raster* raster;
  tacore_buffer *buffer, *two[2];
  tacore_loader* loader;
  unsigned char pixel[10];
  const double upside_down[4] = {0, 10, 1, -10}, world[4] = {-180, -90, 180, 90};
  const int64_t beyond[2] = {0, 16}, negative[1] = {-1}, window[4] = {60, 60, 10, 10};
  const int32_t band = 7;

  out = (tacore_dataset*)1;
  tacore_status status = tacore_dataset_sql(flat, "SELEC id", &out, NULL);
  CHECK(status == TACORE_E_QUERY && out == NULL);
  OK(tacore_dataset_sql(flat, "SELECT * FROM data WHERE id > 'a'", &out, &error));
  tacore_dataset_free(out);
  FAILS(TACORE_E_QUERY, "", tacore_dataset_filter_bbox(flat, upside_down, NULL, 0, &out, &error));
  FAILS(TACORE_E_QUERY, "nothing", tacore_dataset_filter_bbox(flat, world, "nothing", 0, &out, &error));
  FAILS(TACORE_E_QUERY, "", tacore_dataset_filter_datetime(flat, "yesterday", NULL, 0, &out, &error));
  FAILS(TACORE_E_ARGUMENT, "", tacore_dataset_rows(flat, 64, &frame, &error));
  FAILS(TACORE_E_NAVIGATION, "16", tacore_frame_take(rows, beyond, 2, &frame, &error));
  FAILS(TACORE_E_NAVIGATION, "", tacore_frame_take(rows, negative, 1, &frame, &error));
  two[0] = two[1] = (tacore_buffer*)1;
  FAILS(TACORE_E_NAVIGATION, "16", tacore_frame_read(rows, beyond, 2, NULL, two, &error));
  CHECK(two[0] == NULL && two[1] == NULL);
  FAILS(TACORE_E_NAVIGATION, "", tacore_frame_children(rows, 0, NULL, &frame, &error)); /* a FILE has none */
  FAILS(TACORE_E_NAVIGATION, "", tacore_frame_path(rows, 0, "none", &buffer, &error));
  FAILS(TACORE_E_ARGUMENT, "", tacore_dataset_describe(flat, "poem", NULL, &buffer, &error));
  FAILS(TACORE_E_QUERY, "", tacore_dataset_statistics(flat, "{\"bands\": [9]}", &buffer, &error));

  OK(tacore_raster_open(rows, 0, NULL, &raster, &error));
  FAILS(TACORE_E_QUERY, "7", tacore_raster_read(raster, &band, 1, NULL, TACORE_UINT8, NULL, pixel, 10, &error));
  FAILS(TACORE_E_QUERY, "", tacore_raster_read(raster, NULL, 0, window, TACORE_UINT8, NULL, pixel, 10, &error));
  FAILS(TACORE_E_QUERY, "", tacore_raster_read(raster, NULL, 0, NULL, TACORE_UINT8, NULL, pixel, 10, &error)); /* size */
  FAILS(TACORE_E_ARGUMENT, "", tacore_raster_read(raster, NULL, 0, NULL, 99, NULL, pixel, 10, &error));
  tacore_raster_free(raster);
  FAILS(TACORE_E_NOT_FOUND, "", tacore_raster_open_path(in_folder("none.tif"), &raster, &error));
  copy_part(in_root("docs/pictures/samples.png"), in_folder("picture.png"), -1);
  FAILS(TACORE_E_UNSUPPORTED, "", tacore_raster_open_path(in_folder("picture.png"), &raster, &error));
  FAILS(TACORE_E_ARGUMENT, "batch", tacore_loader_new(rows, "{\"batch\": 3}", &loader, &error));
  FAILS(TACORE_E_QUERY, "", tacore_loader_new(rows, "{\"batch_size\": 0}", &loader, &error));

  tacore_frame_free(rows);
  tacore_dataset_free(flat);
}

/* Times of day have no plain type. */
static void schema(void) {
  tacore_dataset *flat = open_one(FLAT), *times;
  tacore_frame* rows;
  struct ArrowArrayStream stream;
  OK(tacore_dataset_sql(flat, "SELECT *, TIME '12:00:00' AS noon FROM data", &times, &error));
  rows = rows_of(times);
  stream.release = (void (*)(struct ArrowArrayStream*))1;
  FAILS(TACORE_E_SCHEMA, "noon", tacore_frame_stream(rows, TACORE_PLAIN, &stream, &error));
  CHECK(stream.release == NULL);
  tacore_frame_free(rows);
  tacore_dataset_free(times);
  tacore_dataset_free(flat);
}

static void writing(void) {
  tacore_samples* samples;
  tacore_buffer* paths;
  char work[4096];
  struct rlimit limit;
  snprintf(work, sizeof work, "%s/work", folder);
  CHECK(mkdir(work, 0777) == 0);
  OK(tacore_samples_from_path(in_root("examples/data/scene"), NULL, &samples, &error));
  FAILS(TACORE_E_VALIDATION, "", tacore_create(samples, in_folder("work/a.tacozip"), "{}", NULL, &paths, &error));
  CHECK(paths == NULL && num_entries(work) == 0);
  FAILS(TACORE_E_FORMAT, "", tacore_create(samples, in_folder("work/a.tacozip"), "{", NULL, &paths, &error));
  FAILS(TACORE_E_ARGUMENT, "known are",
        tacore_create(samples, in_folder("work/a.tacozip"), collection, "{\"?\": 1}", &paths, &error));
  FAILS(TACORE_E_VALIDATION, "",
        tacore_create(samples, in_folder("work/a.tacozip"), collection, "{\"extensions\": [\"none\"]}", &paths, &error));
  CHECK(num_entries(work) == 0);

  /* A disk with room for a part of it. */
  signal(SIGXFSZ, SIG_IGN);
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 4000;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  FAILS(TACORE_E_IO, "a.tacozip", tacore_create(samples, in_folder("work/a.tacozip"), collection, NULL, &paths, &error));
  FAILS(TACORE_E_IO, "", tacore_create(samples, in_folder("work/a"), collection, NULL, &paths, &error));
  limit.rlim_cur = before;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(paths == NULL && num_entries(work) == 0);

  OK(tacore_create(samples, in_folder("work/a.tacozip"), collection, NULL, &paths, &error));
  tacore_buffer_free(paths);
  CHECK(num_entries(work) == 1);
  FAILS(TACORE_E_VALIDATION, "exists already",
        tacore_create(samples, in_folder("work/a.tacozip"), collection, NULL, &paths, &error));
  tacore_samples_free(samples);

  FAILS(TACORE_E_NOT_FOUND, "", tacore_samples_from_path(in_folder("none.csv"), NULL, &samples, &error));
  FAILS(TACORE_E_ARGUMENT, "poem", tacore_run("poem", "{}", &paths, &error));
  FAILS(TACORE_E_ARGUMENT, "\"input\" is missing", tacore_run("convert", "{}", &paths, &error));
  FAILS(TACORE_E_NOT_FOUND, "/none", tacore_run("convert", "{\"input\": \"/none\", \"output\": \"/out\"}", &paths, &error));
}

/* Without memory for a copy of its options. */
static void memory(void) {
#ifndef __SANITIZE_ADDRESS__ /* which ends the process instead */
  const size_t size = (size_t)256 << 20;
  struct rlimit limit, none;
  tacore_dataset* flat = open_one(FLAT);
  tacore_buffer* json = (tacore_buffer*)1;
  tacore_error* error = NULL;
  char* options = malloc(size);
  CHECK(options != NULL);
  memset(options, 'a', size);
  memcpy(options, "{\"id\": \"", 8);
  memcpy(options + size - 3, "\"}", 3);
  CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
  none = limit;
  none.rlim_cur = 1;
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  const tacore_status status = tacore_dataset_statistics(flat, options, &json, &error);
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK(status == TACORE_E_MEMORY && tacore_error_code(error) == TACORE_E_MEMORY && json == NULL);
  CHECK(strlen(tacore_error_text(error)) > 5);
  tacore_error_free(error);
  free(options);
  tacore_dataset_free(flat);
#endif
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  root = argv[1];
  folder = argv[2];
  OK(tacore_set_options("{\"max_tries\": 1, \"timeout\": 2}", &error));
  opening();
  querying();
  schema();
  writing();
  memory();
  return 0;
}
