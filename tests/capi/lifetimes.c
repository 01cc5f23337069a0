/* Handles may be freed in any order: each order of seven handles that come from each other is tried, and after each step the
 * rest is used.   lifetimes ROOT FOLDER [STEP]     STEP: only each of so many orders is tried */
#include "testing.h"

enum { kDataset, kRows, kChildren, kStream, kRaster, kLoader, kBatch, kNumHandles };

typedef struct {
  tacore_dataset* dataset;
  tacore_frame *rows, *children;
  struct ArrowArrayStream stream;
  tacore_raster* raster;
  tacore_loader* loader;
  tacore_batch* batch;
} Handles;

static Handles open_all(void) {
  Handles out;
  out.dataset = open_one(NESTED);
  out.rows = rows_of(out.dataset);
  OK(tacore_frame_children(out.rows, 2, NULL, &out.children, &error));
  OK(tacore_frame_stream(out.children, 0, &out.stream, &error));
  OK(tacore_raster_open(out.children, 0, NULL, &out.raster, &error));
  OK(tacore_loader_new(out.rows, "{\"inputs\": [\"optical/1\"], \"batch_size\": 2, \"prefetch\": 1}", &out.loader, &error));
  OK(tacore_loader_next(out.loader, &out.batch, &error));
  return out;
}

static void free_one(Handles* all, int which) {
  switch (which) {
    case kDataset: tacore_dataset_free(all->dataset); break;
    case kRows: tacore_frame_free(all->rows); break;
    case kChildren: tacore_frame_free(all->children); break;
    case kStream: all->stream.release(&all->stream); break;
    case kRaster: tacore_raster_free(all->raster); break;
    case kLoader: tacore_loader_free(all->loader); break;
    default: tacore_batch_free(all->batch);
  }
}

static void use_one(Handles* all, int which) {
  static unsigned char pixels[6 * 64 * 64];
  tacore_buffer* buffer = NULL;
  tacore_frame* frame = NULL;
  tacore_batch* batch = NULL;
  struct ArrowSchema schema;
  struct ArrowArray array;
  const void* data;
  const int64_t position = 0;
  int64_t shape[4];
  switch (which) {
    case kDataset: OK(tacore_dataset_about(all->dataset, &buffer, &error)); break;
    case kRows: OK(tacore_frame_children(all->rows, 0, NULL, &frame, &error)); break;
    case kChildren: OK(tacore_frame_read(all->children, &position, 1, NULL, &buffer, &error)); break;
    case kStream:
      CHECK(all->stream.get_schema(&all->stream, &schema) == 0);
      schema.release(&schema);
      CHECK(all->stream.get_next(&all->stream, &array) == 0);
      if (array.release != NULL) array.release(&array); /* else it was read before */
      break;
    case kRaster: OK(tacore_raster_read(all->raster, NULL, 0, NULL, TACORE_UINT8, NULL, pixels, sizeof pixels, &error)); break;
    case kLoader: OK(tacore_loader_next(all->loader, &batch, &error)); break;
    default:
      tacore_batch_tensor(all->batch, 0, &data, shape, NULL);
      CHECK(shape[0] == 2 && shape[2] == 64);
      for (int i = 0; i < 2 * 64 * 64; ++i) pixels[i] = ((const unsigned char*)data)[i];
  }
  tacore_batch_free(batch);
  tacore_frame_free(frame);
  tacore_buffer_free(buffer);
}

static int num_orders, step = 1;

static void try_order(const int* order) {
  Handles all;
  if (num_orders % step != 0) {
    ++num_orders;
    return;
  }
  all = open_all();
  for (int freed = 0; freed < kNumHandles; ++freed) {
    free_one(&all, order[freed]);
    if (freed + 1 < kNumHandles) use_one(&all, order[freed + 1 + num_orders % (kNumHandles - freed - 1)]);
    if (freed == 0 && num_orders / step % 50 == 0) {
      for (int rest = 1; rest < kNumHandles; ++rest) use_one(&all, order[rest]);
    }
  }
  ++num_orders;
}

static void permute(int* order, int first) {
  if (first == kNumHandles) {
    try_order(order);
    return;
  }
  for (int i = first; i < kNumHandles; ++i) {
    int held = order[first];
    order[first] = order[i];
    order[i] = held;
    permute(order, first + 1);
    held = order[first];
    order[first] = order[i];
    order[i] = held;
  }
}

int main(int argc, char** argv) {
  int order[kNumHandles] = {0, 1, 2, 3, 4, 5, 6};
  if (argc != 3 && argc != 4) return 2;
  root = argv[1];
  if (argc == 4) step = atoi(argv[3]);
  permute(order, 0);
  CHECK(num_orders == 5040);
  printf("%d orders, of which 1 in %d was tried\n", num_orders, step);
  return 0;
}
