#pragma once

#include <duckdb.hpp>
#include <memory>

#include "query/level_file_system.hpp"

/// The DuckDB instances of this process. Included by the sources of DuckDB only.
namespace tacore {

/// An in-memory database that can read the levels of running statements and nothing else: no file, network or setting.
struct DuckDbInstance {
  std::unique_ptr<duckdb::DuckDB> database;
  LevelFileSystem* files = nullptr;  ///< owned by `database`

  explicit DuckDbInstance(bool is_remote);
};

/// A connection for statements that the library makes: a union of many parts is deeper than what DuckDB lets users
/// write, which inspect_select() has checked before.
struct Connection : duckdb::Connection {
  explicit Connection(const DuckDbInstance& in) : duckdb::Connection(*in.database) {
    duckdb::ClientConfig::GetConfig(*context).max_expression_depth = 1200;
  }
};

/// The instance for local levels, or for remote ones, which has more threads; started by its first query. A forked
/// child process gets instances of its own.
std::shared_ptr<DuckDbInstance> duckdb_instance(bool is_remote);

/// Drops an instance after a FATAL error, which makes it refuse everything: the next statement gets a new one.
void discard(const std::shared_ptr<DuckDbInstance>& broken);

}  // namespace tacore
