/*
  Selects samples by bounding box, time and SQL, and reads the rows as an Arrow C stream, without an Arrow library.

    filter_and_stream PATH

  DEMONSTRATES:
  * filters and SQL in one chain, which runs as one SQL statement when data() is called
  * the Arrow C stream interface: its structs may be declared by hand

  SIMPLER EXAMPLES: list_samples
*/
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <tacore/dataset.hpp>

struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: filter_and_stream PATH\n", stderr), 2;
  const tacore::DataFrame rows = tacore::load(argv[1])
                                     .filter_bbox({-34.87, -8.01, -34.84, -7.98})
                                     .filter_datetime("2000-01-01/2000-12-31")
                                     .sql("SELECT mean_nir FROM data ORDER BY mean_nir")
                                     .data();
  ArrowArrayStream stream;
  rows.export_stream(&stream);
  for (ArrowArray batch;; batch.release(&batch)) {
    if (stream.get_next(&stream, &batch) != 0) throw std::runtime_error(stream.get_last_error(&stream));
    if (!batch.release) break;                      // the end
    const ArrowArray& column = *batch.children[0];  // a double without nulls: buffer 1 holds its values
    const double* values = static_cast<const double*>(column.buffers[1]) + column.offset;
    for (int64_t i = 0; i < column.length; ++i) std::printf("%.2f\n", values[i]);
  }
  stream.release(&stream);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
