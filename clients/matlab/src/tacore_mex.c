/* The one gateway of tacore for MATLAB and GNU Octave, of the C MEX interface that both have.
 *
 *   [out, ...] = tacore_mex(command, arguments...)
 *
 * Handles are uint64 numbers of this process; the classes of +tacore hold and free them. The function stays locked in memory while
 * there are any. Errors have identifiers, such as tacore:not_found. */
#include <mex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacore.h>

/* ---- Errors: the message is copied, everything is freed, then MEX jumps ---- */

static void fail(tacore_error* error) {
  static const char* const names[] = {"",       "format",     "schema",      "io",        "not_found", "query",  "validation",
                                      "navigation", "unsupported", "cancelled", "argument",  "memory", "internal"};
  static char text[4000], identifier[40];
  const int32_t code = tacore_error_code(error);
  snprintf(identifier, sizeof identifier, "tacore:%s", code >= 1 && code <= TACORE_E_INTERNAL ? names[code] : "internal");
  snprintf(text, sizeof text, "%s", tacore_error_text(error));
  tacore_error_free(error);
  mexErrMsgIdAndTxt(identifier, "%s", text);
}

#define TRY(call)                                   \
  do {                                              \
    tacore_error* error = NULL;                     \
    if ((call) != TACORE_OK) fail(error);          \
  } while (0)

static void refuse(const char* text) { mexErrMsgIdAndTxt("tacore:argument", "%s", text); }

/* ---- Interruption: Octave's flag, or MATLAB's function; each is there in its own program alone ---- */

extern volatile sig_atomic_t octave_interrupt_state __attribute__((weak));
extern bool utIsInterruptPending(void) __attribute__((weak));

static int32_t poll(uint64_t done, uint64_t total, void* user) {
  (void)done;
  (void)total;
  (void)user;
  if (&octave_interrupt_state != NULL) return octave_interrupt_state > 0;
  return utIsInterruptPending != NULL && utIsInterruptPending();
}

/* ---- Handles ---- */

enum kind { kNone, kDataset, kFrame, kRaster, kLoader, kSamples };

typedef struct {
  enum kind kind;
  void* pointer;
  uint32_t number; /* of its use of the slot: an old handle is not a new one */
} slot;

static slot* slots;
static size_t num_slots, num_used;

static void free_slot(slot* held) {
  switch (held->kind) {
    case kDataset: tacore_dataset_free(held->pointer); break;
    case kFrame: tacore_frame_free(held->pointer); break;
    case kRaster: tacore_raster_free(held->pointer); break;
    case kLoader: tacore_loader_free(held->pointer); break;
    case kSamples: tacore_samples_free(held->pointer); break;
    default: return;
  }
  held->kind = kNone;
  if (--num_used == 0) mexUnlock();
}

static void free_all(void) {
  for (size_t i = 0; i < num_slots; ++i) free_slot(slots + i);
  free(slots);
  slots = NULL;
  num_slots = 0;
  tacore_set_poll(NULL, NULL);
}

static mxArray* new_handle(enum kind kind, void* pointer) {
  size_t at = 0;
  while (at < num_slots && slots[at].kind != kNone) ++at;
  if (at == num_slots) {
    const size_t more = num_slots == 0 ? 64 : 2 * num_slots;
    slot* all = realloc(slots, more * sizeof *all);
    if (all == NULL) refuse("not enough memory for a handle");
    memset(all + num_slots, 0, (more - num_slots) * sizeof *all);
    slots = all;
    num_slots = more;
  }
  slots[at].kind = kind;
  slots[at].pointer = pointer;
  ++slots[at].number;
  if (num_used++ == 0) mexLock();
  mxArray* out = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);
  *(uint64_t*)mxGetData(out) = (uint64_t)slots[at].number << 32 | (uint64_t)(at + 1);
  return out;
}

static slot* slot_of(const mxArray* value) {
  if (mxGetClassID(value) != mxUINT64_CLASS || mxGetNumberOfElements(value) != 1) refuse("a handle of tacore expected");
  const uint64_t id = *(const uint64_t*)mxGetData(value);
  const size_t at = (size_t)(id & 0xFFFFFFFF) - 1;
  if (at >= num_slots || slots[at].number != id >> 32 || slots[at].kind == kNone) return NULL;
  return slots + at;
}

static void* pointer_of(const mxArray* value, enum kind kind) {
  slot* held = slot_of(value);
  if (held == NULL) refuse("this object has been deleted, or is of a session that has ended");
  if (held->kind != kind) refuse("a handle of another kind expected");
  return held->pointer;
}

/* ---- Arguments. Memory of MEX is freed when the function returns, or jumps ---- */

/* Texts are UTF-8 in Octave; MATLAB's become it. NULL for []. */
static const char* text(const mxArray* value) {
  if (mxIsEmpty(value) && !mxIsChar(value)) return NULL;
  if (!mxIsChar(value)) refuse("a text expected");
#ifdef HAVE_OCTAVE
  return mxArrayToString(value);
#else
  return mxArrayToUTF8String(value);
#endif
}

static double real_of(const mxArray* value) {
  if (!mxIsNumeric(value) && !mxIsLogical(value)) refuse("a number expected");
  if (mxIsEmpty(value)) refuse("a number expected");
  return mxGetScalar(value);
}

/* Numbers of class double; those of rows count from 1. */
static int64_t* numbers(const mxArray* value, size_t* num, int64_t first) {
  if (!mxIsDouble(value)) refuse("numbers of class double expected");
  *num = mxGetNumberOfElements(value);
  int64_t* out = mxMalloc((*num + 1) * sizeof *out);
  for (size_t i = 0; i < *num; ++i) {
    const double each = mxGetPr(value)[i];
    if (!(each == (double)(int64_t)each)) refuse("whole numbers expected");
    out[i] = (int64_t)each - first;
  }
  return out;
}

/* ---- Results ---- */

static mxArray* text_result(const char* bytes, size_t size) {
#ifdef HAVE_OCTAVE
  const mwSize dims[2] = {size > 0 ? 1 : 0, size};
  mxArray* out = mxCreateCharArray(2, dims);
  mxChar* to = mxGetChars(out);
  for (size_t i = 0; i < size; ++i) to[i] = (mxChar)bytes[i];
  return out;
#else
  char* copy = mxMalloc(size + 1);
  memcpy(copy, bytes, size);
  copy[size] = '\0';
  mxArray* out = mxCreateString(copy); /* of UTF-8, since R2020a */
  mxFree(copy);
  return out;
#endif
}

static mxArray* text_of(tacore_buffer* buffer) {
  mxArray* out = text_result(tacore_buffer_data(buffer), tacore_buffer_size(buffer));
  tacore_buffer_free(buffer);
  return out;
}

static mxArray* bytes_result(const void* bytes, size_t size) {
  mxArray* out = mxCreateNumericMatrix(1, size, mxUINT8_CLASS, mxREAL);
  if (size > 0) memcpy(mxGetData(out), bytes, size);
  return out;
}

static mxArray* bytes_of(tacore_buffer* buffer) {
  mxArray* out = bytes_result(tacore_buffer_data(buffer), tacore_buffer_size(buffer));
  tacore_buffer_free(buffer);
  return out;
}

/* ---- Plain Arrow arrays as columns: {type, values}, where null is NaN, '' or [] ---- */

static bool is_valid(const struct ArrowArray* array, int64_t at) {
  const uint8_t* bits = array->buffers[0];
  return bits == NULL || (bits[at / 8] >> (at % 8) & 1);
}

static mxArray* column_of(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num);

static bool has_nulls(const struct ArrowArray* array, int64_t from, int64_t num) {
  if (array->buffers[0] == NULL) return false;
  for (int64_t i = from; i < from + num; ++i) {
    if (!is_valid(array, i)) return true;
  }
  return false;
}

#ifdef HAVE_OCTAVE
/* A cell of texts: slices of one text, which share its memory, are made six times as fast as as many arrays of MEX. */
static mxArray* texts_of(const struct ArrowArray* array, int64_t from, int64_t num) {
  const int32_t* offsets = (const int32_t*)array->buffers[1] + from;
  const int64_t start = num > 0 ? offsets[0] : 0;
  mxArray* in[3] = {text_result(num > 0 ? (const char*)array->buffers[2] + start : "", num > 0 ? (size_t)(offsets[num] - start) : 0),
                    mxCreateDoubleMatrix((mwSize)num, 1, mxREAL), mxCreateDoubleMatrix((mwSize)num, 1, mxREAL)};
  mxArray *is_empty = mxCreateLogicalMatrix((mwSize)num, 1), *row = NULL, *out = NULL;
  bool any_empty = false;
  for (int64_t i = 0; i < num; ++i) {
    const bool is_text = is_valid(array, from + i) && offsets[i + 1] > offsets[i];
    mxGetPr(in[1])[i] = is_text ? (double)(offsets[i] - start + 1) : 1;
    mxGetPr(in[2])[i] = is_text ? (double)(offsets[i + 1] - start) : 0;
    mxGetLogicals(is_empty)[i] = !is_text;
    any_empty |= !is_text;
  }
  mexCallMATLAB(1, &row, 3, in, "cellslices");
  mexCallMATLAB(1, &out, 1, &row, "vec");
  if (!any_empty) return out;
  static const char* const fields[] = {"type", "subs"};
  mxArray* where = mxCreateStructMatrix(1, 1, 2, (const char**)fields);
  mxArray* list = mxCreateCellMatrix(1, 1);
  mxArray* nothing = mxCreateCellMatrix(1, 1);
  mxSetCell(list, 0, is_empty);
  mxSetCell(nothing, 0, text_result("", 0)); /* 0x0, where a slice would be 1x0 */
  mxSetField(where, 0, "type", mxCreateString("()"));
  mxSetField(where, 0, "subs", list);
  mxArray *assign[3] = {out, where, nothing}, *filled = NULL;
  mexCallMATLAB(1, &filled, 3, assign, "subsasgn");
  return filled;
}
#endif

static mxArray* values_of(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num) {
  const char first = *schema->format;
  const bool nulls = has_nulls(array, from, num);
  mxArray* out;
  if (first == 'b' && !nulls) {
    out = mxCreateLogicalMatrix((mwSize)num, 1);
    for (int64_t i = 0; i < num; ++i)
      mxGetLogicals(out)[i] = ((const uint8_t*)array->buffers[1])[(from + i) / 8] >> ((from + i) % 8) & 1;
    return out;
  }
  if (first == 'l' || (first == 't' && schema->format[1] == 's')) { /* exact; null is the smallest */
    out = mxCreateNumericMatrix((mwSize)num, 1, mxINT64_CLASS, mxREAL);
    for (int64_t i = 0; i < num; ++i)
      ((int64_t*)mxGetData(out))[i] = is_valid(array, from + i) ? ((const int64_t*)array->buffers[1])[from + i] : INT64_MIN;
    return out;
  }
  if (first == 'i' && !nulls) {
    out = mxCreateNumericMatrix((mwSize)num, 1, mxINT32_CLASS, mxREAL);
    memcpy(mxGetData(out), (const int32_t*)array->buffers[1] + from, (size_t)num * sizeof(int32_t));
    return out;
  }
  if (first == 'b' || first == 'i' || first == 'g' || first == 't') {
    out = mxCreateDoubleMatrix((mwSize)num, 1, mxREAL);
    for (int64_t i = 0; i < num; ++i) {
      const int64_t at = from + i;
      double value = mxGetNaN();
      if (is_valid(array, at)) {
        if (first == 'b') value = ((const uint8_t*)array->buffers[1])[at / 8] >> (at % 8) & 1;
        else if (first == 'g') value = ((const double*)array->buffers[1])[at];
        else value = ((const int32_t*)array->buffers[1])[at];
      }
      mxGetPr(out)[i] = value;
    }
    return out;
  }
  if (strcmp(schema->format, "+s") == 0) {
    /* Names of fields may be of any letters: they travel in a cell beside. */
    out = mxCreateCellMatrix((mwSize)schema->n_children, 2);
    for (int64_t k = 0; k < schema->n_children; ++k) {
      mxSetCell(out, (mwIndex)k, text_result(schema->children[k]->name, strlen(schema->children[k]->name)));
      mxSetCell(out, (mwIndex)(schema->n_children + k), column_of(schema->children[k], array->children[k], from, num));
    }
    return out;
  }
#ifdef HAVE_OCTAVE
  if (first == 'u') return texts_of(array, from, num);
#endif
  const int32_t* offsets = array->buffers[1];
  out = mxCreateCellMatrix((mwSize)num, 1);
  for (int64_t i = 0; i < num; ++i) {
    const int64_t at = from + i;
    if (!is_valid(array, at)) {
      if (first == 'u') mxSetCell(out, (mwIndex)i, text_result("", 0));
      continue;
    }
    const char* bytes = first == '+' ? NULL : (const char*)array->buffers[2] + offsets[at];
    const size_t size = (size_t)(offsets[at + 1] - offsets[at]);
    if (first == 'u') mxSetCell(out, (mwIndex)i, text_result(bytes, size));
    else if (first == 'z') mxSetCell(out, (mwIndex)i, bytes_result(bytes, size));
    else mxSetCell(out, (mwIndex)i, column_of(schema->children[0], array->children[0], offsets[at], (int64_t)size));
  }
  return out;
}

static mxArray* column_of(const struct ArrowSchema* schema, const struct ArrowArray* array, int64_t from, int64_t num) {
  static const char* const fields[] = {"type", "values", "is_null"};
  const char* type = schema->format;
  static const struct {
    const char *format, *name;
  } types[] = {{"b", "bool"}, {"i", "int32"}, {"l", "int64"}, {"g", "double"}, {"u", "string"}, {"z", "binary"},
               {"tdD", "date"}, {"tsu:UTC", "timestamp"}, {"+l", "list"}, {"+s", "struct"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (strcmp(types[i].format, type) == 0) {
      type = types[i].name;
      break;
    }
  }
  mxArray* out = mxCreateStructMatrix(1, 1, 3, (const char**)fields);
  mxArray* is_null = mxCreateLogicalMatrix((mwSize)num, 1);
  for (int64_t i = 0; i < num; ++i) mxGetLogicals(is_null)[i] = !is_valid(array, from + i);
  mxSetField(out, 0, "type", mxCreateString(type));
  mxSetField(out, 0, "values", values_of(schema, array, from, num));
  mxSetField(out, 0, "is_null", is_null);
  return out;
}

/* ---- Columns to be written: {name, type, values, is_null} ---- */

static void release_schema(struct ArrowSchema* self) {
  for (int64_t i = 0; i < self->n_children; ++i) {
    if (self->children[i]->release != NULL) self->children[i]->release(self->children[i]);
    free(self->children[i]);
  }
  free(self->children);
  free((void*)self->name);
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

static void begin(struct ArrowSchema* schema, struct ArrowArray* array, const char* format, const char* name, int64_t length,
                  int64_t num_buffers, int64_t num_children) {
  memset(schema, 0, sizeof *schema);
  memset(array, 0, sizeof *array);
  schema->format = format;
  schema->name = strdup(name);
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = release_schema;
  array->release = release_array;
  array->length = length;
  array->buffers = calloc(3, sizeof(void*));
  array->n_buffers = num_buffers;
  schema->children = calloc((size_t)num_children + 1, sizeof(void*));
  array->children = calloc((size_t)num_children + 1, sizeof(void*));
  for (; schema->n_children < num_children; ++schema->n_children, ++array->n_children) {
    schema->children[schema->n_children] = calloc(1, sizeof *schema);
    array->children[array->n_children] = calloc(1, sizeof *array);
  }
}

static const mxArray* field(const mxArray* column, const char* name) {
  const mxArray* out = mxGetField(column, 0, name);
  if (out == NULL) refuse("a column of tacore expected");
  return out;
}

/* False for a type that is unknown. Jumps nowhere: all memory is in the stream. */
static bool export_column(const mxArray* column, const char* name, struct ArrowSchema* schema, struct ArrowArray* array) {
  const mxArray *values = mxGetField(column, 0, "values"), *null = mxGetField(column, 0, "is_null");
  char type[20] = "";
  mxGetString(mxGetField(column, 0, "type"), type, sizeof type);
  const int64_t num = (int64_t)mxGetNumberOfElements(values);
  const void* data = mxGetData(values);
  const struct {
    const char *name, *format;
    mxClassID class_of;
    size_t width;
  } fixed[] = {{"int32", "i", mxINT32_CLASS, 4}, {"int64", "l", mxINT64_CLASS, 8}, {"double", "g", mxDOUBLE_CLASS, 8},
               {"date", "tdD", mxINT32_CLASS, 4}, {"timestamp", "tsu:UTC", mxINT64_CLASS, 8}};
  bool is_known = false;
  for (size_t i = 0; i < 5; ++i) {
    if (strcmp(type, fixed[i].name) != 0 || mxGetClassID(values) != fixed[i].class_of) continue;
    begin(schema, array, fixed[i].format, name, num, 2, 0);
    array->buffers[1] = calloc((size_t)num + 1, fixed[i].width);
    memcpy((void*)array->buffers[1], data, (size_t)num * fixed[i].width);
    is_known = true;
  }
  if (strcmp(type, "bool") == 0 && mxIsLogical(values)) {
    begin(schema, array, "b", name, num, 2, 0);
    uint8_t* bits = calloc((size_t)num / 8 + 1, 1);
    for (int64_t i = 0; i < num; ++i) bits[i / 8] |= (uint8_t)(mxGetLogicals(values)[i] << (i % 8));
    array->buffers[1] = bits;
    is_known = true;
  }
  if ((strcmp(type, "string") == 0 || strcmp(type, "binary") == 0) && mxIsCell(values)) {
    begin(schema, array, *type == 's' ? "u" : "z", name, num, 3, 0);
    int32_t* offsets = calloc((size_t)num + 1, sizeof *offsets);
    array->buffers[1] = offsets;
    size_t size = 0;
    for (int64_t i = 0; i < num; ++i) {
      const mxArray* each = mxGetCell(values, (mwIndex)i);
      size += each == NULL ? 0 : mxGetNumberOfElements(each);
      if (size > INT32_MAX) return false;
      offsets[i + 1] = (int32_t)size;
    }
    char* bytes = calloc(size + 1, 1);
    array->buffers[2] = bytes;
    for (int64_t i = 0; i < num; ++i) { /* texts come as uint8 of their UTF-8 */
      if (offsets[i + 1] > offsets[i])
        memcpy(bytes + offsets[i], mxGetData(mxGetCell(values, (mwIndex)i)), (size_t)(offsets[i + 1] - offsets[i]));
    }
    is_known = true;
  }
  if (strcmp(type, "list") == 0) { /* values: {offsets, column of the items} */
    const mxArray* offsets = mxGetCell(values, 0);
    const int64_t length = (int64_t)mxGetNumberOfElements(offsets) - 1;
    begin(schema, array, "+l", name, length, 2, 1);
    array->buffers[1] = calloc((size_t)length + 2, sizeof(int32_t));
    memcpy((void*)array->buffers[1], mxGetData(offsets), ((size_t)length + 1) * sizeof(int32_t));
    is_known = export_column(mxGetCell(values, 1), "item", schema->children[0], array->children[0]);
  }
  if (!is_known) return false;
  uint8_t* bits = calloc((size_t)array->length / 8 + 1, 1);
  for (int64_t i = 0; i < array->length; ++i) {
    const bool is_null = mxGetLogicals(null)[i];
    bits[i / 8] |= (uint8_t)(!is_null << (i % 8));
    array->null_count += is_null;
  }
  array->buffers[0] = bits;
  return true;
}

typedef struct {
  struct ArrowSchema schema;
  struct ArrowArray array;
} table;

static int give_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  *out = ((table*)self->private_data)->schema;
  ((table*)self->private_data)->schema.release = NULL;
  return 0;
}

static int give_array(struct ArrowArrayStream* self, struct ArrowArray* out) {
  *out = ((table*)self->private_data)->array;
  ((table*)self->private_data)->array.release = NULL;
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

static struct ArrowArrayStream stream_of(const mxArray* columns) {
  table* held = calloc(1, sizeof *held);
  struct ArrowArrayStream out = {give_schema, give_array, give_error, release_stream, held};
  const size_t num = mxGetNumberOfElements(columns);
  begin(&held->schema, &held->array, "+s", "", 0, 1, (int64_t)num);
  for (size_t i = 0; i < num; ++i) {
    const mxArray* column = mxGetCell(columns, i);
    const char* name = text(field(column, "name"));
    if (!export_column(column, name, held->schema.children[i], held->array.children[i])) {
      static char why[300];
      snprintf(why, sizeof why, "column '%s' has values of a type that no dataset holds, or more than 2 GB", name);
      out.release(&out);
      refuse(why);
    }
    held->array.length = held->array.children[i]->length;
  }
  return out;
}

/* ---- Pixels: arrays are rows x columns x bands (x samples), as stored otherwise ---- */

static const struct {
  mxClassID class_of;
  size_t width;
} kTypes[] = {{mxUINT8_CLASS, 1}, {mxINT8_CLASS, 1}, {mxUINT16_CLASS, 2}, {mxINT16_CLASS, 2}, {mxUINT32_CLASS, 4},
              {mxINT32_CLASS, 4}, {mxUINT64_CLASS, 8}, {mxINT64_CLASS, 8}, {mxSINGLE_CLASS, 4}, {mxDOUBLE_CLASS, 8}};

#define TURN(Type)                                                                                   \
  for (int64_t image = 0; image < num; ++image) {                                                    \
    const Type* in = (const Type*)from + image * rows * columns;                                     \
    Type* out = (Type*)to + image * rows * columns;                                                  \
    for (int64_t top = 0; top < rows; top += 32) {                                                   \
      for (int64_t column = 0; column < columns; ++column) {                                         \
        for (int64_t row = top; row < rows && row < top + 32; ++row) out[column * rows + row] = in[row * columns + column]; \
      }                                                                                              \
    }                                                                                                \
  }

static void turn(const void* from, void* to, size_t width, int64_t num, int64_t rows, int64_t columns) {
  switch (width) {
    case 1: TURN(uint8_t) break;
    case 2: TURN(uint16_t) break;
    case 4: TURN(uint32_t) break;
    default: TURN(uint64_t)
  }
}

static mxArray* image_of(const void* data, int32_t type, int64_t rows, int64_t columns, int64_t bands, int64_t samples) {
  const mwSize dims[4] = {(mwSize)rows, (mwSize)columns, (mwSize)bands, (mwSize)samples};
  mxArray* out = mxCreateNumericArray(4, dims, kTypes[type].class_of, mxREAL);
  turn(data, mxGetData(out), kTypes[type].width, bands * samples, rows, columns);
  return out;
}

/* The raster of a handle; for that of rows it is opened, of this row (from 1) and child, and the caller closes it. */
static tacore_raster* raster_of(const mxArray* source, int64_t row, const char* child, bool* is_opened) {
  const slot* held = slot_of(source);
  *is_opened = held != NULL && held->kind == kFrame;
  if (!*is_opened) return pointer_of(source, kRaster);
  tacore_raster* out = NULL;
  TRY(tacore_raster_open(held->pointer, row - 1, child, &out, &error));
  return out;
}

/* Of a raster, or of a row without a handle for its raster: raster or rows, row, child, bands, window, type, options. */
static mxArray* read_pixels(const mxArray* in[]) {
  const int64_t row = mxIsEmpty(in[1]) ? 0 : (int64_t)real_of(in[1]);
  const char* child = text(in[2]);
  size_t num_bands = 0, num_window = 0;
  const int64_t* bands = numbers(in[3], &num_bands, 0);
  const int64_t* window = numbers(in[4], &num_window, 0);
  int32_t* bands32 = mxMalloc((num_bands + 1) * sizeof *bands32);
  for (size_t i = 0; i < num_bands; ++i) bands32[i] = (int32_t)bands[i];
  if (num_window != 0 && num_window != 4) refuse("Window: [x y width height] expected");
  int32_t stored, type = (int32_t)real_of(in[5]);
  const char* options = text(in[6]);

  bool is_opened;
  tacore_raster* raster = raster_of(in[0], row, child, &is_opened);
  int64_t shape[3];
  tacore_raster_shape(raster, shape, &stored);
  if (type == TACORE_AS_STORED) type = strstr(options, "\"scale\"") != NULL ? TACORE_FLOAT32 : stored;
  if (num_bands > 0) shape[0] = (int64_t)num_bands;
  if (num_window == 4) {
    const bool is_inside = window[2] >= 1 && window[3] >= 1 && window[2] <= shape[2] && window[3] <= shape[1];
    shape[1] = is_inside ? window[3] : 1; /* the library refuses other windows */
    shape[2] = is_inside ? window[2] : 1;
  }
  const size_t size = (size_t)(shape[0] * shape[1] * shape[2]) * kTypes[type].width;
  void* pixels = malloc(size + 1); /* not of MEX, whose failure would jump over the raster */
  tacore_error* error = NULL;
  const tacore_status status = pixels == NULL ? TACORE_E_MEMORY
                                              : tacore_raster_read(raster, num_bands > 0 ? bands32 : NULL, num_bands,
                                                                   num_window == 4 ? window : NULL, type, options, pixels, size, &error);
  if (is_opened) tacore_raster_free(raster);
  if (status != TACORE_OK) free(pixels);
  if (pixels == NULL) mexErrMsgIdAndTxt("tacore:memory", "not enough memory for %.0f bytes of pixels", (double)size);
  if (status != TACORE_OK) fail(error);
  mxArray* out = image_of(pixels, type, shape[1], shape[2], shape[0], 1);
  free(pixels);
  return out;
}

/* Of a raster, or of a row: raster or rows, row, child, options. */
static mxArray* read_preview(const mxArray* in[]) {
  const int64_t row = mxIsEmpty(in[1]) ? 0 : (int64_t)real_of(in[1]);
  const char *child = text(in[2]), *options = text(in[3]);
  bool is_opened;
  tacore_raster* raster = raster_of(in[0], row, child, &is_opened);
  tacore_buffer* out = NULL;
  tacore_error* error = NULL;
  const tacore_status status = tacore_raster_preview(raster, options, &out, &error);
  if (is_opened) tacore_raster_free(raster);
  if (status != TACORE_OK) fail(error);
  return bytes_of(out);
}

static mxArray* next_batch(tacore_loader* loader) {
  static const char* const fields[] = {"tensors", "positions", "next_start", "failures"};
  tacore_batch* batch = NULL;
  TRY(tacore_loader_next(loader, &batch, &error));
  if (batch == NULL) return mxCreateDoubleMatrix(0, 0, mxREAL);
  mxArray* out = mxCreateStructMatrix(1, 1, 4, (const char**)fields);
  const size_t num_tensors = tacore_batch_num_tensors(batch);
  mxArray* tensors = mxCreateCellMatrix(1, num_tensors);
  for (size_t i = 0; i < num_tensors; ++i) {
    const void* data;
    int64_t shape[4];
    int32_t type;
    tacore_batch_tensor(batch, i, &data, shape, &type);
    mxSetCell(tensors, i, image_of(data, type, shape[2], shape[3], shape[1], shape[0]));
  }
  const int64_t* positions;
  size_t num;
  int64_t next_start;
  tacore_batch_positions(batch, &positions, &num, &next_start);
  mxArray* rows = mxCreateDoubleMatrix(1, num, mxREAL);
  for (size_t i = 0; i < num; ++i) mxGetPr(rows)[i] = (double)positions[i] + 1;
  mxSetField(out, 0, "tensors", tensors);
  mxSetField(out, 0, "positions", rows);
  mxSetField(out, 0, "next_start", mxCreateDoubleScalar((double)next_start));
  const char* failures = tacore_batch_failures(batch);
  mxSetField(out, 0, "failures", text_result(failures, strlen(failures)));
  tacore_batch_free(batch);
  return out;
}

/* ---- Commands ---- */

#define COMMAND(name) static mxArray* name(const mxArray* in[], int num_in)
#define DATASET pointer_of(in[0], kDataset)
#define FRAME pointer_of(in[0], kFrame)
#define MADE(Kind, type, call)              \
  type* out = NULL;                         \
  (void)num_in;                             \
  TRY(call);                                \
  return new_handle(Kind, out);
#define TEXT(call)              \
  tacore_buffer* out = NULL;    \
  (void)num_in;                 \
  TRY(call);                    \
  return text_of(out);

COMMAND(do_open) {
  const size_t num = mxGetNumberOfElements(in[0]);
  const char** paths = mxMalloc((num + 1) * sizeof *paths);
  for (size_t i = 0; i < num; ++i) paths[i] = text(mxGetCell(in[0], i));
  MADE(kDataset, tacore_dataset, tacore_open(paths, num, text(in[1]), &out, &error))
}
COMMAND(do_concat) {
  const size_t num = mxGetNumberOfElements(in[0]);
  const tacore_dataset** all = mxMalloc((num + 1) * sizeof *all);
  for (size_t i = 0; i < num; ++i) all[i] = pointer_of(mxGetCell(in[0], i), kDataset);
  MADE(kDataset, tacore_dataset, tacore_concat(all, num, text(in[1]), &out, &error))
}
COMMAND(do_collection) {
  (void)num_in;
  const char* json = tacore_dataset_collection(DATASET);
  return text_result(json, strlen(json));
}
COMMAND(do_about) { TEXT(tacore_dataset_about(DATASET, &out, &error)) }
COMMAND(do_sql) { MADE(kDataset, tacore_dataset, tacore_dataset_sql(DATASET, text(in[1]), &out, &error)) }
COMMAND(do_bbox) {
  if (!mxIsDouble(in[1]) || mxGetNumberOfElements(in[1]) != 4) mexErrMsgIdAndTxt("tacore:query", "[west south east north] expected");
  MADE(kDataset, tacore_dataset,
       tacore_dataset_filter_bbox(DATASET, mxGetPr(in[1]), text(in[2]), (int32_t)real_of(in[3]), &out, &error))
}
COMMAND(do_datetime) {
  MADE(kDataset, tacore_dataset,
       tacore_dataset_filter_datetime(DATASET, text(in[1]), text(in[2]), (int32_t)real_of(in[3]), &out, &error))
}
COMMAND(do_rows) { MADE(kFrame, tacore_frame, tacore_dataset_rows(DATASET, (int32_t)real_of(in[1]), &out, &error)) }
COMMAND(do_flatten) { MADE(kFrame, tacore_frame, tacore_dataset_flatten(DATASET, (int32_t)real_of(in[1]), &out, &error)) }
COMMAND(do_statistics) { TEXT(tacore_dataset_statistics(DATASET, text(in[1]), &out, &error)) }
COMMAND(do_describe) { TEXT(tacore_dataset_describe(DATASET, text(in[1]), text(in[2]), &out, &error)) }
COMMAND(do_export) { TEXT(tacore_export(DATASET, text(in[1]), text(in[2]), &out, &error)) }
COMMAND(do_num_rows) {
  (void)num_in;
  return mxCreateDoubleScalar((double)tacore_frame_num_rows(FRAME));
}
COMMAND(do_columns) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  (void)num_in;
  TRY(tacore_frame_stream(FRAME, TACORE_PLAIN, &stream, &error));
  stream.get_schema(&stream, &schema);
  stream.get_next(&stream, &array);
  stream.release(&stream);
  mxArray* out = mxCreateCellMatrix((mwSize)schema.n_children, 2);
  for (int64_t i = 0; i < schema.n_children; ++i) {
    mxSetCell(out, (mwIndex)i, text_result(schema.children[i]->name, strlen(schema.children[i]->name)));
    mxSetCell(out, (mwIndex)(schema.n_children + i), column_of(schema.children[i], array.children[i], 0, array.length));
  }
  array.release(&array);
  schema.release(&schema);
  return out;
}
COMMAND(do_take) {
  size_t num;
  const int64_t* at = numbers(in[1], &num, 1);
  MADE(kFrame, tacore_frame, tacore_frame_take(FRAME, at, num, &out, &error))
}
COMMAND(do_frame_dataset) { MADE(kDataset, tacore_dataset, tacore_frame_dataset(FRAME, &out, &error)) }
COMMAND(do_children) {
  MADE(kFrame, tacore_frame, tacore_frame_children(FRAME, (int64_t)real_of(in[1]) - 1, text(in[2]), &out, &error))
}
COMMAND(do_path) { TEXT(tacore_frame_path(FRAME, (int64_t)real_of(in[1]) - 1, text(in[2]), &out, &error)) }
COMMAND(do_read) {
  size_t num;
  (void)num_in;
  const int64_t* at = numbers(in[1], &num, 1);
  tacore_buffer** buffers = mxMalloc((num + 1) * sizeof *buffers);
  TRY(tacore_frame_read(FRAME, at, num, text(in[2]), buffers, &error));
  mxArray* out = mxCreateCellMatrix(1, num);
  for (size_t i = 0; i < num; ++i) mxSetCell(out, i, bytes_of(buffers[i]));
  return out;
}
COMMAND(do_frame_statistics) { TEXT(tacore_frame_statistics(FRAME, text(in[1]), &out, &error)) }
COMMAND(do_raster) {
  MADE(kRaster, tacore_raster, tacore_raster_open(FRAME, (int64_t)real_of(in[1]) - 1, text(in[2]), &out, &error))
}
COMMAND(do_raster_path) { MADE(kRaster, tacore_raster, tacore_raster_open_path(text(in[0]), &out, &error)) }
COMMAND(do_raster_about) { TEXT(tacore_raster_about(pointer_of(in[0], kRaster), &out, &error)) }
COMMAND(do_pixels) {
  (void)num_in;
  return read_pixels(in);
}
COMMAND(do_preview) {
  (void)num_in;
  return read_preview(in);
}
COMMAND(do_loader) { MADE(kLoader, tacore_loader, tacore_loader_new(FRAME, text(in[1]), &out, &error)) }
COMMAND(do_num_batches) {
  (void)num_in;
  return mxCreateDoubleScalar((double)tacore_loader_num_batches(pointer_of(in[0], kLoader)));
}
COMMAND(do_next) {
  (void)num_in;
  return next_batch(pointer_of(in[0], kLoader));
}
COMMAND(do_samples_from_rows) {
  struct ArrowArrayStream stream = stream_of(in[0]);
  MADE(kSamples, tacore_samples, tacore_samples_from_rows(&stream, text(in[1]), &out, &error))
}
COMMAND(do_samples_from_path) {
  MADE(kSamples, tacore_samples, tacore_samples_from_path(text(in[0]), text(in[1]), &out, &error))
}
COMMAND(do_create) { TEXT(tacore_create(pointer_of(in[0], kSamples), text(in[1]), text(in[2]), text(in[3]), &out, &error)) }
COMMAND(do_run) { TEXT(tacore_run(text(in[0]), text(in[1]), &out, &error)) }
COMMAND(do_set_options) {
  (void)num_in;
  TRY(tacore_set_options(text(in[0]), &error));
  return mxCreateDoubleMatrix(0, 0, mxREAL);
}
COMMAND(do_take_log) {
  (void)in;
  TEXT(tacore_take_log(&out, &error))
}
COMMAND(do_free) {
  (void)num_in;
  slot* held = slot_of(in[0]);
  if (held != NULL) free_slot(held);
  return mxCreateDoubleMatrix(0, 0, mxREAL);
}
COMMAND(do_version) {
  (void)in;
  (void)num_in;
  char all[60];
  const uint32_t abi = tacore_abi_version();
  snprintf(all, sizeof all, "%s %u.%u", tacore_version(), abi >> 16, abi & 0xFFFF);
  return mxCreateString(all);
}

static const struct {
  const char* name;
  int num_in;
  mxArray* (*run)(const mxArray* in[], int num_in);
} kCommands[] = {
    {"open", 2, do_open}, {"concat", 2, do_concat}, {"collection", 1, do_collection}, {"about", 1, do_about}, {"sql", 2, do_sql},
    {"bbox", 4, do_bbox}, {"datetime", 4, do_datetime}, {"rows", 2, do_rows}, {"flatten", 2, do_flatten},
    {"statistics", 2, do_statistics}, {"describe", 3, do_describe}, {"export", 3, do_export}, {"num_rows", 1, do_num_rows},
    {"columns", 1, do_columns}, {"take", 2, do_take}, {"frame_dataset", 1, do_frame_dataset}, {"children", 3, do_children},
    {"path", 3, do_path}, {"read", 3, do_read}, {"frame_statistics", 2, do_frame_statistics}, {"raster", 3, do_raster},
    {"raster_path", 1, do_raster_path}, {"raster_about", 1, do_raster_about}, {"pixels", 7, do_pixels}, {"preview", 4, do_preview},
    {"loader", 2, do_loader}, {"num_batches", 1, do_num_batches}, {"next", 1, do_next},
    {"samples_from_rows", 2, do_samples_from_rows}, {"samples_from_path", 2, do_samples_from_path}, {"create", 4, do_create},
    {"run", 2, do_run}, {"set_options", 1, do_set_options}, {"take_log", 0, do_take_log}, {"free", 1, do_free},
    {"version", 0, do_version},
};

void mexFunction(int num_out, mxArray* out[], int num_in, const mxArray* in[]) {
  char name[40] = "";
  (void)num_out;
  mexAtExit(free_all);
  tacore_set_poll(poll, NULL);
  if (num_in < 1 || mxGetString(in[0], name, sizeof name) != 0) refuse("a command expected");
  for (size_t i = 0; i < sizeof kCommands / sizeof *kCommands; ++i) {
    if (strcmp(kCommands[i].name, name) != 0) continue;
    if (num_in - 1 != kCommands[i].num_in) refuse("a command with another number of arguments expected");
    out[0] = kCommands[i].run(in + 1, num_in - 1);
    return;
  }
  refuse("an unknown command");
}
