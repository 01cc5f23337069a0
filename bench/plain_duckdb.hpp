#pragma once

#include <memory>
#include <string>

struct ArrowArrayStream;

/// The peer: DuckDB without us, with its default settings, in the same process and of the same version.
namespace bench {

class PlainDuckDb {
 public:
  PlainDuckDb();
  ~PlainDuckDb();
  /// Runs to the end, in parallel, into Arrow arrays, the fastest way that DuckDB has. Returns the rows.
  int64_t run(const std::string& sql);
  /// The first cell of a result, as text.
  std::string cell(const std::string& sql);
  static std::string version();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench
