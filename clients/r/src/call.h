/* What every function that R calls needs: handles as external pointers, errors as R objects, interruption. */
#ifndef TACORE_R_CALL_H
#define TACORE_R_CALL_H

#define R_NO_REMAP
#include <Rinternals.h>
#include <R_ext/Rdynload.h>
#include <tacore.h>

/* An external pointer whose finaliser frees the handle. `kind` is the name of its type. NULL gives R's NULL. */
SEXP new_dataset(tacore_dataset* handle);
SEXP new_frame(tacore_frame* handle);
SEXP new_raster(tacore_raster* handle);
SEXP new_loader(tacore_loader* handle);
SEXP new_samples(tacore_samples* handle);

/* The handle of an R object. An R error when it is another object, or one of a session that has ended. */
tacore_dataset* dataset_of(SEXP pointer);
tacore_frame* frame_of(SEXP pointer);
tacore_raster* raster_of(SEXP pointer);
tacore_loader* loader_of(SEXP pointer);
tacore_samples* samples_of(SEXP pointer);
/* Without waiting for the garbage collector. */
void free_raster_now(SEXP pointer);

/* The failure of a call as a list of class tacore_failure, which R/conditions.R turns into a condition: C code never jumps over
 * the library. The error is freed. */
SEXP failure(tacore_error* error);

/* The content of a buffer, which is freed: as text in UTF-8, as raw, as parsed JSON. */
SEXP text_of(tacore_buffer* buffer);
SEXP raw_of(tacore_buffer* buffer);
SEXP json_of(tacore_buffer* buffer);

/* UTF-8 of a character(1); NULL for R's NULL. */
const char* utf8(SEXP text);
/* Whole numbers of R, which counts from 1, as positions. Memory of R, until the end of the call. */
int64_t* positions_of(SEXP numbers);

/* The rows of a frame as a list of columns; of nanoarrow's or our own stream. */
SEXP columns_of(struct ArrowArrayStream* stream, SEXP bigint);
/* Exports a list of columns. */
void export_columns(SEXP columns, struct ArrowArrayStream* stream);

SEXP parse_json(const char* text);

/* Registers the class of texts that are made when they are looked at. */
void init_to_r(DllInfo* info);

#endif
