/* Datasets, rows, and what is written of them. */
#include <stdio.h>

#include "call.h"

#define TRY(call)                                  \
  do {                                             \
    tacore_error* error = NULL;                    \
    if ((call) != TACORE_OK) return failure(error); \
  } while (0)

SEXP r_version(void) {
  const uint32_t abi = tacore_abi_version();
  SEXP out = PROTECT(Rf_allocVector(STRSXP, 2));
  char text[40];
  snprintf(text, sizeof text, "%u.%u", abi >> 16, abi & 0xFFFF);
  SET_STRING_ELT(out, 0, Rf_mkChar(tacore_version()));
  SET_STRING_ELT(out, 1, Rf_mkChar(text));
  UNPROTECT(1);
  return out;
}

SEXP r_fits(void) {
  const uint32_t abi = tacore_abi_version();
  return Rf_ScalarLogical(abi >> 16 == TACORE_ABI_MAJOR && (abi & 0xFFFF) >= TACORE_ABI_MINOR);
}

SEXP r_set_options(SEXP options) {
  TRY(tacore_set_options(utf8(options), &error));
  return R_NilValue;
}

SEXP r_open(SEXP paths, SEXP options) {
  const R_xlen_t num = XLENGTH(paths);
  const char** texts = (const char**)R_alloc((size_t)num + 1, sizeof(char*));
  for (R_xlen_t i = 0; i < num; ++i) texts[i] = Rf_translateCharUTF8(STRING_ELT(paths, i));
  tacore_dataset* out;
  TRY(tacore_open(texts, (size_t)num, utf8(options), &out, &error));
  return new_dataset(out);
}

SEXP r_concat(SEXP datasets, SEXP mode) {
  const R_xlen_t num = XLENGTH(datasets);
  const tacore_dataset** all = (const tacore_dataset**)R_alloc((size_t)num + 1, sizeof(void*));
  for (R_xlen_t i = 0; i < num; ++i) all[i] = dataset_of(VECTOR_ELT(datasets, i));
  tacore_dataset* out;
  TRY(tacore_concat(all, (size_t)num, utf8(mode), &out, &error));
  return new_dataset(out);
}

SEXP r_collection(SEXP dataset) { return parse_json(tacore_dataset_collection(dataset_of(dataset))); }

SEXP r_about(SEXP dataset) {
  tacore_buffer* json;
  TRY(tacore_dataset_about(dataset_of(dataset), &json, &error));
  return json_of(json);
}

SEXP r_sql(SEXP dataset, SEXP query) {
  tacore_dataset* out;
  TRY(tacore_dataset_sql(dataset_of(dataset), utf8(query), &out, &error));
  return new_dataset(out);
}

SEXP r_filter_bbox(SEXP dataset, SEXP box, SEXP column, SEXP level) {
  tacore_dataset* out;
  TRY(tacore_dataset_filter_bbox(dataset_of(dataset), REAL(box), utf8(column), Rf_asInteger(level), &out, &error));
  return new_dataset(out);
}

SEXP r_filter_datetime(SEXP dataset, SEXP range, SEXP column, SEXP level) {
  tacore_dataset* out;
  TRY(tacore_dataset_filter_datetime(dataset_of(dataset), utf8(range), utf8(column), Rf_asInteger(level), &out, &error));
  return new_dataset(out);
}

SEXP r_rows(SEXP dataset, SEXP raw) {
  tacore_frame* out;
  TRY(tacore_dataset_rows(dataset_of(dataset), Rf_asLogical(raw) ? TACORE_RAW : 0, &out, &error));
  return new_frame(out);
}

SEXP r_flatten(SEXP dataset, SEXP level) {
  tacore_frame* out;
  TRY(tacore_dataset_flatten(dataset_of(dataset), Rf_asInteger(level), &out, &error));
  return new_frame(out);
}

SEXP r_statistics(SEXP dataset, SEXP options) {
  tacore_buffer* json;
  TRY(tacore_dataset_statistics(dataset_of(dataset), utf8(options), &json, &error));
  return json_of(json);
}

SEXP r_describe(SEXP dataset, SEXP form, SEXP options) {
  tacore_buffer* text;
  TRY(tacore_dataset_describe(dataset_of(dataset), utf8(form), utf8(options), &text, &error));
  return text_of(text);
}

SEXP r_export(SEXP dataset, SEXP output, SEXP options) {
  tacore_buffer* paths;
  TRY(tacore_export(dataset_of(dataset), utf8(output), utf8(options), &paths, &error));
  return json_of(paths);
}

SEXP r_frame_about(SEXP frame) {
  tacore_buffer* json;
  TRY(tacore_frame_about(frame_of(frame), &json, &error));
  return json_of(json);
}

SEXP r_frame_columns(SEXP frame, SEXP bigint) {
  struct ArrowArrayStream stream;
  TRY(tacore_frame_stream(frame_of(frame), TACORE_PLAIN, &stream, &error));
  return columns_of(&stream, bigint);
}

/* Into a stream of nanoarrow, which releases it. */
SEXP r_frame_stream(SEXP frame, SEXP stream) {
  TRY(tacore_frame_stream(frame_of(frame), 0, R_ExternalPtrAddr(stream), &error));
  return R_NilValue;
}

SEXP r_take(SEXP frame, SEXP positions) {
  tacore_frame* out;
  TRY(tacore_frame_take(frame_of(frame), positions_of(positions), (size_t)XLENGTH(positions), &out, &error));
  return new_frame(out);
}

SEXP r_frame_dataset(SEXP frame) {
  tacore_dataset* out;
  TRY(tacore_frame_dataset(frame_of(frame), &out, &error));
  return new_dataset(out);
}

SEXP r_children(SEXP frame, SEXP position, SEXP child) {
  tacore_frame* out;
  TRY(tacore_frame_children(frame_of(frame), positions_of(position)[0], utf8(child), &out, &error));
  return new_frame(out);
}

SEXP r_paths(SEXP frame, SEXP positions, SEXP child) {
  const R_xlen_t num = XLENGTH(positions);
  const int64_t* at = positions_of(positions);
  SEXP out = PROTECT(Rf_allocVector(STRSXP, num));
  for (R_xlen_t i = 0; i < num; ++i) {
    tacore_error* error = NULL;
    tacore_buffer* path;
    if (tacore_frame_path(frame_of(frame), at[i], utf8(child), &path, &error) != TACORE_OK) {
      UNPROTECT(1);
      return failure(error);
    }
    SET_STRING_ELT(out, i, STRING_ELT(text_of(path), 0));
  }
  UNPROTECT(1);
  return out;
}

SEXP r_read(SEXP frame, SEXP positions, SEXP child) {
  const R_xlen_t num = XLENGTH(positions);
  tacore_buffer** buffers = (tacore_buffer**)R_alloc((size_t)num + 1, sizeof(void*));
  TRY(tacore_frame_read(frame_of(frame), positions_of(positions), (size_t)num, utf8(child), buffers, &error));
  SEXP out = PROTECT(Rf_allocVector(VECSXP, num));
  for (R_xlen_t i = 0; i < num; ++i) SET_VECTOR_ELT(out, i, raw_of(buffers[i]));
  UNPROTECT(1);
  return out;
}

SEXP r_frame_statistics(SEXP frame, SEXP options) {
  tacore_buffer* json;
  TRY(tacore_frame_statistics(frame_of(frame), utf8(options), &json, &error));
  return json_of(json);
}

SEXP r_samples_from_rows(SEXP columns, SEXP options) {
  struct ArrowArrayStream stream;
  tacore_samples* out;
  export_columns(columns, &stream);
  TRY(tacore_samples_from_rows(&stream, utf8(options), &out, &error));
  return new_samples(out);
}

SEXP r_samples_from_path(SEXP path, SEXP options) {
  tacore_samples* out;
  TRY(tacore_samples_from_path(utf8(path), utf8(options), &out, &error));
  return new_samples(out);
}

SEXP r_create(SEXP samples, SEXP output, SEXP about, SEXP options) {
  tacore_buffer* paths;
  TRY(tacore_create(samples_of(samples), utf8(output), utf8(about), utf8(options), &paths, &error));
  return json_of(paths);
}

SEXP r_run(SEXP operation, SEXP request) {
  tacore_buffer* result;
  TRY(tacore_run(utf8(operation), utf8(request), &result, &error));
  return json_of(result);
}
