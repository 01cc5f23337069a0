#include "plain_duckdb.hpp"

#include <duckdb.hpp>
#include <duckdb/common/arrow/arrow_query_result.hpp>
#include <duckdb/common/arrow/physical_arrow_collector.hpp>
#include <duckdb/main/client_config.hpp>
#include <stdexcept>

namespace bench {

struct PlainDuckDb::Impl {
  duckdb::DuckDB database{nullptr};
};

PlainDuckDb::PlainDuckDb() : impl_(std::make_unique<Impl>()) {}
PlainDuckDb::~PlainDuckDb() = default;

int64_t PlainDuckDb::run(const std::string& sql) {
  duckdb::Connection connection(impl_->database);
  duckdb::ClientConfig::GetConfig(*connection.context).get_result_collector =
      [](duckdb::ClientContext& context, duckdb::PreparedStatementData& data) -> duckdb::PhysicalOperator& {
    return duckdb::PhysicalArrowCollector::Create(context, data, 1 << 20);
  };
  const auto result = connection.PendingQuery(sql)->Execute();
  if (result->HasError()) throw std::runtime_error(result->GetError());
  int64_t rows = 0;
  for (const auto& array : result->Cast<duckdb::ArrowQueryResult>().ConsumeArrays()) rows += array->arrow_array.length;
  return rows;
}

std::string PlainDuckDb::cell(const std::string& sql) {
  duckdb::Connection connection(impl_->database);
  const auto result = connection.Query(sql);
  if (result->HasError()) throw std::runtime_error(result->GetError());
  return result->GetValue(0, 0).ToString();
}

std::string PlainDuckDb::version() { return duckdb::DuckDB::LibraryVersion(); }

}  // namespace bench
