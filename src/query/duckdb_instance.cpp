#include "query/duckdb_instance.hpp"

#include <unistd.h>

#include <mutex>

#include "base/fork.hpp"
#include "base/log.hpp"
#include "query/sql_functions.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Threads for remote levels: most of the time each waits for its one request.
constexpr idx_t kRemoteThreads = 32;

ForkSafeMutex instance_mutex;
std::shared_ptr<DuckDbInstance> the_instances[2];  ///< for local and for remote levels
pid_t instance_process = 0;

}  // namespace

DuckDbInstance::DuckDbInstance(bool is_remote) {
  duckdb::DBConfig config;
  if (is_remote) config.options.maximum_threads = kRemoteThreads;
#ifdef __SANITIZE_THREAD__
  // ThreadSanitizer cannot see how DuckDB, which is compiled without it, hands work to threads. Only ours are tested.
  config.options.maximum_threads = 1;
#endif
  database = std::make_unique<duckdb::DuckDB>(nullptr, &config);
  auto own = duckdb::make_uniq<LevelFileSystem>();
  files = own.get();
  database->GetFileSystem().RegisterSubSystem(std::move(own));
  duckdb::Connection connection(*database);
  register_sql_functions(connection);
  // Times are UTC, whatever the zone of the process. A build without time zones refuses this and does not need it.
  connection.Query("SET GLOBAL TimeZone='UTC'");
  // The order matters: once the configuration is locked, nothing can be set.
  for (const char* sql :
       {"SET autoinstall_known_extensions=false", "SET autoload_known_extensions=false",
        "SET enable_external_file_cache=false", "SET temp_directory=''", "SET allowed_directories=['tacore://']",
        "SET enable_external_access=false", "SET lock_configuration=true"}) {
    const auto result = connection.Query(sql);
    if (result->HasError()) throw QueryError(std::string(sql) + ": " + result->GetError());
  }
}

// Threads do not survive a fork, so a child starts its own instances; the parent's copies are abandoned, not destroyed.
std::shared_ptr<DuckDbInstance> duckdb_instance(bool is_remote) {
  const std::lock_guard lock(instance_mutex);
  if (instance_process != getpid()) {
    for (auto& abandoned : the_instances) {
      if (abandoned) new std::shared_ptr<DuckDbInstance>(std::move(abandoned));
    }
    instance_process = getpid();
  }
  auto& out = the_instances[is_remote ? 1 : 0];
  if (!out) {
    log::debug("DuckDB " + std::string(duckdb::DuckDB::LibraryVersion()) + " starts");
    out = std::make_shared<DuckDbInstance>(is_remote);
  }
  return out;
}

void discard(const std::shared_ptr<DuckDbInstance>& broken) {
  const std::lock_guard lock(instance_mutex);
  for (auto& one : the_instances) {
    if (one == broken) one.reset();
  }
}

}  // namespace tacore
