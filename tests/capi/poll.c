/* The poll function: it runs in the thread that called, with growing numbers, and stops a call that then leaves nothing
 * behind.   poll ROOT FOLDER     FOLDER: empty, for output */
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "testing.h"

enum { kNumFiles = 3000, kFileSize = 20000 };

static const char collection[] =
    "{\"id\": \"chips\", \"dataset_version\": \"1.0.0\", \"description\": \"Chips\", \"licenses\": [\"MIT\"],"
    " \"providers\": [{\"name\": \"P\"}], \"tasks\": [\"classification\"]}";

typedef struct {
  pthread_t thread;
  int num_calls, stop_after;
  uint64_t done, total;
  double stopped;
} Seen;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int32_t look(uint64_t done, uint64_t total, void* user) {
  Seen* seen = user;
  CHECK(pthread_equal(pthread_self(), seen->thread));
  CHECK(total == 0 || done <= total);
  CHECK(total != seen->total || done >= seen->done); /* a total that changes begins another part of the work */
  seen->done = done;
  seen->total = total;
  if (++seen->num_calls < seen->stop_after) return 0;
  if (seen->stopped == 0) seen->stopped = seconds();
  return 1;
}

static int num_entries(const char* path) {
  DIR* opened = opendir(path);
  int num = -2;
  CHECK(opened != NULL);
  while (readdir(opened) != NULL) ++num;
  closedir(opened);
  return num;
}

int main(int argc, char** argv) {
  char source[4000], output[4000], target[4200], name[4300];
  static char bytes[kFileSize];
  tacore_samples* samples = NULL;
  tacore_buffer* paths = NULL;
  tacore_error* error = NULL;
  Seen seen = {0};
  int num_stopped = 0;
  if (argc != 3) return 2;
  root = argv[1];
  seen.thread = pthread_self();
  snprintf(source, sizeof source, "%s/source", argv[2]);
  snprintf(output, sizeof output, "%s/output", argv[2]);
  CHECK(mkdir(source, 0777) == 0 && mkdir(output, 0777) == 0);
  for (int i = 0; i < kNumFiles; ++i) {
    snprintf(name, sizeof name, "%s/%05d.bin", source, i);
    FILE* file = fopen(name, "wb");
    memset(bytes, i, sizeof bytes);
    CHECK(file != NULL && fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes && fclose(file) == 0);
  }
  OK(tacore_samples_from_path(source, NULL, &samples, &error));

  /* Stopped the first time that it is asked: a call that is shorter than that succeeds. */
  const char* outputs[] = {"a.tacozip", "folder"};
  for (int i = 0; i < 2; ++i) {
    snprintf(target, sizeof target, "%s/%s", output, outputs[i]);
    seen.num_calls = 0;
    seen.done = seen.total = 0;
    seen.stop_after = 1;
    seen.stopped = 0;
    tacore_set_poll(look, &seen);
    const tacore_status status = tacore_create(samples, target, collection, "{\"jobs\": 1}", &paths, &error);
    tacore_set_poll(NULL, NULL);
    CHECK(status == TACORE_OK || status == TACORE_E_CANCELLED);
    if (status == TACORE_E_CANCELLED) {
      ++num_stopped;
      CHECK(seconds() - seen.stopped < 5);
      CHECK(tacore_error_code(error) == TACORE_E_CANCELLED && strstr(tacore_error_text(error), "stopped") != NULL);
      CHECK(paths == NULL && num_entries(output) == 0);
    } else {
      snprintf(name, sizeof name, "rm -r '%s'", target);
      CHECK(system(name) == 0);
    }
    tacore_error_free(error);
    tacore_buffer_free(paths);
    paths = NULL;
    error = NULL;
  }
  CHECK(num_stopped > 0);

  /* Reading, and statistics of pixels: many rows, so that they last. */
  tacore_dataset* flat = open_one(FLAT);
  tacore_frame *rows = rows_of(flat), *many = NULL;
  enum { kNumRows = 60000 };
  int64_t* positions = malloc(kNumRows * sizeof *positions);
  tacore_buffer** buffers = calloc(kNumRows, sizeof *buffers);
  CHECK(positions != NULL && buffers != NULL);
  for (int64_t i = 0; i < kNumRows; ++i) positions[i] = i % 16;
  OK(tacore_frame_take(rows, positions, kNumRows, &many, &error));
  for (int64_t i = 0; i < kNumRows; ++i) positions[i] = i;
  for (int i = 0; i < 2; ++i) {
    tacore_buffer* json = NULL;
    seen.num_calls = 0;
    seen.done = seen.total = 0;
    seen.stop_after = 1;
    seen.stopped = 0;
    tacore_set_poll(look, &seen);
    const tacore_status status = i == 0 ? tacore_frame_read(many, positions, kNumRows, NULL, buffers, &error)
                                        : tacore_frame_statistics(many, "{\"compute\": true, \"jobs\": 1}", &json, &error);
    tacore_set_poll(NULL, NULL);
    CHECK(status == TACORE_E_CANCELLED && seconds() - seen.stopped < 5);
    CHECK(buffers[0] == NULL && json == NULL);
    tacore_error_free(error);
    error = NULL;
  }
  free(buffers);
  free(positions);
  tacore_frame_free(many);
  tacore_frame_free(rows);
  tacore_dataset_free(flat);

  /* Never stopped: it hears of the end. */
  seen.num_calls = 0;
  seen.done = seen.total = 0;
  seen.stop_after = 1 << 30;
  tacore_set_poll(look, &seen);
  snprintf(target, sizeof target, "%s/b.tacozip", output);
  OK(tacore_create(samples, target, collection, NULL, &paths, &error));
  CHECK(seen.num_calls > 0 && seen.total > 0 && seen.done == seen.total && num_entries(output) == 1);
  tacore_buffer_free(paths);

  tacore_samples_free(samples);
  printf("%d of 2 calls were stopped\n", num_stopped);
  return 0;
}
