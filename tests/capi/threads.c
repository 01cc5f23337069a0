/* Eight threads use one dataset, one frame and one raster at the same time, with the results that one thread has; and each thread its own errors, poll function and loader.   threads ROOT FOLDER */
#include <pthread.h>

#include "testing.h"

enum { kNumThreads = 8, kNumRounds = 12, kNumBytes = 6 * 64 * 64 };

static tacore_dataset* dataset;
static tacore_frame* rows;
static tacore_raster* raster;
static unsigned char expected[kNumBytes];
static int64_t num_water;
static tacore_buffer* files[16];

static int32_t count_poll(uint64_t done, uint64_t total, void* user) {
  (void)done;
  (void)total;
  ++*(int*)user;
  return 0;
}

static void work(int number) {
  tacore_dataset* water = NULL;
  tacore_frame *frame = NULL, *none = NULL;
  tacore_buffer *bytes = NULL, *json = NULL;
  tacore_loader* loader = NULL;
  tacore_batch* batch = NULL;
  unsigned char* pixels = malloc(kNumBytes);
  const int64_t position = number % 16, beyond = 100 + number;
  char text[20];
  CHECK(pixels != NULL);
  OK(tacore_dataset_sql(dataset, "SELECT * FROM data WHERE water > 0.1", &water, &error));
  OK(tacore_dataset_rows(water, 0, &frame, &error));
  CHECK(tacore_frame_num_rows(frame) == num_water);
  OK(tacore_frame_read(rows, &position, 1, NULL, &bytes, &error));
  CHECK(tacore_buffer_size(bytes) == tacore_buffer_size(files[position]));
  CHECK(memcmp(text_of(bytes), text_of(files[position]), tacore_buffer_size(bytes)) == 0);
  OK(tacore_raster_read(raster, NULL, 0, NULL, TACORE_UINT8, NULL, pixels, kNumBytes, &error));
  CHECK(memcmp(pixels, expected, kNumBytes) == 0);
  OK(tacore_frame_about(rows, &json, &error));
  snprintf(text, sizeof text, "%d", (int)beyond);
  FAILS(TACORE_E_NAVIGATION, text, tacore_frame_take(rows, &beyond, 1, &none, &error)); /* its own error */
  OK(tacore_loader_new(rows, "{\"batch_size\": 4, \"jobs\": 2}", &loader, &error));
  OK(tacore_loader_next(loader, &batch, &error));
  tacore_batch_free(batch);
  tacore_loader_free(loader);
  tacore_buffer_free(json);
  tacore_buffer_free(bytes);
  tacore_frame_free(frame);
  tacore_dataset_free(water);
  free(pixels);
}

static void* run(void* argument) {
  int num_polls = 0;
  const int number = *(const int*)argument;
  if (number % 2) tacore_set_poll(count_poll, &num_polls);
  for (int round = 0; round < kNumRounds; ++round) work(number + round);
  tacore_set_poll(NULL, NULL);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[kNumThreads];
  int numbers[kNumThreads];
  tacore_dataset* water = NULL;
  tacore_frame* wet;
  if (argc != 3) return 2;
  root = argv[1];
  dataset = open_one(FLAT);
  OK(tacore_dataset_sql(dataset, "SELECT * FROM data WHERE water > 0.1", &water, &error));
  wet = rows_of(water);
  num_water = tacore_frame_num_rows(wet);
  rows = rows_of(dataset);
  OK(tacore_raster_open(rows, 3, NULL, &raster, &error));
  OK(tacore_raster_read(raster, NULL, 0, NULL, TACORE_UINT8, NULL, expected, kNumBytes, &error));
  for (int64_t i = 0; i < 16; ++i) OK(tacore_frame_read(rows, &i, 1, NULL, &files[i], &error));
  for (int i = 0; i < kNumThreads; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, run, &numbers[i]) == 0);
  }
  for (int i = 0; i < kNumThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 16; ++i) tacore_buffer_free(files[i]);
  tacore_raster_free(raster);
  tacore_frame_free(wet);
  tacore_frame_free(rows);
  tacore_dataset_free(water);
  tacore_dataset_free(dataset);
  return 0;
}
