/* The functions that R calls, with the number of their arguments. */
#include "call.h"

SEXP r_parse_json(SEXP text);
SEXP r_after_call(void);
SEXP r_version(void);
SEXP r_fits(void);
SEXP r_set_options(SEXP options);
SEXP r_open(SEXP paths, SEXP options);
SEXP r_concat(SEXP datasets, SEXP mode);
SEXP r_collection(SEXP dataset);
SEXP r_about(SEXP dataset);
SEXP r_sql(SEXP dataset, SEXP query);
SEXP r_filter_bbox(SEXP dataset, SEXP box, SEXP column, SEXP level);
SEXP r_filter_datetime(SEXP dataset, SEXP range, SEXP column, SEXP level);
SEXP r_rows(SEXP dataset, SEXP raw);
SEXP r_flatten(SEXP dataset, SEXP level);
SEXP r_statistics(SEXP dataset, SEXP options);
SEXP r_describe(SEXP dataset, SEXP form, SEXP options);
SEXP r_export(SEXP dataset, SEXP output, SEXP options);
SEXP r_frame_about(SEXP frame);
SEXP r_frame_columns(SEXP frame, SEXP bigint);
SEXP r_frame_stream(SEXP frame, SEXP stream);
SEXP r_take(SEXP frame, SEXP positions);
SEXP r_frame_dataset(SEXP frame);
SEXP r_children(SEXP frame, SEXP position, SEXP child);
SEXP r_paths(SEXP frame, SEXP positions, SEXP child);
SEXP r_read(SEXP frame, SEXP positions, SEXP child);
SEXP r_frame_statistics(SEXP frame, SEXP options);
SEXP r_samples_from_rows(SEXP columns, SEXP options);
SEXP r_samples_from_path(SEXP path, SEXP options);
SEXP r_create(SEXP samples, SEXP output, SEXP about, SEXP options);
SEXP r_run(SEXP operation, SEXP request);
SEXP r_raster_open(SEXP frame, SEXP position, SEXP child);
SEXP r_raster_open_path(SEXP path);
SEXP r_raster_about(SEXP raster);
SEXP r_pixels(SEXP frame, SEXP position, SEXP child, SEXP bands, SEXP window, SEXP scale, SEXP na);
SEXP r_raster_preview(SEXP raster, SEXP options);
SEXP r_loader_new(SEXP frame, SEXP options);
SEXP r_loader_num_batches(SEXP loader);
SEXP r_loader_next(SEXP loader);

const R_CallMethodDef call_methods[] = {
    {"r_parse_json", (DL_FUNC)&r_parse_json, 1},
    {"r_after_call", (DL_FUNC)&r_after_call, 0},
    {"r_version", (DL_FUNC)&r_version, 0},
    {"r_fits", (DL_FUNC)&r_fits, 0},
    {"r_set_options", (DL_FUNC)&r_set_options, 1},
    {"r_open", (DL_FUNC)&r_open, 2},
    {"r_concat", (DL_FUNC)&r_concat, 2},
    {"r_collection", (DL_FUNC)&r_collection, 1},
    {"r_about", (DL_FUNC)&r_about, 1},
    {"r_sql", (DL_FUNC)&r_sql, 2},
    {"r_filter_bbox", (DL_FUNC)&r_filter_bbox, 4},
    {"r_filter_datetime", (DL_FUNC)&r_filter_datetime, 4},
    {"r_rows", (DL_FUNC)&r_rows, 2},
    {"r_flatten", (DL_FUNC)&r_flatten, 2},
    {"r_statistics", (DL_FUNC)&r_statistics, 2},
    {"r_describe", (DL_FUNC)&r_describe, 3},
    {"r_export", (DL_FUNC)&r_export, 3},
    {"r_frame_about", (DL_FUNC)&r_frame_about, 1},
    {"r_frame_columns", (DL_FUNC)&r_frame_columns, 2},
    {"r_frame_stream", (DL_FUNC)&r_frame_stream, 2},
    {"r_take", (DL_FUNC)&r_take, 2},
    {"r_frame_dataset", (DL_FUNC)&r_frame_dataset, 1},
    {"r_children", (DL_FUNC)&r_children, 3},
    {"r_paths", (DL_FUNC)&r_paths, 3},
    {"r_read", (DL_FUNC)&r_read, 3},
    {"r_frame_statistics", (DL_FUNC)&r_frame_statistics, 2},
    {"r_samples_from_rows", (DL_FUNC)&r_samples_from_rows, 2},
    {"r_samples_from_path", (DL_FUNC)&r_samples_from_path, 2},
    {"r_create", (DL_FUNC)&r_create, 4},
    {"r_run", (DL_FUNC)&r_run, 2},
    {"r_raster_open", (DL_FUNC)&r_raster_open, 3},
    {"r_raster_open_path", (DL_FUNC)&r_raster_open_path, 1},
    {"r_raster_about", (DL_FUNC)&r_raster_about, 1},
    {"r_pixels", (DL_FUNC)&r_pixels, 7},
    {"r_raster_preview", (DL_FUNC)&r_raster_preview, 2},
    {"r_loader_new", (DL_FUNC)&r_loader_new, 2},
    {"r_loader_num_batches", (DL_FUNC)&r_loader_num_batches, 1},
    {"r_loader_next", (DL_FUNC)&r_loader_next, 1},
    {NULL, NULL, 0}};
