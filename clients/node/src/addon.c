/* The native part: each call of libtacore_c is a job in a thread of Node's pool, whose result settles a promise. What users see is in
 * index.js.
 *
 *   call(operation, arguments, token) -> Promise   the arguments of an operation are those of its C function, in order
 *   token() -> external; cancel(token)             stops the calls that were made with the token
 *   free(handle)                                   at once, or after the jobs that use it
 *   collection(dataset), numRows(frame), numBatches(loader), takeLog(), version() */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacore.h>

/* An exception, unless one is there already. */
static napi_value fail(napi_env env, const char* what) {
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (!is_pending) napi_throw_type_error(env, NULL, what);
  return NULL;
}

static void* must(void* memory) {
  if (memory == NULL) {
    fputs("tacore: not enough memory\n", stderr);
    abort(); /* as Node does */
  }
  return memory;
}

/* ---- Handles ---- */

enum kind { kDataset, kFrame, kRaster, kLoader, kSamples, kToken };

typedef struct {
  enum kind kind;
  void* pointer;
  int num_jobs;
  bool is_disposed, is_collected; /* by the user; by the garbage collector */
} handle;

static void free_pointer(enum kind kind, void* pointer) {
  switch (kind) {
    case kDataset: tacore_dataset_free(pointer); break;
    case kFrame: tacore_frame_free(pointer); break;
    case kRaster: tacore_raster_free(pointer); break;
    case kLoader: tacore_loader_free(pointer); break;
    case kSamples: tacore_samples_free(pointer); break;
    case kToken: free(pointer);
  }
}

static void free_unused(handle* held) {
  if (held->num_jobs > 0 || !(held->is_disposed || held->is_collected)) return;
  free_pointer(held->kind, held->pointer);
  held->pointer = NULL;
  if (held->is_collected) free(held);
}

static void collect(napi_env env, void* data, void* hint) {
  (void)env;
  (void)hint;
  ((handle*)data)->is_collected = true;
  free_unused(data);
}

static napi_value new_handle(napi_env env, enum kind kind, void* pointer) {
  napi_value out;
  handle* held = must(calloc(1, sizeof *held));
  held->kind = kind;
  held->pointer = pointer;
  if (napi_create_external(env, held, collect, NULL, &out) != napi_ok) return fail(env, "no room for a handle");
  return out;
}

/* NULL with an exception for what is none, or was disposed. */
static handle* handle_of(napi_env env, napi_value value, enum kind kind) {
  void* data = NULL;
  napi_valuetype type;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_external) return (void*)fail(env, "a handle of tacore expected");
  napi_get_value_external(env, value, &data);
  handle* held = data;
  if (held->kind != kind) return (void*)fail(env, "a handle of another kind expected");
  if (held->is_disposed) return (void*)fail(env, "it has been disposed");
  return held;
}

/* ---- Jobs ---- */

enum operation {
  kOpen, kConcat, kAbout, kSql, kBbox, kDatetime, kRows, kFlatten, kStatistics, kDescribe, kExport,
  kFrameAbout, kColumns, kIpc, kTake, kFrameDataset, kChildren, kPath, kRead, kFrameStatistics,
  kRasterOpen, kRasterAbout, kPixels, kPreview, kLoaderNew, kNext, kSamplesFromRows, kSamplesFromPath, kCreate, kRun, kSetOptions
};

enum { kMaxTexts = 5, kMaxHandles = 64 };

typedef struct {
  enum operation operation;
  napi_async_work work;
  napi_deferred deferred;
  handle* token;
  handle* handles[kMaxHandles];
  size_t num_handles;
  char* texts[kMaxTexts]; /* NULL for null */
  size_t num_texts;
  char** paths;
  size_t num_paths;
  int64_t* numbers; /* positions */
  size_t num_numbers;
  int64_t* bands;
  size_t num_bands;
  int64_t* window;
  double box[4];
  int32_t level, type;
  struct ArrowArrayStream stream; /* rows that are written */
  /* Results. */
  tacore_error* error;
  void* pointer;
  tacore_buffer* buffer;
  tacore_buffer** buffers;
  struct ArrowSchema schema;
  struct ArrowArray array;
  void* pixels;
  size_t num_bytes;
  int64_t shape[3];
} job;

static int32_t poll(uint64_t done, uint64_t total, void* user) {
  (void)done;
  (void)total;
  return atomic_load((atomic_int*)user);
}

static const size_t kWidths[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

static tacore_status read_pixels(job* self, const tacore_raster* raster, tacore_error** error) {
  int32_t stored;
  tacore_raster_shape(raster, self->shape, &stored);
  int32_t bands[4096];
  const size_t num_bands = self->num_bands < 4096 ? self->num_bands : 4096;
  for (size_t i = 0; i < num_bands; ++i) bands[i] = (int32_t)self->bands[i];
  const char* options = self->texts[1];
  if (self->type == TACORE_AS_STORED) self->type = strstr(options, "\"scale\"") != NULL ? TACORE_FLOAT32 : stored;
  if (num_bands > 0) self->shape[0] = (int64_t)num_bands;
  if (self->window != NULL) {
    const int is_inside = self->window[2] >= 1 && self->window[3] >= 1 && self->window[2] <= self->shape[2] && self->window[3] <= self->shape[1];
    self->shape[1] = is_inside ? self->window[3] : 1; /* the library refuses other windows */
    self->shape[2] = is_inside ? self->window[2] : 1;
  }
  self->num_bytes = (size_t)(self->shape[0] * self->shape[1] * self->shape[2]) * kWidths[self->type];
  self->pixels = must(malloc(self->num_bytes + 1));
  return tacore_raster_read(raster, num_bands > 0 ? bands : NULL, num_bands, self->window, self->type, options, self->pixels,
                            self->num_bytes, error);
}

/* Of a raster, or of a sample, whose raster is opened and closed in the same job: a second job takes as long as a small image. */
static void read_raster(job* self, tacore_error** error) {
  const handle* source = self->handles[0];
  tacore_raster* opened = NULL;
  if (source->kind == kFrame &&
      tacore_raster_open(source->pointer, self->num_numbers > 0 ? self->numbers[0] : 0, self->texts[0], &opened, error) != TACORE_OK)
    return;
  const tacore_raster* raster = opened != NULL ? opened : source->pointer;
  if (self->operation == kPixels) read_pixels(self, raster, error);
  else tacore_raster_preview(raster, self->texts[1], &self->buffer, error);
  tacore_raster_free(opened);
}

static tacore_status read_columns(job* self, tacore_error** error) {
  struct ArrowArrayStream stream;
  const tacore_status status = tacore_frame_stream(self->handles[0]->pointer, TACORE_PLAIN, &stream, error);
  if (status != TACORE_OK) return status;
  stream.get_schema(&stream, &self->schema);
  stream.get_next(&stream, &self->array);
  stream.release(&stream);
  return TACORE_OK;
}

/* In a thread of the pool: neither JavaScript nor its values. */
static void execute(napi_env env, void* data) {
  (void)env;
  job* self = data;
  tacore_error** error = &self->error;
  void* first = self->num_handles > 0 ? self->handles[0]->pointer : NULL;
  void* out = NULL;
  const char* const* texts = (const char* const*)self->texts;
  const int64_t position = self->num_numbers > 0 ? self->numbers[0] : 0;
  if (self->token != NULL) tacore_set_poll(poll, self->token->pointer);
  switch (self->operation) {
    case kOpen: tacore_open((const char* const*)self->paths, self->num_paths, texts[0], (tacore_dataset**)&out, error); break;
    case kConcat: {
      const tacore_dataset* all[kMaxHandles];
      for (size_t i = 0; i < self->num_handles; ++i) all[i] = self->handles[i]->pointer;
      tacore_concat(all, self->num_handles, texts[0], (tacore_dataset**)&out, error);
      break;
    }
    case kAbout: tacore_dataset_about(first, &self->buffer, error); break;
    case kSql: tacore_dataset_sql(first, texts[0], (tacore_dataset**)&out, error); break;
    case kBbox: tacore_dataset_filter_bbox(first, self->box, texts[0], self->level, (tacore_dataset**)&out, error); break;
    case kDatetime: tacore_dataset_filter_datetime(first, texts[0], texts[1], self->level, (tacore_dataset**)&out, error); break;
    case kRows: tacore_dataset_rows(first, self->level, (tacore_frame**)&out, error); break;
    case kFlatten: tacore_dataset_flatten(first, self->level, (tacore_frame**)&out, error); break;
    case kStatistics: tacore_dataset_statistics(first, texts[0], &self->buffer, error); break;
    case kDescribe: tacore_dataset_describe(first, texts[0], texts[1], &self->buffer, error); break;
    case kExport: tacore_export(first, texts[0], texts[1], &self->buffer, error); break;
    case kFrameAbout: tacore_frame_about(first, &self->buffer, error); break;
    case kColumns: read_columns(self, error); break;
    case kIpc: tacore_frame_ipc(first, self->level, &self->buffer, error); break;
    case kTake: tacore_frame_take(first, self->numbers, self->num_numbers, (tacore_frame**)&out, error); break;
    case kFrameDataset: tacore_frame_dataset(first, (tacore_dataset**)&out, error); break;
    case kChildren: tacore_frame_children(first, position, texts[0], (tacore_frame**)&out, error); break;
    case kPath: tacore_frame_path(first, position, texts[0], &self->buffer, error); break;
    case kRead:
      self->buffers = must(calloc(self->num_numbers + 1, sizeof *self->buffers));
      tacore_frame_read(first, self->numbers, self->num_numbers, texts[0], self->buffers, error);
      break;
    case kFrameStatistics: tacore_frame_statistics(first, texts[0], &self->buffer, error); break;
    case kRasterOpen:
      if (first == NULL) tacore_raster_open_path(texts[0], (tacore_raster**)&out, error);
      else tacore_raster_open(first, position, texts[0], (tacore_raster**)&out, error);
      break;
    case kRasterAbout: tacore_raster_about(first, &self->buffer, error); break;
    case kPixels:
    case kPreview: read_raster(self, error); break;
    case kLoaderNew: tacore_loader_new(first, texts[0], (tacore_loader**)&out, error); break;
    case kNext: tacore_loader_next(first, (tacore_batch**)&out, error); break;
    case kSamplesFromRows: tacore_samples_from_rows(&self->stream, texts[0], (tacore_samples**)&out, error); break;
    case kSamplesFromPath: tacore_samples_from_path(texts[0], texts[1], (tacore_samples**)&out, error); break;
    case kCreate: tacore_create(first, texts[0], texts[1], texts[2], &self->buffer, error); break;
    case kRun: tacore_run(texts[0], texts[1], &self->buffer, error); break;
    case kSetOptions: tacore_set_options(texts[0], error); break;
  }
  self->pointer = out;
  if (self->token != NULL) tacore_set_poll(NULL, NULL);
}

/* ---- Results, in the thread of JavaScript ---- */

static napi_value text(napi_env env, const char* bytes, size_t size) {
  napi_value out;
  napi_create_string_utf8(env, bytes, size, &out);
  return out;
}

static napi_value number(napi_env env, double value) {
  napi_value out;
  napi_create_double(env, value, &out);
  return out;
}

static void free_memory(napi_env env, void* data, void* hint) {
  (void)env;
  (void)data;
  free(hint);
}

/* Bytes of malloc become an ArrayBuffer without a copy. */
static napi_value owned_bytes(napi_env env, void* data, size_t size) {
  napi_value out;
  if (napi_create_external_arraybuffer(env, data, size, free_memory, data, &out) == napi_ok) return out;
  void* copy; /* where external memory is not allowed */
  napi_create_arraybuffer(env, size, &copy, &out);
  memcpy(copy, data, size);
  free(data);
  return out;
}

static napi_value copied_bytes(napi_env env, const void* data, size_t size) {
  void* copy;
  napi_value out;
  napi_create_arraybuffer(env, size, &copy, &out);
  if (size > 0) memcpy(copy, data, size);
  return out;
}

static void free_buffer(napi_env env, void* data, void* hint) {
  (void)env;
  (void)data;
  tacore_buffer_free(hint);
}

static napi_value bytes_of(napi_env env, tacore_buffer* buffer) {
  napi_value out;
  const size_t size = tacore_buffer_size(buffer);
  if (size > 0 && napi_create_external_arraybuffer(env, (void*)tacore_buffer_data(buffer), size, free_buffer, buffer, &out) == napi_ok)
    return out;
  out = copied_bytes(env, tacore_buffer_data(buffer), size);
  tacore_buffer_free(buffer);
  return out;
}

static size_t width_of(const char* format) {
  switch (*format) {
    case 'i': return 4;
    case 't': return format[1] == 'd' ? 4 : 8;
    case 'l':
    case 'g': return 8;
    default: return 0;
  }
}

/* {format, name, length, valid, offsets, values, children}: copies of the buffers of a plain array, which begins at 0. */
static napi_value column_of(napi_env env, const struct ArrowSchema* schema, const struct ArrowArray* array) {
  napi_value out, children;
  const size_t length = (size_t)array->length;
  const char first = *schema->format;
  const int is_nested = first == '+', has_offsets = first == 'u' || first == 'z' || strcmp(schema->format, "+l") == 0;
  napi_create_object(env, &out);
  napi_set_named_property(env, out, "format", text(env, schema->format, NAPI_AUTO_LENGTH));
  napi_set_named_property(env, out, "name", text(env, schema->name, NAPI_AUTO_LENGTH));
  napi_set_named_property(env, out, "length", number(env, (double)array->length));
  if (array->buffers[0] != NULL && array->null_count > 0)
    napi_set_named_property(env, out, "valid", copied_bytes(env, array->buffers[0], length / 8 + (length % 8 > 0)));
  if (has_offsets) {
    const int32_t* offsets = array->buffers[1];
    napi_set_named_property(env, out, "offsets", copied_bytes(env, offsets, length == 0 ? 0 : (length + 1) * sizeof *offsets));
    if (!is_nested)
      napi_set_named_property(env, out, "values", copied_bytes(env, array->buffers[2], length == 0 ? 0 : (size_t)offsets[length]));
  } else if (!is_nested) {
    const size_t size = first == 'b' ? length / 8 + (length % 8 > 0) : length * width_of(schema->format);
    napi_set_named_property(env, out, "values", copied_bytes(env, array->buffers[1], size));
  }
  napi_create_array(env, &children);
  for (int64_t i = 0; i < schema->n_children; ++i)
    napi_set_element(env, children, (uint32_t)i, column_of(env, schema->children[i], array->children[i]));
  napi_set_named_property(env, out, "children", children);
  return out;
}

static napi_value numbers_of(napi_env env, const int64_t* values, size_t num) {
  napi_value out;
  napi_create_array_with_length(env, num, &out);
  for (size_t i = 0; i < num; ++i) napi_set_element(env, out, (uint32_t)i, number(env, (double)values[i]));
  return out;
}

static napi_value batch_of(napi_env env, tacore_batch* batch) {
  napi_value out, tensors;
  if (batch == NULL) {
    napi_get_null(env, &out);
    return out;
  }
  const int64_t* positions;
  size_t num;
  int64_t next_start;
  tacore_batch_positions(batch, &positions, &num, &next_start);
  napi_create_object(env, &out);
  napi_create_array(env, &tensors);
  for (size_t i = 0; i < tacore_batch_num_tensors(batch); ++i) {
    const void* data;
    int64_t shape[4];
    int32_t type;
    napi_value tensor;
    tacore_batch_tensor(batch, i, &data, shape, &type);
    napi_create_object(env, &tensor);
    napi_set_named_property(env, tensor, "type", number(env, type));
    napi_set_named_property(env, tensor, "shape", numbers_of(env, shape, 4));
    napi_set_named_property(env, tensor, "data",
                            copied_bytes(env, data, (size_t)(shape[0] * shape[1] * shape[2] * shape[3]) * kWidths[type]));
    napi_set_element(env, tensors, (uint32_t)i, tensor);
  }
  napi_set_named_property(env, out, "tensors", tensors);
  napi_set_named_property(env, out, "positions", numbers_of(env, positions, num));
  napi_set_named_property(env, out, "nextStart", number(env, (double)next_start));
  napi_set_named_property(env, out, "failures", text(env, tacore_batch_failures(batch), NAPI_AUTO_LENGTH));
  tacore_batch_free(batch);
  return out;
}

static napi_value error_of(napi_env env, const tacore_error* error) {
  napi_value out;
  const char* path;
  int64_t offset;
  int32_t level, system_error;
  tacore_error_where(error, &path, &offset, &level, &system_error);
  napi_create_object(env, &out);
  napi_set_named_property(env, out, "code", number(env, tacore_error_code(error)));
  napi_set_named_property(env, out, "message", text(env, tacore_error_text(error), NAPI_AUTO_LENGTH));
  napi_set_named_property(env, out, "path", text(env, path, NAPI_AUTO_LENGTH));
  napi_set_named_property(env, out, "offset", number(env, (double)offset));
  napi_set_named_property(env, out, "level", number(env, level));
  return out;
}

static napi_value result_of(napi_env env, job* self) {
  napi_value out;
  switch (self->operation) {
    case kOpen:
    case kConcat:
    case kSql:
    case kBbox:
    case kDatetime:
    case kFrameDataset: return new_handle(env, kDataset, self->pointer);
    case kRows:
    case kFlatten:
    case kTake:
    case kChildren: return new_handle(env, kFrame, self->pointer);
    case kRasterOpen: return new_handle(env, kRaster, self->pointer);
    case kLoaderNew: return new_handle(env, kLoader, self->pointer);
    case kSamplesFromRows:
    case kSamplesFromPath: return new_handle(env, kSamples, self->pointer);
    case kNext: return batch_of(env, self->pointer);
    case kIpc:
    case kPreview: return bytes_of(env, self->buffer);
    case kRead:
      napi_create_array_with_length(env, self->num_numbers, &out);
      for (size_t i = 0; i < self->num_numbers; ++i) napi_set_element(env, out, (uint32_t)i, bytes_of(env, self->buffers[i]));
      return out;
    case kColumns: return column_of(env, &self->schema, &self->array);
    case kPixels:
      napi_create_object(env, &out);
      napi_set_named_property(env, out, "data", owned_bytes(env, self->pixels, self->num_bytes));
      self->pixels = NULL;
      napi_set_named_property(env, out, "shape", numbers_of(env, self->shape, 3));
      napi_set_named_property(env, out, "type", number(env, self->type));
      return out;
    case kSetOptions: napi_get_undefined(env, &out); return out;
    default:
      out = text(env, tacore_buffer_data(self->buffer), tacore_buffer_size(self->buffer));
      tacore_buffer_free(self->buffer);
      return out;
  }
}

static void free_job(job* self) {
  for (size_t i = 0; i < self->num_handles; ++i) {
    --self->handles[i]->num_jobs;
    free_unused(self->handles[i]);
  }
  if (self->token != NULL) {
    --self->token->num_jobs;
    free_unused(self->token);
  }
  for (size_t i = 0; i < self->num_texts; ++i) free(self->texts[i]);
  for (size_t i = 0; i < self->num_paths; ++i) free(self->paths[i]);
  free(self->paths);
  free(self->numbers);
  free(self->bands);
  free(self->window);
  free(self->buffers);
  free(self->pixels);
  if (self->stream.release != NULL) self->stream.release(&self->stream);
  if (self->schema.release != NULL) self->schema.release(&self->schema);
  if (self->array.release != NULL) self->array.release(&self->array);
  free(self);
}

static void complete(napi_env env, napi_status status, void* data) {
  job* self = data;
  (void)status; /* a job is never cancelled by Node */
  if (self->error != NULL) {
    napi_reject_deferred(env, self->deferred, error_of(env, self->error));
    tacore_error_free(self->error);
  } else {
    napi_resolve_deferred(env, self->deferred, result_of(env, self));
  }
  napi_delete_async_work(env, self->work);
  free_job(self);
}

/* ---- Arguments ---- */

static napi_value element(napi_env env, napi_value array, uint32_t at) {
  napi_value out;
  napi_get_element(env, array, at, &out);
  return out;
}

static bool is_nothing(napi_env env, napi_value value) {
  napi_valuetype type;
  napi_typeof(env, value, &type);
  return type == napi_undefined || type == napi_null;
}

static char* new_text(napi_env env, napi_value value) {
  size_t size;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &size) != napi_ok) return (void*)fail(env, "a text expected");
  char* out = must(malloc(size + 1));
  napi_get_value_string_utf8(env, value, out, size + 1, &size);
  if (strlen(out) != size) {
    free(out);
    return (void*)fail(env, "a text without NUL expected");
  }
  return out;
}

/* A text, or null. */
static bool take_text(napi_env env, job* self, napi_value value) {
  if (is_nothing(env, value)) {
    self->texts[self->num_texts++] = NULL;
    return true;
  }
  char* out = new_text(env, value);
  if (out != NULL) self->texts[self->num_texts++] = out;
  return out != NULL;
}

static bool take_handle(napi_env env, job* self, napi_value value, enum kind kind) {
  handle* held = handle_of(env, value, kind);
  if (held == NULL) return false;
  ++held->num_jobs;
  self->handles[self->num_handles++] = held;
  return true;
}

static bool take_numbers(napi_env env, napi_value value, int64_t** out, size_t* num) {
  uint32_t length = 0;
  if (is_nothing(env, value)) return true;
  if (napi_get_array_length(env, value, &length) != napi_ok) return fail(env, "an array of numbers expected") != NULL;
  *out = must(calloc(length + 1, sizeof **out));
  *num = length;
  for (uint32_t i = 0; i < length; ++i) {
    if (napi_get_value_int64(env, element(env, value, i), *out + i) != napi_ok) return fail(env, "a whole number expected") != NULL;
  }
  return true;
}

static bool take_paths(napi_env env, job* self, napi_value value) {
  uint32_t length = 0;
  if (napi_get_array_length(env, value, &length) != napi_ok) return fail(env, "an array of paths expected") != NULL;
  self->paths = must(calloc(length + 1, sizeof *self->paths));
  for (; self->num_paths < length; ++self->num_paths) {
    char* path = new_text(env, element(env, value, (uint32_t)self->num_paths));
    if (path == NULL) return false;
    self->paths[self->num_paths] = path;
  }
  return true;
}

static bool take_int(napi_env env, napi_value value, int32_t* out) {
  return napi_get_value_int32(env, value, out) == napi_ok || fail(env, "a whole number expected") != NULL;
}

/* ---- Columns to be written, with copies of their buffers ---- */

static void release_schema(struct ArrowSchema* self) {
  for (int64_t i = 0; i < self->n_children; ++i) {
    if (self->children[i]->release != NULL) self->children[i]->release(self->children[i]);
    free(self->children[i]);
  }
  free(self->children);
  free((void*)self->name);
  free((void*)self->format);
  self->release = NULL;
}

static void release_array(struct ArrowArray* self) {
  for (int64_t i = 0; i < self->n_children; ++i) {
    if (self->children[i]->release != NULL) self->children[i]->release(self->children[i]);
    free(self->children[i]);
  }
  free(self->children);
  for (int64_t i = 0; i < self->n_buffers; ++i) free((void*)self->buffers[i]);
  free(self->buffers);
  self->release = NULL;
}

static void* copy_buffer(napi_env env, napi_value column, const char* name) {
  napi_value value;
  void* data = NULL;
  size_t size = 0;
  napi_get_named_property(env, column, name, &value);
  if (is_nothing(env, value)) return NULL;
  napi_get_arraybuffer_info(env, value, &data, &size);
  char* out = must(calloc(size + 8, 1));
  if (size > 0) memcpy(out, data, size);
  return out;
}

/* Of an object as column_of() makes it. */
static bool export_column(napi_env env, napi_value column, struct ArrowSchema* schema, struct ArrowArray* array) {
  napi_value value, children;
  uint32_t num_children = 0;
  memset(schema, 0, sizeof *schema);
  memset(array, 0, sizeof *array);
  schema->release = release_schema;
  array->release = release_array;
  napi_get_named_property(env, column, "format", &value);
  if ((schema->format = new_text(env, value)) == NULL) return false;
  napi_get_named_property(env, column, "name", &value);
  if ((schema->name = new_text(env, value)) == NULL) return false;
  schema->flags = ARROW_FLAG_NULLABLE;
  napi_get_named_property(env, column, "length", &value);
  napi_get_value_int64(env, value, &array->length);
  const char first = *schema->format;
  array->n_buffers = strcmp(schema->format, "+s") == 0 ? 1 : first == 'u' || first == 'z' ? 3 : 2;
  array->buffers = must(calloc(3, sizeof(void*)));
  array->buffers[0] = copy_buffer(env, column, "valid");
  array->null_count = array->buffers[0] != NULL ? -1 : 0;
  if (first == 'u' || first == 'z') {
    array->buffers[1] = copy_buffer(env, column, "offsets");
    array->buffers[2] = copy_buffer(env, column, "values");
  } else if (array->n_buffers == 2) {
    array->buffers[1] = copy_buffer(env, column, first == '+' ? "offsets" : "values");
  }
  napi_get_named_property(env, column, "children", &children);
  napi_get_array_length(env, children, &num_children);
  schema->children = must(calloc(num_children + 1, sizeof(void*)));
  array->children = must(calloc(num_children + 1, sizeof(void*)));
  for (uint32_t i = 0; i < num_children; ++i) {
    schema->children[schema->n_children++] = must(calloc(1, sizeof *schema));
    array->children[array->n_children++] = must(calloc(1, sizeof *array));
    if (!export_column(env, element(env, children, i), schema->children[i], array->children[i])) return false;
  }
  return true;
}

typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray array;
} table;

static int give_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  table* held = self->private_data;
  *out = held->schema;
  held->schema.release = NULL;
  return 0;
}

static int give_array(struct ArrowArrayStream* self, struct ArrowArray* out) {
  table* held = self->private_data;
  *out = held->array;
  held->array.release = NULL;
  return 0;
}

static const char* give_error(struct ArrowArrayStream* self) {
  (void)self;
  return NULL;
}

static void release_stream(struct ArrowArrayStream* self) {
  table* held = self->private_data;
  if (held->schema.release != NULL) held->schema.release(&held->schema);
  if (held->array.release != NULL) held->array.release(&held->array);
  free(held);
  self->release = NULL;
}

static bool take_rows(napi_env env, job* self, napi_value value) {
  table* held = must(calloc(1, sizeof *held));
  self->stream = (struct ArrowArrayStream){give_schema, give_array, give_error, release_stream, held};
  return export_column(env, value, &held->schema, &held->array);
}

/* A raster; or rows, the position of one, and the path of a child. */
static bool take_raster(napi_env env, job* self, napi_value source, napi_value positions, napi_value child) {
  const enum kind kind = is_nothing(env, positions) ? kRaster : kFrame;
  return take_handle(env, self, source, kind) && take_numbers(env, positions, &self->numbers, &self->num_numbers) &&
         take_text(env, self, child);
}

/* The arguments of an operation. False with an exception. */
static bool take_arguments(napi_env env, job* self, napi_value arguments) {
  const napi_value a = element(env, arguments, 0), b = element(env, arguments, 1), c = element(env, arguments, 2);
  const napi_value d = element(env, arguments, 3);
  switch (self->operation) {
    case kOpen: return take_paths(env, self, a) && take_text(env, self, b);
    case kConcat: {
      uint32_t length = 0;
      napi_get_array_length(env, a, &length);
      if (length > kMaxHandles) return fail(env, "at most 64 datasets expected") != NULL;
      for (uint32_t i = 0; i < length; ++i) {
        if (!take_handle(env, self, element(env, a, i), kDataset)) return false;
      }
      return take_text(env, self, b);
    }
    case kAbout:
    case kFrameDataset:
    case kFrameAbout:
    case kColumns: return take_handle(env, self, a, self->operation == kAbout ? kDataset : kFrame);
    case kSql:
    case kStatistics: return take_handle(env, self, a, kDataset) && take_text(env, self, b);
    case kBbox:
      for (uint32_t i = 0; i < 4; ++i) {
        if (napi_get_value_double(env, element(env, b, i), self->box + i) != napi_ok)
          return fail(env, "bbox: [west, south, east, north] expected") != NULL;
      }
      return take_handle(env, self, a, kDataset) && take_text(env, self, c) && take_int(env, d, &self->level);
    case kDatetime:
      return take_handle(env, self, a, kDataset) && take_text(env, self, b) && take_text(env, self, c) && take_int(env, d, &self->level);
    case kRows:
    case kFlatten: return take_handle(env, self, a, kDataset) && take_int(env, b, &self->level);
    case kDescribe:
    case kExport: return take_handle(env, self, a, kDataset) && take_text(env, self, b) && take_text(env, self, c);
    case kIpc: return take_handle(env, self, a, kFrame) && take_int(env, b, &self->level);
    case kTake: return take_handle(env, self, a, kFrame) && take_numbers(env, b, &self->numbers, &self->num_numbers);
    case kChildren:
    case kPath:
    case kRead:
      return take_handle(env, self, a, kFrame) && take_numbers(env, b, &self->numbers, &self->num_numbers) && take_text(env, self, c);
    case kFrameStatistics:
    case kLoaderNew: return take_handle(env, self, a, kFrame) && take_text(env, self, b);
    case kRasterOpen:
      if (is_nothing(env, a)) return take_text(env, self, c);
      return take_handle(env, self, a, kFrame) && take_numbers(env, b, &self->numbers, &self->num_numbers) && take_text(env, self, c);
    case kRasterAbout: return take_handle(env, self, a, kRaster);
    case kPixels: {
      size_t num_window = 0;
      if (!take_raster(env, self, a, b, c) || !take_numbers(env, d, &self->bands, &self->num_bands) ||
          !take_numbers(env, element(env, arguments, 4), &self->window, &num_window) ||
          !take_int(env, element(env, arguments, 5), &self->type))
        return false;
      if (self->window != NULL && num_window != 4) return fail(env, "window: [x, y, width, height] expected") != NULL;
      return take_text(env, self, element(env, arguments, 6));
    }
    case kPreview: return take_raster(env, self, a, b, c) && take_text(env, self, d);
    case kNext: return take_handle(env, self, a, kLoader);
    case kSamplesFromRows: return take_rows(env, self, a) && take_text(env, self, b);
    case kSamplesFromPath:
    case kRun: return take_text(env, self, a) && take_text(env, self, b);
    case kCreate:
      return take_handle(env, self, a, kSamples) && take_text(env, self, b) && take_text(env, self, c) && take_text(env, self, d);
    case kSetOptions: return take_text(env, self, a);
  }
  return fail(env, "an unknown operation") != NULL;
}

static napi_value call(napi_env env, napi_callback_info info) {
  size_t num = 3;
  napi_value arguments[3], promise, name;
  int32_t operation;
  napi_get_cb_info(env, info, &num, arguments, NULL, NULL);
  if (napi_get_value_int32(env, arguments[0], &operation) != napi_ok) return fail(env, "an operation expected");
  job* self = must(calloc(1, sizeof *self));
  self->operation = (enum operation)operation;
  bool is_right = take_arguments(env, self, arguments[1]);
  if (is_right && num > 2 && !is_nothing(env, arguments[2])) {
    self->token = handle_of(env, arguments[2], kToken);
    is_right = self->token != NULL;
    if (is_right) ++self->token->num_jobs;
  }
  if (!is_right) {
    free_job(self);
    return NULL;
  }
  napi_create_string_utf8(env, "tacore", NAPI_AUTO_LENGTH, &name);
  napi_create_promise(env, &self->deferred, &promise);
  napi_create_async_work(env, NULL, name, execute, complete, self, &self->work);
  napi_queue_async_work(env, self->work);
  return promise;
}

static napi_value first_argument(napi_env env, napi_callback_info info) {
  size_t num = 1;
  napi_value out;
  napi_get_cb_info(env, info, &num, &out, NULL, NULL);
  return out;
}

static napi_value new_token(napi_env env, napi_callback_info info) {
  (void)info;
  atomic_int* is_cancelled = must(malloc(sizeof *is_cancelled));
  atomic_init(is_cancelled, 0);
  return new_handle(env, kToken, is_cancelled);
}

static napi_value cancel(napi_env env, napi_callback_info info) {
  handle* held = handle_of(env, first_argument(env, info), kToken);
  if (held != NULL) atomic_store((atomic_int*)held->pointer, 1);
  return NULL;
}

static napi_value dispose(napi_env env, napi_callback_info info) {
  void* data = NULL;
  if (napi_get_value_external(env, first_argument(env, info), &data) != napi_ok) return fail(env, "a handle expected");
  handle* held = data;
  if (held->is_disposed) return NULL;
  held->is_disposed = true;
  free_unused(held);
  return NULL;
}

static napi_value collection(napi_env env, napi_callback_info info) {
  handle* held = handle_of(env, first_argument(env, info), kDataset);
  return held == NULL ? NULL : text(env, tacore_dataset_collection(held->pointer), NAPI_AUTO_LENGTH);
}

static napi_value num_rows(napi_env env, napi_callback_info info) {
  handle* held = handle_of(env, first_argument(env, info), kFrame);
  return held == NULL ? NULL : number(env, (double)tacore_frame_num_rows(held->pointer));
}

static napi_value num_batches(napi_env env, napi_callback_info info) {
  handle* held = handle_of(env, first_argument(env, info), kLoader);
  return held == NULL ? NULL : number(env, (double)tacore_loader_num_batches(held->pointer));
}

static napi_value take_log(napi_env env, napi_callback_info info) {
  (void)info;
  tacore_buffer* lines = NULL;
  tacore_take_log(&lines, NULL);
  napi_value out = text(env, tacore_buffer_size(lines) > 0 ? tacore_buffer_data(lines) : "", tacore_buffer_size(lines));
  tacore_buffer_free(lines);
  return out;
}

static napi_value version(napi_env env, napi_callback_info info) {
  (void)info;
  const uint32_t abi = tacore_abi_version();
  napi_value out;
  napi_create_object(env, &out);
  napi_set_named_property(env, out, "library", text(env, tacore_version(), NAPI_AUTO_LENGTH));
  napi_set_named_property(env, out, "major", number(env, abi >> 16));
  napi_set_named_property(env, out, "minor", number(env, abi & 0xFFFF));
  return out;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"call", call}, {"token", new_token}, {"cancel", cancel}, {"free", dispose}, {"collection", collection},
                   {"numRows", num_rows}, {"numBatches", num_batches}, {"takeLog", take_log}, {"version", version}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    napi_value function;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
