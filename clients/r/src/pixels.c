/* Pixels and batches: arrays of R are [row, column, band], the library's are [band, row, column]. */
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "call.h"

/* What replaces no data in numbers, which becomes NA: no image has it. */
static const double kNoData = -DBL_MAX;

static int is_whole(int32_t type) { return type >= TACORE_UINT8 && type <= TACORE_INT32 && type != TACORE_UINT32; }

/* Turns images of num x (rows, columns) into the order of R, with blocks that fit the cache. */
#define TURN(name, From, To, VALUE)                                                                \
  static void name(const From* from, To* to, int64_t num, int64_t rows, int64_t columns) {         \
    for (int64_t image = 0; image < num; ++image, from += rows * columns, to += rows * columns) {  \
      for (int64_t top = 0; top < rows; top += 32) {                                               \
        const int64_t bottom = top + 32 < rows ? top + 32 : rows;                                  \
        for (int64_t column = 0; column < columns; ++column) {                                     \
          for (int64_t row = top; row < bottom; ++row) {                                           \
            const From value = from[row * columns + column];                                       \
            to[column * rows + row] = VALUE;                                                       \
          }                                                                                        \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }
TURN(turn_u8, uint8_t, int, value)
TURN(turn_i8, int8_t, int, value)
TURN(turn_u16, uint16_t, int, value)
TURN(turn_i16, int16_t, int, value)
TURN(turn_i32, int32_t, int, value)
TURN(turn_u32, uint32_t, double, value)
TURN(turn_u64, uint64_t, double, (double)value)
TURN(turn_i64, int64_t, double, (double)value)
TURN(turn_f32, float, double, (double)value)
TURN(turn_f64, double, double, value == kNoData ? NA_REAL : value)

static void turn(const void* from, int32_t type, SEXP to, int64_t num, int64_t rows, int64_t columns) {
  switch (type) {
    case TACORE_UINT8: turn_u8(from, INTEGER(to), num, rows, columns); break;
    case TACORE_INT8: turn_i8(from, INTEGER(to), num, rows, columns); break;
    case TACORE_UINT16: turn_u16(from, INTEGER(to), num, rows, columns); break;
    case TACORE_INT16: turn_i16(from, INTEGER(to), num, rows, columns); break;
    case TACORE_INT32: turn_i32(from, INTEGER(to), num, rows, columns); break;
    case TACORE_UINT32: turn_u32(from, REAL(to), num, rows, columns); break;
    case TACORE_UINT64: turn_u64(from, REAL(to), num, rows, columns); break;
    case TACORE_INT64: turn_i64(from, REAL(to), num, rows, columns); break;
    case TACORE_FLOAT32: turn_f32(from, REAL(to), num, rows, columns); break;
    default: turn_f64(from, REAL(to), num, rows, columns);
  }
}

static SEXP array_of(const void* data, int32_t type, int64_t rows, int64_t columns, int64_t bands, int64_t samples) {
  const int64_t num_images = bands * (samples < 0 ? 1 : samples);
  SEXP out = PROTECT(Rf_allocVector(is_whole(type) ? INTSXP : REALSXP, (R_xlen_t)(rows * columns * num_images)));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, samples < 0 ? 3 : 4));
  INTEGER(dim)[0] = (int)rows;
  INTEGER(dim)[1] = (int)columns;
  INTEGER(dim)[2] = (int)bands;
  if (samples >= 0) INTEGER(dim)[3] = (int)samples;
  turn(data, type, out, num_images, rows, columns);
  Rf_setAttrib(out, R_DimSymbol, dim);
  UNPROTECT(2);
  return out;
}

SEXP r_raster_open(SEXP frame, SEXP position, SEXP child) {
  tacore_raster* out;
  tacore_error* error = NULL;
  if (tacore_raster_open(frame_of(frame), positions_of(position)[0], utf8(child), &out, &error)) return failure(error);
  return new_raster(out);
}

SEXP r_raster_open_path(SEXP path) {
  tacore_raster* out;
  tacore_error* error = NULL;
  if (tacore_raster_open_path(utf8(path), &out, &error)) return failure(error);
  return new_raster(out);
}

SEXP r_raster_about(SEXP raster) {
  tacore_buffer* json;
  tacore_error* error = NULL;
  if (tacore_raster_about(raster_of(raster), &json, &error)) return failure(error);
  return json_of(json);
}

static SEXP read_pixels(const tacore_raster* raster, SEXP bands, SEXP window, SEXP scale, int na) {
  int64_t shape[3], place[4];
  int32_t type;
  char options[64] = "";
  tacore_raster_shape(raster, shape, &type);
  const int64_t num_bands = bands == R_NilValue ? shape[0] : XLENGTH(bands);
  if (window != R_NilValue) {
    for (int i = 0; i < 4; ++i) place[i] = (int64_t)REAL(window)[i];
    const int is_inside = place[2] >= 1 && place[3] >= 1 && place[2] <= shape[2] && place[3] <= shape[1];
    shape[1] = is_inside ? place[3] : 1; /* the library refuses other windows */
    shape[2] = is_inside ? place[2] : 1;
  }
  const int is_scaled = scale != R_NilValue;
  if (is_scaled || type == TACORE_FLOAT32 || na) type = !is_scaled && is_whole(type) ? TACORE_INT32 : TACORE_FLOAT64;
  if (na) {
    if (type == TACORE_INT32) snprintf(options, sizeof options, "{\"fill\": %d", INT_MIN); /* NA_INTEGER */
    else snprintf(options, sizeof options, "{\"fill\": %.17g", kNoData);
  }
  char* all_options = R_alloc(strlen(options) + (is_scaled ? strlen(utf8(scale)) : 0) + 20, 1);
  sprintf(all_options, "%s%s%s%s%s", options, *options == '\0' ? "{" : is_scaled ? ", " : "", is_scaled ? "\"scale\": " : "",
          is_scaled ? utf8(scale) : "", "}");
  static const size_t widths[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  const size_t size = (size_t)(num_bands * shape[1] * shape[2]) * widths[type];
  void* pixels = R_alloc(size + 1, 1);
  tacore_error* error = NULL;
  if (tacore_raster_read(raster, bands == R_NilValue ? NULL : INTEGER(bands), bands == R_NilValue ? 0 : (size_t)num_bands,
                         window == R_NilValue ? NULL : place, type, all_options, pixels, size, &error))
    return failure(error);
  return array_of(pixels, type, shape[1], shape[2], num_bands, -1);
}

/* Of a row of a frame, or a path. `na`: no data becomes NA. */
SEXP r_pixels(SEXP frame, SEXP position, SEXP child, SEXP bands, SEXP window, SEXP scale, SEXP na) {
  SEXP pointer = PROTECT(TYPEOF(frame) == STRSXP ? r_raster_open_path(frame) : r_raster_open(frame, position, child));
  SEXP out = TYPEOF(pointer) == EXTPTRSXP ? read_pixels(raster_of(pointer), bands, window, scale, Rf_asLogical(na)) : pointer;
  if (TYPEOF(pointer) == EXTPTRSXP) free_raster_now(pointer);
  UNPROTECT(1);
  return out;
}

SEXP r_raster_preview(SEXP raster, SEXP options) {
  tacore_buffer* png;
  tacore_error* error = NULL;
  if (tacore_raster_preview(raster_of(raster), utf8(options), &png, &error)) return failure(error);
  return raw_of(png);
}

SEXP r_loader_new(SEXP frame, SEXP options) {
  tacore_loader* out;
  tacore_error* error = NULL;
  if (tacore_loader_new(frame_of(frame), utf8(options), &out, &error)) return failure(error);
  return new_loader(out);
}

SEXP r_loader_num_batches(SEXP loader) { return Rf_ScalarReal((double)tacore_loader_num_batches(loader_of(loader))); }

static SEXP content_of(void* data) {
  const char* names[] = {"tensors", "positions", "next_start", "failures", ""};
  const tacore_batch* batch = data;
  const int64_t* positions;
  int64_t next_start;
  size_t num;
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP tensors = Rf_allocVector(VECSXP, (R_xlen_t)tacore_batch_num_tensors(batch));
  SET_VECTOR_ELT(out, 0, tensors);
  for (R_xlen_t i = 0; i < XLENGTH(tensors); ++i) {
    const void* values;
    int64_t shape[4];
    int32_t type;
    tacore_batch_tensor(batch, (size_t)i, &values, shape, &type);
    SET_VECTOR_ELT(tensors, i, array_of(values, type, shape[2], shape[3], shape[1], shape[0]));
  }
  tacore_batch_positions(batch, &positions, &num, &next_start);
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)num));
  for (size_t i = 0; i < num; ++i) REAL(VECTOR_ELT(out, 1))[i] = (double)positions[i] + 1;
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)next_start));
  SET_VECTOR_ELT(out, 3, parse_json(tacore_batch_failures(batch)));
  UNPROTECT(1);
  return out;
}

static void free_batch(void* batch) { tacore_batch_free(batch); }

SEXP r_loader_next(SEXP loader) {
  tacore_batch* batch;
  tacore_error* error = NULL;
  if (tacore_loader_next(loader_of(loader), &batch, &error)) return failure(error);
  return batch == NULL ? R_NilValue : R_ExecWithCleanup(content_of, batch, free_batch, batch);
}
