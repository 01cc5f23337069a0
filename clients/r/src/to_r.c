/* Plain Arrow streams (TACORE_PLAIN: a dozen types, one batch, offset 0) to columns of R. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include <R_ext/Altrep.h>

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

static SEXP text(const struct ArrowArray* array, int64_t at) {
  const int32_t* offsets = array->buffers[1];
  const int32_t size = offsets[at + 1] - offsets[at];
  if (!is_valid(array, at)) return NA_STRING;
  return Rf_mkCharLenCE(size > 0 ? (const char*)array->buffers[2] + offsets[at] : "", size, CE_UTF8);
}

/* ---- Long columns of text become texts of R when they are first looked at: each of them costs much, and many are never ---- */

static const int64_t kLong = 4096;
static R_altrep_class_t text_class;

static void release_array(SEXP pointer) {
  struct ArrowArray* array = R_ExternalPtrAddr(pointer);
  if (array == NULL) return;
  array->release(array);
  free(array);
  R_ClearExternalPtr(pointer);
}

/* The array is moved away from its parent, which then does not release it. */
static SEXP lazy_texts(struct ArrowArray* array) {
  struct ArrowArray* own = malloc(sizeof *own);
  if (own == NULL) return R_NilValue;
  SEXP pointer = PROTECT(R_MakeExternalPtr(own, R_NilValue, R_NilValue));
  *own = *array;
  array->release = NULL;
  R_RegisterCFinalizerEx(pointer, release_array, FALSE);
  SEXP out = R_new_altrep(text_class, pointer, R_NilValue);
  UNPROTECT(1);
  return out;
}

static R_xlen_t lazy_length(SEXP x) {
  SEXP all = R_altrep_data2(x);
  return all != R_NilValue ? XLENGTH(all) : ((struct ArrowArray*)R_ExternalPtrAddr(R_altrep_data1(x)))->length;
}

static SEXP lazy_element(SEXP x, R_xlen_t at) {
  SEXP all = R_altrep_data2(x);
  return all != R_NilValue ? STRING_ELT(all, at) : text(R_ExternalPtrAddr(R_altrep_data1(x)), at);
}

/* All at once, after which the bytes are not needed. */
static SEXP lazy_all(SEXP x) {
  if (R_altrep_data2(x) == R_NilValue) {
    const R_xlen_t num = lazy_length(x);
    SEXP all = PROTECT(Rf_allocVector(STRSXP, num));
    for (R_xlen_t i = 0; i < num; ++i) SET_STRING_ELT(all, i, lazy_element(x, i));
    R_set_altrep_data2(x, all);
    release_array(R_altrep_data1(x));
    UNPROTECT(1);
  }
  return R_altrep_data2(x);
}

static void* lazy_pointer(SEXP x, Rboolean is_writable) {
  (void)is_writable;
  return (void*)STRING_PTR(lazy_all(x));
}

static const void* lazy_pointer_or_null(SEXP x) {
  SEXP all = R_altrep_data2(x);
  return all != R_NilValue ? (const void*)STRING_PTR(all) : NULL;
}

static void set_lazy_element(SEXP x, R_xlen_t at, SEXP value) { SET_STRING_ELT(lazy_all(x), at, value); }

void init_to_r(DllInfo* info) {
  text_class = R_make_altstring_class("tacore_text", "tacore", info);
  R_set_altrep_Length_method(text_class, lazy_length);
  R_set_altvec_Dataptr_method(text_class, lazy_pointer);
  R_set_altvec_Dataptr_or_null_method(text_class, lazy_pointer_or_null);
  R_set_altstring_Elt_method(text_class, lazy_element);
  R_set_altstring_Set_elt_method(text_class, set_lazy_element);
}

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
  SEXP out = PROTECT(Rf_allocVector(STRSXP, num));
  for (int64_t i = 0; i < num; ++i) SET_STRING_ELT(out, i, text(array, from + i));
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
    const int is_long = *schema->children[i]->format == 'u' && from == 0 && num >= kLong && array->children[i]->length == num;
    SEXP lazy = is_long ? lazy_texts(array->children[i]) : R_NilValue;
    SET_VECTOR_ELT(out, i, lazy != R_NilValue ? lazy : column(schema->children[i], array->children[i], from, num, bigint));
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
