/*
 * The C interface of tacore: datasets of the TACO specification in any language that can call C.
 *
 *   tacore_dataset* dataset = NULL;
 *   tacore_frame* rows = NULL;
 *   tacore_error* error = NULL;
 *   const char* paths[] = {"chips.tacozip"};
 *   if (tacore_open(paths, 1, NULL, &dataset, &error) != TACORE_OK ||
 *       tacore_dataset_rows(dataset, 0, &rows, &error) != TACORE_OK) {
 *     fprintf(stderr, "%s\n", tacore_error_text(error));
 *   }
 *
 * Errors. A function that can fail returns a status, TACORE_OK or an error code. Then each of its results is NULL or 0,
 * and *error, unless `error` is NULL, is an error that the caller frees. Every such function can fail with
 * TACORE_E_ARGUMENT (a required pointer is NULL, JSON is malformed or names an unknown option), TACORE_E_MEMORY,
 * TACORE_E_CANCELLED (tacore_set_poll) and TACORE_E_INTERNAL; the comment of a function names the others.
 *
 * Memory. A handle is freed by its own function, in any order: a frame outlives its dataset, a stream its frame. Freeing
 * NULL does nothing. A `const char*` or `const void*` belongs to the handle that it comes from, and ends with it. The
 * getters of a NULL handle return 0, NULL or "".
 *
 * Threads. Any thread may use any handle, also several threads one handle; a loader is for one thread at a time. After a
 * fork, only the child's own handles work: it opens its datasets anew.
 *
 * Text is UTF-8. Positions count from 0, bands from 1. `options` are a JSON object with the names that the keyword
 * arguments of the Python package have, such as {"overwrite": true}; NULL or "" for none (docs/c.md lists them).
 */
#ifndef TACORE_H
#define TACORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Arrow's C data and stream interfaces, as Arrow defines them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

/* ---- The library ---- */

/* The version of this header: programs need a library of the same major version, and of this minor version or later. */
#define TACORE_ABI_MAJOR 1
#define TACORE_ABI_MINOR 0
uint32_t tacore_abi_version(void); /* of the library: major << 16 | minor */
const char* tacore_version(void);  /* of tacore, such as "0.1.0" */

typedef int32_t tacore_status;
enum {
  TACORE_OK = 0,
  TACORE_E_FORMAT,      /* a file is damaged, or not what the specification defines */
  TACORE_E_SCHEMA,      /* columns, types or trees do not fit together */
  TACORE_E_IO,          /* a file, server or disk fails */
  TACORE_E_NOT_FOUND,   /* a path does not exist */
  TACORE_E_QUERY,       /* wrong SQL, an unknown column or level, an argument out of range */
  TACORE_E_VALIDATION,  /* input of a writer breaks a rule; nothing is written */
  TACORE_E_NAVIGATION,  /* an id or position does not exist, or the data of a row cannot be located */
  TACORE_E_UNSUPPORTED, /* a raster that tacore does not decode; GDAL opens its path */
  TACORE_E_CANCELLED,   /* the poll function stopped the call */
  TACORE_E_ARGUMENT,    /* a NULL pointer, malformed JSON, an unknown option */
  TACORE_E_MEMORY,      /* not enough memory */
  TACORE_E_INTERNAL     /* anything else; treat unknown codes, of later versions, as this one */
};

typedef struct tacore_error tacore_error;
typedef struct tacore_buffer tacore_buffer;   /* bytes or text */
typedef struct tacore_dataset tacore_dataset; /* a dataset, or a query over one */
typedef struct tacore_frame tacore_frame;     /* rows: samples and their metadata */
typedef struct tacore_raster tacore_raster;   /* a raster that is open for reading */
typedef struct tacore_loader tacore_loader;   /* batches of tensors for training */
typedef struct tacore_batch tacore_batch;     /* one batch */
typedef struct tacore_samples tacore_samples; /* samples to be written */

/* Sets options of the process: those of remote paths (storage_options in Python), and "verbose": true, false, "info" or
 * "debug". */
tacore_status tacore_set_options(const char* options, tacore_error** error);
/* The messages since the last call, oldest first, a JSON object {"level": "warning", "message": "..."} on each line.
 * The library keeps the last 1,000. */
tacore_status tacore_take_log(tacore_buffer** lines, tacore_error** error);
/* Sets a function that the library calls about 20 times a second while a call of this thread waits, in this thread.
 * `done` and `total` are the progress of the call, in bytes, files or samples; 0 where it is unknown. When the function
 * returns anything but 0, the call fails with TACORE_E_CANCELLED soon after, unless it is complete by then. NULL removes
 * it. The function must not call the library, and must return (no longjmp, no exception). */
void tacore_set_poll(int32_t (*poll)(uint64_t done, uint64_t total, void* user), void* user);

/* ---- Errors and buffers ---- */

tacore_status tacore_error_code(const tacore_error* error);
/* What happened: where, what, found and expected, in one sentence without passwords and tokens. */
const char* tacore_error_text(const tacore_error* error);
/* Where it happened: the file or dataset ("" if unknown), byte offset and level (-1 if unknown), and errno (0 if
 * none). Each pointer may be NULL. */
void tacore_error_where(const tacore_error* error, const char** path, int64_t* offset, int32_t* level,
                        int32_t* system_error);
void tacore_error_free(tacore_error* error);

const void* tacore_buffer_data(const tacore_buffer* buffer); /* a byte 0, which the size does not count, ends it */
size_t tacore_buffer_size(const tacore_buffer* buffer);
void tacore_buffer_free(tacore_buffer* buffer);

/* ---- Datasets: immutable and lazy; each function returns a new one, and no query runs before rows are needed ---- */

/* Opens a local or remote dataset of any format, reading only headers and footers; several paths are concatenated (their
 * columns as "mode" says: "intersection", "fill_missing" or "strict"). Options: base_path, allow_partial, verify, and
 * those of remote paths. FORMAT, SCHEMA, IO, NOT_FOUND. */
tacore_status tacore_open(const char* const* paths, size_t num_paths, const char* options, tacore_dataset** dataset,
                          tacore_error** error);
/* Concatenates datasets, each with its filters. `mode` as above; NULL: "intersection". QUERY, SCHEMA. */
tacore_status tacore_concat(const tacore_dataset* const* datasets, size_t num_datasets, const char* mode,
                            tacore_dataset** dataset, tacore_error** error);
void tacore_dataset_free(tacore_dataset* dataset);
const char* tacore_dataset_collection(const tacore_dataset* dataset); /* COLLECTION.json */
/* A JSON object: path, format, num_rows, levels (num_rows and columns of each, before filters), pit_schema, extent,
 * files. Runs the query of a filtered dataset. QUERY, IO, FORMAT. */
tacore_status tacore_dataset_about(const tacore_dataset* dataset, tacore_buffer** json, tacore_error** error);
/* The rows that a SELECT statement over `data`, `level0`, `level1`, ... returns. QUERY, here or when it runs. */
tacore_status tacore_dataset_sql(const tacore_dataset* dataset, const char* query, tacore_dataset** out,
                                 tacore_error** error);
/* The samples that meet the box {west, south, east, north} in degrees, or whose descendants at `level` do. `column`:
 * NULL or "auto", "footprint", or a name. QUERY. */
tacore_status tacore_dataset_filter_bbox(const tacore_dataset* dataset, const double box[4], const char* column,
                                         int32_t level, tacore_dataset** out, tacore_error** error);
/* The samples in a range of time, "2023-06-01/2023-08-31" (both ends included), or "2023-06". QUERY. */
tacore_status tacore_dataset_filter_datetime(const tacore_dataset* dataset, const char* range, const char* column,
                                             int32_t level, tacore_dataset** out, tacore_error** error);
/* Runs the query. `flags`: with TACORE_RAW, all columns `internal:*`; without, internal:gdal_vsi alone. QUERY, IO,
 * FORMAT. */
enum { TACORE_RAW = 1 };
tacore_status tacore_dataset_rows(const tacore_dataset* dataset, int32_t flags, tacore_frame** rows,
                                  tacore_error** error);
/* The FILEs of a level (-1: the deepest), each with the columns of its ancestors. QUERY, IO, FORMAT. */
tacore_status tacore_dataset_flatten(const tacore_dataset* dataset, int32_t level, tacore_frame** rows,
                                     tacore_error** error);
/* A JSON array with the statistics of each band, aggregated from those that samples store: band, mean, std, min, max,
 * quantiles, classes, is_approximate, quantile_error. Options: bands, child, level, id, quantiles. QUERY. */
tacore_status tacore_dataset_statistics(const tacore_dataset* dataset, const char* options, tacore_buffer** json,
                                        tacore_error** error);
/* A description: "stac", "croissant", "datacite", "datacard", "markdown" or "html". IO, QUERY, SCHEMA. */
tacore_status tacore_dataset_describe(const tacore_dataset* dataset, const char* form, const char* options,
                                      tacore_buffer** text, tacore_error** error);
/* Writes the rows of a dataset as a new one. Returns the paths of its files, a JSON array. VALIDATION, NAVIGATION,
 * SCHEMA, IO. */
tacore_status tacore_export(const tacore_dataset* dataset, const char* output, const char* options,
                            tacore_buffer** paths, tacore_error** error);

/* ---- Frames: rows that have been computed. A sample is the row at `position` (-1: any row), or what is below it (or
 * below these rows) at the path of ids `child`, such as "optical" or "tile_1/red"; NULL or "" for the row itself ---- */

void tacore_frame_free(tacore_frame* frame);
int64_t tacore_frame_num_rows(const tacore_frame* frame);
/* A JSON object: num_rows, level (-1 if mixed), columns (name and Arrow type of each). */
tacore_status tacore_frame_about(const tacore_frame* frame, tacore_buffer** json, tacore_error** error);
/* The rows as an Arrow C stream, which the caller releases. With TACORE_PLAIN, it has one batch, with offset 0 and a
 * validity bitmap only where there are nulls, of these types alone: bool, int32, int64, double, utf8, binary, date32,
 * timestamp[us, UTC], lists and structs of them. Smaller types become these; dictionaries and views become values,
 * decimals the nearest double. Types without an equivalent (times of day, durations), and values that their new type
 * cannot hold, are errors. SCHEMA, IO. */
enum { TACORE_PLAIN = 2 };
tacore_status tacore_frame_stream(const tacore_frame* frame, int32_t flags, struct ArrowArrayStream* stream,
                                  tacore_error** error);
/* The same as bytes of an Arrow IPC stream. SCHEMA, IO. */
tacore_status tacore_frame_ipc(const tacore_frame* frame, int32_t flags, tacore_buffer** bytes, tacore_error** error);
/* The rows at these positions, in this order; a position may be repeated. NAVIGATION. */
tacore_status tacore_frame_take(const tacore_frame* frame, const int64_t* positions, size_t num_positions,
                                tacore_frame** rows, tacore_error** error);
/* These rows as a dataset, for tacore_export() and tacore_loader_new(). */
tacore_status tacore_frame_dataset(const tacore_frame* frame, tacore_dataset** dataset, tacore_error** error);
/* The children of a FOLDER. NAVIGATION (also for a FILE), IO, FORMAT. */
tacore_status tacore_frame_children(const tacore_frame* frame, int64_t position, const char* child, tacore_frame** rows,
                                    tacore_error** error);
/* The path under which GDAL opens a FILE. NAVIGATION (also for a FOLDER), IO, FORMAT. */
tacore_status tacore_frame_path(const tacore_frame* frame, int64_t position, const char* child, tacore_buffer** path,
                                tacore_error** error);
/* The bytes of the FILEs at these positions, in one buffer each: `buffers` has room for `num_positions` pointers.
 * Neighbours are read together. NAVIGATION, IO, FORMAT. */
tacore_status tacore_frame_read(const tacore_frame* frame, const int64_t* positions, size_t num_positions,
                                const char* child, tacore_buffer** buffers, tacore_error** error);
/* As tacore_dataset_statistics(), of these rows. With "compute": true, of all pixels: a JSON object with num_samples,
 * bands and failures. Options then: bands, child, quantiles, on_error, jobs. QUERY, IO, FORMAT, UNSUPPORTED. */
tacore_status tacore_frame_statistics(const tacore_frame* frame, const char* options, tacore_buffer** json,
                                      tacore_error** error);

/* ---- Rasters: immutable ---- */

enum { /* types of pixels */
  TACORE_UINT8 = 0, TACORE_INT8, TACORE_UINT16, TACORE_INT16, TACORE_UINT32, TACORE_INT32, TACORE_UINT64, TACORE_INT64,
  TACORE_FLOAT32, TACORE_FLOAT64,
  TACORE_AS_STORED = -1 /* float32 where "scale" is given */
};

/* Opens the FILE of a frame, or a file: a path, or a byte range as GDAL writes it. UNSUPPORTED, NAVIGATION, IO,
 * NOT_FOUND, FORMAT. */
tacore_status tacore_raster_open(const tacore_frame* frame, int64_t position, const char* child, tacore_raster** raster,
                                 tacore_error** error);
tacore_status tacore_raster_open_path(const char* path, tacore_raster** raster, tacore_error** error);
void tacore_raster_free(tacore_raster* raster);
void tacore_raster_shape(const tacore_raster* raster, int64_t shape[3], int32_t* type); /* bands, height, width */
/* A JSON object: name, width, height, bands, dtype, nodata, crs, geotransform, format, block_width, block_height,
 * compression, interleave, predictor. IO, FORMAT. */
tacore_status tacore_raster_about(const tacore_raster* raster, tacore_buffer** json, tacore_error** error);
/* Reads pixels into memory of the caller, row-major (bands, height, width), whose size in bytes must be exact. `bands`:
 * NULL for all; `window`: NULL, or {x, y, width, height} in pixels. Options: scale, a number, or an array (one for all
 * bands, or one for each) of numbers and [factor, offset]; fill, which replaces no data. QUERY, IO, FORMAT. */
tacore_status tacore_raster_read(const tacore_raster* raster, const int32_t* bands, size_t num_bands,
                                 const int64_t* window, int32_t type, const char* options, void* out, size_t size,
                                 tacore_error** error);
/* A small picture as PNG. Options: bands, size. QUERY, IO, FORMAT. */
tacore_status tacore_raster_preview(const tacore_raster* raster, const char* options, tacore_buffer** png,
                                    tacore_error** error);

/* ---- Batches for training ---- */

/* A loader of one epoch. Options: inputs (an array of texts such as "optical/4,3,2" or objects {"path", "bands",
 * "window", "dtype", "scale", "fill"}), batch_size, seed, epoch, shuffle_block, shuffle_window, start, drop_last, pad,
 * rank, world_size, shard, num_shards, jobs, prefetch, on_error. QUERY, NAVIGATION, IO, FORMAT, UNSUPPORTED. */
tacore_status tacore_loader_new(const tacore_frame* rows, const char* options, tacore_loader** loader,
                                tacore_error** error);
void tacore_loader_free(tacore_loader* loader);
int64_t tacore_loader_num_batches(const tacore_loader* loader);
/* The next batch; *batch is NULL at the end. As tacore_loader_new(). */
tacore_status tacore_loader_next(tacore_loader* loader, tacore_batch** batch, tacore_error** error);
void tacore_batch_free(tacore_batch* batch); /* the loader uses its memory again */
size_t tacore_batch_num_tensors(const tacore_batch* batch);
/* The tensor of an input, row-major (samples, bands, height, width), aligned to 64 bytes. */
void tacore_batch_tensor(const tacore_batch* batch, size_t input, const void** data, int64_t shape[4], int32_t* type);
/* The row of each sample, and the option "start" of a loader that continues after this batch. */
void tacore_batch_positions(const tacore_batch* batch, const int64_t** positions, size_t* num_positions,
                            int64_t* next_start);
/* The samples that "on_error": "skip" left out, a JSON array of {"position", "message"}. */
const char* tacore_batch_failures(const tacore_batch* batch);

/* ---- Writing and checking ---- */

/* Samples to be written, of rows: `id` (or a path of ids), `path` or `data` (the bytes themselves), all else is
 * metadata. The stream is read and released, also on failure. Options: id_column, path_column, time_column, rename.
 * SCHEMA, IO, NOT_FOUND. */
tacore_status tacore_samples_from_rows(struct ArrowArrayStream* rows, const char* options, tacore_samples** samples,
                                       tacore_error** error);
/* Samples of a folder, or of a table of them (.parquet, .csv, .tsv, .jsonl, .geojson). Options as above, and separator.
 * SCHEMA, IO, NOT_FOUND, FORMAT. */
tacore_status tacore_samples_from_path(const char* path, const char* options, tacore_samples** samples,
                                       tacore_error** error);
void tacore_samples_free(tacore_samples* samples);
/* The metadata of a level as rows of an Arrow C stream. `flags`: TACORE_PLAIN. SCHEMA. */
tacore_status tacore_samples_stream(const tacore_samples* samples, int32_t level, int32_t flags,
                                    struct ArrowArrayStream* stream, tacore_error** error);
/* Writes a dataset: a ZIP (.tacozip, .zip), else a FOLDER. `collection`: its COLLECTION.json, of which tacore computes
 * the rest. Options: extensions (texts as of `taco create --extensions`), places (true: take places from the rasters),
 * tog, pad, fields, and those of create() in Python. Returns the paths of its files, a JSON array. VALIDATION, SCHEMA,
 * IO, FORMAT (`collection` is no JSON). */
tacore_status tacore_create(const tacore_samples* samples, const char* output, const char* collection,
                            const char* options, tacore_buffer** paths, tacore_error** error);
/* Runs an operation on files: "convert", "edit", "diff", "index", "collect", "sync", "validate", "describe", "header" or
 * "tog", whose arguments and result are JSON objects (docs/c.md). VALIDATION, and as the operation. */
tacore_status tacore_run(const char* operation, const char* request, tacore_buffer** result, tacore_error** error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
