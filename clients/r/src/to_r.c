/* Plain Arrow streams (TACORE_PLAIN: a dozen types, one batch, offset 0) to columns of R. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "call.h"

static int is_valid(const struct ArrowArray* array, int64_t at) {
  const unsigned char* bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
  return bits == NULL || (bits[at / 8] >> (at % 8) & 1);
}

static void set_class(SEXP object, const char* first, const char* second) {
  SEXP names = PROTECT(Rf_allocVector(STRSXP, second != NULL ? 2 : 1));
  SET_STRING_ELT(names, 0, Rf_mkChar(first));
  if (second != NULL) SET_STRING_ELT(names, 1, Rf_mkChar(second));
  Rf_setAttrib(object, R_ClassSymbol, names);
  UNPROTECT(1);
}

static SEXP column(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num, SEXP bigint);

/* INT_MIN is R's NA: a column that has it becomes a numeric one. */
static SEXP integers(const struct ArrowArray* array, int64_t from, int64_t num) {
  const int32_t* values = array->buffers[1];
  int has_na = 0;
  for (int64_t i = 0; i < num; ++i) has_na |= values[from + i] == INT_MIN && is_valid(array, from + i);
  SEXP out = PROTECT(Rf_allocVector(has_na ? REALSXP : INTSXP, num));
  for (int64_t i = 0; i < num; ++i) {
    const int valid = is_valid(array, from + i);
    if (has_na) REAL(out)[i] = valid ? values[from + i] : NA_REAL;
    else INTEGER(out)[i] = valid ? values[from + i] : NA_INTEGER;
  }
  UNPROTECT(1);
  return out;
}

/* A numeric vector where all values fit 2^53, else as `bigint` says: integer64 of the package bit64, numeric or character. */
static SEXP large_integers(const struct ArrowArray* array, int64_t from, int64_t num, SEXP bigint) {
  static const int64_t kExact = (int64_t)1 << 53;
  const int64_t* values = array->buffers[1];
  const char* kind = CHAR(STRING_ELT(bigint, 0));
  int is_large = 0;
  for (int64_t i = 0; i < num && !is_large; ++i) {
    const int64_t value = values[from + i];
    is_large = (value > kExact || value < -kExact) && is_valid(array, from + i);
  }
  if (is_large && strcmp(kind, "character") == 0) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, num));
    for (int64_t i = 0; i < num; ++i) {
      char text[24];
      snprintf(text, sizeof text, "%lld", (long long)values[from + i]);
      SET_STRING_ELT(out, i, is_valid(array, from + i) ? Rf_mkChar(text) : NA_STRING);
    }
    UNPROTECT(1);
    return out;
  }
  const int as_integer64 = is_large && strcmp(kind, "integer64") == 0;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, num));
  for (int64_t i = 0; i < num; ++i) {
    const int64_t value = is_valid(array, from + i) ? values[from + i] : INT64_MIN; /* NA of integer64 */
    if (as_integer64) memcpy(REAL(out) + i, &value, sizeof value);
    else REAL(out)[i] = value == INT64_MIN ? NA_REAL : (double)value;
  }
  if (as_integer64) set_class(out, "integer64", NULL);
  UNPROTECT(1);
  return out;
}

static SEXP texts(const struct ArrowArray* array, int64_t from, int64_t num) {
  const int32_t* offsets = array->buffers[1];
  const char* data = array->buffers[2];
  SEXP out = PROTECT(Rf_allocVector(STRSXP, num));
  for (int64_t i = from; i < from + num; ++i) {
    const int32_t size = offsets[i + 1] - offsets[i];
    SET_STRING_ELT(out, i - from,
                   is_valid(array, i) ? Rf_mkCharLenCE(size > 0 ? data + offsets[i] : "", size, CE_UTF8) : NA_STRING);
  }
  UNPROTECT(1);
  return out;
}

static SEXP raws(const struct ArrowArray* array, int64_t from, int64_t num) {
  const int32_t* offsets = array->buffers[1];
  const unsigned char* data = array->buffers[2];
  SEXP out = PROTECT(Rf_allocVector(VECSXP, num));
  for (int64_t i = from; i < from + num; ++i) {
    if (!is_valid(array, i)) continue;
    const int32_t size = offsets[i + 1] - offsets[i];
    SEXP each = Rf_allocVector(RAWSXP, size);
    SET_VECTOR_ELT(out, i - from, each);
    if (size > 0) memcpy(RAW(each), data + offsets[i], (size_t)size);
  }
  UNPROTECT(1);
  return out;
}

static SEXP lists(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num, SEXP bigint) {
  const int32_t* offsets = array->buffers[1];
  SEXP out = PROTECT(Rf_allocVector(VECSXP, num));
  for (int64_t i = from; i < from + num; ++i) {
    if (!is_valid(array, i)) continue;
    SET_VECTOR_ELT(out, i - from,
                   column(schema->children[0], array->children[0], offsets[i], offsets[i + 1] - offsets[i], bigint));
  }
  UNPROTECT(1);
  return out;
}

/* A data frame; where the struct itself is null, its fields are. */
static SEXP structs(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num, SEXP bigint) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, schema->n_children));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, schema->n_children));
  for (int64_t i = 0; i < schema->n_children; ++i) {
    SET_STRING_ELT(names, i, Rf_mkCharCE(schema->children[i]->name, CE_UTF8));
    SET_VECTOR_ELT(out, i, column(schema->children[i], array->children[i], from, num, bigint));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  SEXP rows = PROTECT(Rf_allocVector(INTSXP, 2)); /* the short form of 1, 2, ... */
  INTEGER(rows)[0] = NA_INTEGER;
  INTEGER(rows)[1] = -(int)num;
  Rf_setAttrib(out, R_RowNamesSymbol, rows);
  set_class(out, "data.frame", NULL);
  UNPROTECT(3);
  return out;
}

static SEXP column(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num, SEXP bigint) {
  SEXP out;
  switch (schema->format[0]) {
    case 'b':
      out = PROTECT(Rf_allocVector(LGLSXP, num));
      for (int64_t i = from; i < from + num; ++i) {
        const unsigned char* bits = array->buffers[1];
        LOGICAL(out)[i - from] = is_valid(array, i) ? bits[i / 8] >> (i % 8) & 1 : NA_LOGICAL;
      }
      break;
    case 'i': return integers(array, from, num);
    case 'l': return large_integers(array, from, num, bigint);
    case 'g':
      out = PROTECT(Rf_allocVector(REALSXP, num));
      for (int64_t i = from; i < from + num; ++i)
        REAL(out)[i - from] = is_valid(array, i) ? ((const double*)array->buffers[1])[i] : NA_REAL;
      break;
    case 'u': return texts(array, from, num);
    case 'z': return raws(array, from, num);
    case 't':
      out = PROTECT(Rf_allocVector(REALSXP, num));
      for (int64_t i = from; i < from + num; ++i) {
        const int is_date = schema->format[1] == 'd';
        if (!is_valid(array, i)) REAL(out)[i - from] = NA_REAL;
        else if (is_date) REAL(out)[i - from] = ((const int32_t*)array->buffers[1])[i];
        else REAL(out)[i - from] = (double)((const int64_t*)array->buffers[1])[i] / 1e6;
      }
      if (schema->format[1] == 'd') {
        set_class(out, "Date", NULL);
      } else {
        set_class(out, "POSIXct", "POSIXt");
        Rf_setAttrib(out, Rf_install("tzone"), Rf_mkString("UTC"));
      }
      break;
    default: return schema->format[1] == 'l' ? lists(schema, array, from, num, bigint) : structs(schema, array, from, num, bigint);
  }
  UNPROTECT(1);
  return out;
}

typedef struct {
  struct ArrowArrayStream* stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  SEXP bigint;
} Import;

static SEXP import(void* data) {
  Import* all = data;
  if (all->stream->get_schema(all->stream, &all->schema) != 0 || all->stream->get_next(all->stream, &all->array) != 0)
    Rf_error("%s", all->stream->get_last_error(all->stream));
  return structs(&all->schema, &all->array, 0, all->array.release != NULL ? all->array.length : 0, all->bigint);
}

/* Also where R jumps, for lack of memory. */
static void end_import(void* data) {
  Import* all = data;
  if (all->array.release != NULL) all->array.release(&all->array);
  if (all->schema.release != NULL) all->schema.release(&all->schema);
  all->stream->release(all->stream);
}

SEXP columns_of(struct ArrowArrayStream* stream, SEXP bigint) {
  Import all = {stream, {0}, {0}, bigint};
  return R_ExecWithCleanup(import, &all, end_import, &all);
}
