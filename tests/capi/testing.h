/* What the programs of this folder share: checks that tell where they failed, and handles of the test datasets. */
#ifndef TACORE_TESTS_CAPI_TESTING_H
#define TACORE_TESTS_CAPI_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacore.h"

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition);     \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

/* A call that must succeed. Its last argument is `&error`. */
#define OK(call)                                                                                         \
  do {                                                                                                   \
    tacore_error* error = NULL;                                                                          \
    if ((call) != TACORE_OK || error != NULL) {                                                          \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, tacore_error_text(error));           \
      exit(1);                                                                                           \
    }                                                                                                    \
  } while (0)

/* A call that must fail with a code and a text that has `part` in it. */
#define FAILS(expected, part, call)                                                                      \
  do {                                                                                                   \
    tacore_error* error = NULL;                                                                          \
    const tacore_status found = (call);                                                                  \
    if (found != (expected) || tacore_error_code(error) != (expected) ||                                 \
        strstr(tacore_error_text(error), part) == NULL) {                                                \
      fprintf(stderr, "%s:%d: %s: status %d, expected %d with '%s': %s\n", __FILE__, __LINE__, #call,    \
              (int)found, (int)(expected), part, tacore_error_text(error));                              \
      exit(1);                                                                                           \
    }                                                                                                    \
    tacore_error_free(error);                                                                            \
  } while (0)

/* The root of the source tree, which the first argument of a program is. */
static const char* root;

/* A path below the root, in memory that the next four calls leave alone. */
static inline const char* in_root(const char* path) {
  static char paths[5][4096];
  static int next;
  char* out = paths[next++ % 5];
  snprintf(out, sizeof paths[0], "%s/%s", root, path);
  return out;
}

static inline tacore_dataset* open_one(const char* path) {
  const char* paths[1];
  tacore_dataset* out = NULL;
  paths[0] = in_root(path);
  OK(tacore_open(paths, 1, NULL, &out, &error));
  CHECK(out != NULL);
  return out;
}

static inline tacore_frame* rows_of(const tacore_dataset* dataset) {
  tacore_frame* out = NULL;
  OK(tacore_dataset_rows(dataset, 0, &out, &error));
  CHECK(out != NULL);
  return out;
}

static inline const char* text_of(const tacore_buffer* buffer) { return (const char*)tacore_buffer_data(buffer); }

#define NESTED "examples/data/landsat_nested.tacozip" /* 6 tiles: optical, dem, mask */
#define FLAT "examples/data/landsat.tacozip"          /* 16 chips of 6 bands, 64 x 64 */

#endif
