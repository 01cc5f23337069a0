/* Columns of R to an Arrow stream of one batch. All memory is of malloc, since the library releases it, maybe in another thread. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

static void* must(void* memory) {
  if (memory == NULL) Rf_error("not enough memory for a table");
  return memory;
}

static void release_schema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    free(schema->children[i]);
  }
  free(schema->children);
  free((void*)schema->name);
  schema->release = NULL;
}

static void release_array(struct ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; ++i) {
    if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    free(array->children[i]);
  }
  free(array->children);
  for (int64_t i = 0; i < array->n_buffers; ++i) free((void*)array->buffers[i]);
  free(array->buffers);
  array->release = NULL;
}

static void begin(struct ArrowSchema* schema, struct ArrowArray* array, const char* format, const char* name, int64_t length,
                  int64_t num_buffers, int64_t num_children) {
  memset(schema, 0, sizeof *schema);
  memset(array, 0, sizeof *array);
  schema->format = format;
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = release_schema;
  array->release = release_array;
  array->length = length;
  array->buffers = must(calloc((size_t)num_buffers, sizeof(void*)));
  array->n_buffers = num_buffers;
  schema->name = must(calloc(strlen(name) + 1, 1));
  strcpy((char*)schema->name, name);
  if (num_children == 0) return;
  schema->children = must(calloc((size_t)num_children, sizeof(void*)));
  array->children = must(calloc((size_t)num_children, sizeof(void*)));
  for (int64_t i = 0; i < num_children; ++i) {
    schema->children[i] = must(calloc(1, sizeof *schema));
    ++schema->n_children;
    array->children[i] = must(calloc(1, sizeof *array));
    ++array->n_children;
  }
}

static void set_null(struct ArrowArray* array, int64_t at) {
  const size_t size = (size_t)array->length / 8 + 1;
  if (array->buffers[0] == NULL) {
    array->buffers[0] = must(malloc(size));
    memset((void*)array->buffers[0], 0xFF, size);
  }
  ((unsigned char*)array->buffers[0])[at / 8] &= (unsigned char)~(1U << (at % 8));
  ++array->null_count;
}

static void* buffer(struct ArrowArray* array, int which, size_t size) {
  array->buffers[which] = must(calloc(size + 1, 1));
  return (void*)array->buffers[which];
}

static void export_column(SEXP values, const char* name, struct ArrowSchema* schema, struct ArrowArray* array);

/* A text of a character vector or factor; NULL for NA. */
static const char* text_at(SEXP values, SEXP levels, R_xlen_t at) {
  if (levels == R_NilValue) return STRING_ELT(values, at) == NA_STRING ? NULL : Rf_translateCharUTF8(STRING_ELT(values, at));
  const int level = INTEGER(values)[at];
  return level == NA_INTEGER ? NULL : Rf_translateCharUTF8(STRING_ELT(levels, level - 1));
}

/* The offsets of texts and bytes are of 32 bits. */
static void add_size(size_t* total, size_t size, const char* name) {
  *total += size;
  if (*total > INT_MAX) Rf_error("column '%s' has more than 2 GB; make the dataset of files instead", name);
}

static void export_texts(SEXP values, SEXP levels, struct ArrowArray* array, const char* name) {
  size_t total = 0;
  for (int64_t i = 0; i < array->length; ++i) {
    const char* text = text_at(values, levels, i);
    if (text != NULL) add_size(&total, strlen(text), name);
    else set_null(array, i);
  }
  int32_t* offsets = buffer(array, 1, ((size_t)array->length + 1) * sizeof(int32_t));
  char* data = buffer(array, 2, total);
  for (int64_t i = 0; i < array->length; ++i) {
    const char* text = text_at(values, levels, i);
    const size_t size = text != NULL ? strlen(text) : 0;
    if (size > 0) memcpy(data + offsets[i], text, size);
    offsets[i + 1] = offsets[i] + (int32_t)size;
  }
}

static void export_raws(SEXP values, struct ArrowArray* array, const char* name) {
  size_t total = 0;
  for (int64_t i = 0; i < array->length; ++i) {
    SEXP each = VECTOR_ELT(values, i);
    if (each == R_NilValue) set_null(array, i);
    else add_size(&total, (size_t)XLENGTH(each), name);
  }
  int32_t* offsets = buffer(array, 1, ((size_t)array->length + 1) * sizeof(int32_t));
  unsigned char* data = buffer(array, 2, total);
  for (int64_t i = 0; i < array->length; ++i) {
    SEXP each = VECTOR_ELT(values, i);
    const size_t size = each == R_NilValue ? 0 : (size_t)XLENGTH(each);
    if (size > 0) memcpy(data + offsets[i], RAW(each), size);
    offsets[i + 1] = offsets[i] + (int32_t)size;
  }
}

/* Vectors of one type, one after the other. */
static void export_lists(SEXP values, const char* name, struct ArrowSchema* schema, struct ArrowArray* array) {
  SEXPTYPE type = LGLSXP;
  R_xlen_t total = 0;
  for (int64_t i = 0; i < array->length; ++i) {
    SEXP each = VECTOR_ELT(values, i);
    if (each == R_NilValue) continue;
    if (TYPEOF(each) != LGLSXP && TYPEOF(each) != INTSXP && TYPEOF(each) != REALSXP && TYPEOF(each) != STRSXP)
      Rf_error("column '%s': element %d is neither raw, logical, numeric nor character", name, (int)i + 1);
    if (type != TYPEOF(each) && (type == STRSXP || TYPEOF(each) == STRSXP) && total > 0)
      Rf_error("column '%s': element %d is of another type than those before", name, (int)i + 1);
    if (TYPEOF(each) > type || total == 0) type = TYPEOF(each);
    total += XLENGTH(each);
  }
  SEXP all = PROTECT(Rf_allocVector(type, total));
  int32_t* offsets = buffer(array, 1, ((size_t)array->length + 1) * sizeof(int32_t));
  if (total > INT_MAX) Rf_error("column '%s' has more than 2^31 numbers", name);
  for (int64_t i = 0; i < array->length; ++i) {
    offsets[i + 1] = offsets[i];
    if (VECTOR_ELT(values, i) == R_NilValue) {
      set_null(array, i);
      continue;
    }
    SEXP each = PROTECT(Rf_coerceVector(VECTOR_ELT(values, i), type));
    for (R_xlen_t k = 0; k < XLENGTH(each); ++k) {
      if (type == STRSXP) SET_STRING_ELT(all, offsets[i] + k, STRING_ELT(each, k));
      else if (type == REALSXP) REAL(all)[offsets[i] + k] = REAL(each)[k];
      else INTEGER(all)[offsets[i] + k] = INTEGER(each)[k];
    }
    offsets[i + 1] += (int32_t)XLENGTH(each);
    UNPROTECT(1);
  }
  export_column(all, "item", schema->children[0], array->children[0]);
  UNPROTECT(1);
}

static int all_raw(SEXP values) {
  int num_raw = 0;
  for (R_xlen_t i = 0; i < XLENGTH(values); ++i) {
    SEXP each = VECTOR_ELT(values, i);
    if (each != R_NilValue && TYPEOF(each) != RAWSXP) return 0;
    num_raw += each != R_NilValue;
  }
  return num_raw > 0;
}

static void export_column(SEXP values, const char* name, struct ArrowSchema* schema, struct ArrowArray* array) {
  const int64_t num = XLENGTH(values);
  const int is_factor = Rf_inherits(values, "factor"), is_time = Rf_inherits(values, "POSIXct");
  if (TYPEOF(values) == STRSXP || is_factor) {
    begin(schema, array, "u", name, num, 3, 0);
    export_texts(values, is_factor ? Rf_getAttrib(values, R_LevelsSymbol) : R_NilValue, array, name);
  } else if (Rf_inherits(values, "Date")) {
    begin(schema, array, "tdD", name, num, 2, 0);
    int32_t* out = buffer(array, 1, (size_t)num * sizeof *out);
    for (int64_t i = 0; i < num; ++i) {
      const int is_whole = TYPEOF(values) == INTSXP;
      if (is_whole ? INTEGER(values)[i] == NA_INTEGER : ISNAN(REAL(values)[i])) set_null(array, i);
      else out[i] = is_whole ? INTEGER(values)[i] : (int32_t)floor(REAL(values)[i]);
    }
  } else if (is_time || Rf_inherits(values, "integer64")) {
    if (TYPEOF(values) != REALSXP) Rf_error("column '%s': a time of another type than numeric", name);
    begin(schema, array, is_time ? "tsu:UTC" : "l", name, num, 2, 0);
    int64_t* out = buffer(array, 1, (size_t)num * sizeof *out);
    for (int64_t i = 0; i < num; ++i) {
      if (is_time) {
        const double time = REAL(values)[i];
        if (ISNAN(time)) set_null(array, i);
        else out[i] = (int64_t)llround(time * 1e6);
      } else {
        memcpy(out + i, REAL(values) + i, sizeof *out);
        if (out[i] == INT64_MIN) set_null(array, i);
      }
    }
  } else if (TYPEOF(values) == LGLSXP) {
    begin(schema, array, "b", name, num, 2, 0);
    unsigned char* bits = buffer(array, 1, (size_t)num / 8 + 1);
    for (int64_t i = 0; i < num; ++i) {
      if (LOGICAL(values)[i] == NA_LOGICAL) set_null(array, i);
      else if (LOGICAL(values)[i]) bits[i / 8] |= (unsigned char)(1U << (i % 8));
    }
  } else if (TYPEOF(values) == INTSXP) {
    begin(schema, array, "i", name, num, 2, 0);
    int32_t* out = buffer(array, 1, (size_t)num * sizeof *out);
    for (int64_t i = 0; i < num; ++i) {
      if (INTEGER(values)[i] == NA_INTEGER) set_null(array, i);
      else out[i] = INTEGER(values)[i];
    }
  } else if (TYPEOF(values) == REALSXP) {
    begin(schema, array, "g", name, num, 2, 0);
    double* out = buffer(array, 1, (size_t)num * sizeof *out);
    for (int64_t i = 0; i < num; ++i) {
      if (R_IsNA(REAL(values)[i])) set_null(array, i);
      else out[i] = REAL(values)[i];
    }
  } else if (TYPEOF(values) == VECSXP && all_raw(values)) {
    begin(schema, array, "z", name, num, 3, 0);
    export_raws(values, array, name);
  } else if (TYPEOF(values) == VECSXP) {
    begin(schema, array, "+l", name, num, 2, 1);
    export_lists(values, name, schema, array);
  } else {
    Rf_error("column '%s' is of a type that no dataset holds: %s", name, Rf_type2char(TYPEOF(values)));
  }
}

/* The batch of a stream; given once. */
typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray array;
} Table;

static int give_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  Table* table = stream->private_data;
  *out = table->schema;
  table->schema.release = NULL;
  return 0;
}

static int give_array(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  Table* table = stream->private_data;
  *out = table->array; /* at the end: one that is released */
  table->array.release = NULL;
  return 0;
}

static const char* give_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return NULL;
}

static void release_stream(struct ArrowArrayStream* stream) {
  Table* table = stream->private_data;
  if (table->schema.release != NULL) table->schema.release(&table->schema);
  if (table->array.release != NULL) table->array.release(&table->array);
  free(table);
  stream->release = NULL;
}

typedef struct {
  SEXP columns;
  struct ArrowArrayStream* stream;
  int is_complete;
} Export;

static SEXP export(void* data) {
  Export* all = data;
  Table* table = all->stream->private_data;
  const int64_t num_columns = XLENGTH(all->columns);
  SEXP names = Rf_getAttrib(all->columns, R_NamesSymbol);
  begin(&table->schema, &table->array, "+s", "", num_columns > 0 ? XLENGTH(VECTOR_ELT(all->columns, 0)) : 0, 1, num_columns);
  for (int64_t i = 0; i < num_columns; ++i) {
    export_column(VECTOR_ELT(all->columns, i), Rf_translateCharUTF8(STRING_ELT(names, i)), table->schema.children[i],
                  table->array.children[i]);
  }
  all->is_complete = 1;
  return R_NilValue;
}

static void end_export(void* data) {
  Export* all = data;
  if (!all->is_complete) all->stream->release(all->stream);
}

void export_columns(SEXP columns, struct ArrowArrayStream* stream) {
  memset(stream, 0, sizeof *stream);
  stream->private_data = must(calloc(1, sizeof(Table)));
  stream->get_schema = give_schema;
  stream->get_next = give_array;
  stream->get_last_error = give_error;
  stream->release = release_stream;
  Export all = {columns, stream, 0};
  R_ExecWithCleanup(export, &all, end_export, &all);
}
