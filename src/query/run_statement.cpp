#include "query/run_statement.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <duckdb.hpp>
#include <duckdb/common/arrow/arrow_converter.hpp>
#include <duckdb/common/arrow/arrow_query_result.hpp>
#include <duckdb/common/arrow/physical_arrow_collector.hpp>
#include <duckdb/common/multi_file/multi_file_states.hpp>
#include <duckdb/execution/operator/scan/physical_table_scan.hpp>
#include <duckdb/function/table/arrow.hpp>
#include <duckdb/main/client_config.hpp>
#include <duckdb/main/prepared_statement_data.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "query/duckdb_instance.hpp"
#include "query/scan_forecast.hpp"
#include "query/sql_functions.hpp"
#include "table/arrow_stream.hpp"
#include "table/parquet_footer.hpp"
#include "table/rows.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::shared_ptr<DuckDbInstance> instance_for(const Statement& statement) {
  return duckdb_instance(std::any_of(statement.levels.begin(), statement.levels.end(),
                                     [](const auto& level) { return needs_requests(*level->source()); }));
}

/// The callback by which DuckDB begins to scan a table.
duckdb::unique_ptr<duckdb::ArrowArrayStreamWrapper> open_table(uintptr_t table, duckdb::ArrowStreamParameters&) {
  auto out = duckdb::make_uniq<duckdb::ArrowArrayStreamWrapper>();
  (*reinterpret_cast<const SqlTable*>(table))(&out->arrow_array_stream);
  out->number_of_rows = -1;
  return out;
}

void give_table_schema(ArrowArrayStream* table, ArrowSchema& out) {
  duckdb::ArrowArrayStreamWrapper stream;
  (*reinterpret_cast<const SqlTable*>(table))(&stream.arrow_array_stream);
  stream.arrow_array_stream.get_schema(&stream.arrow_array_stream, &out);
}

duckdb::Value to_value(const TableScan& scan, const std::vector<SqlTable>& tables) {
  switch (scan.argument) {
    case TableScan::Argument::Produce: return duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&open_table));
    case TableScan::Argument::Schema: return duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&give_table_schema));
    case TableScan::Argument::Table: break;
  }
  return duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&tables.at(scan.table)));
}

duckdb::Value to_value(const SqlValue& value, const Statement& statement, const std::vector<std::string>& files) {
  if (const auto* i = std::get_if<int64_t>(&value)) return duckdb::Value::BIGINT(*i);
  if (const auto* d = std::get_if<double>(&value)) return duckdb::Value::DOUBLE(*d);
  if (const auto* s = std::get_if<std::string>(&value)) return duckdb::Value(*s);
  if (const auto* file = std::get_if<LevelFile>(&value)) return duckdb::Value(files.at(file->level));
  if (const auto* scan = std::get_if<TableScan>(&value)) return to_value(*scan, statement.tables);
  const auto& time = std::get<SqlTime>(value);
  return time.zoned ? duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(time.microseconds))
                    : duckdb::Value::TIMESTAMP(duckdb::timestamp_t(time.microseconds));
}

/// The levels of a statement, readable during the lifetime of this object.
class Published {
 public:
  Published(const Statement& statement, std::shared_ptr<DuckDbInstance> in) : instance_(std::move(in)) {
    for (const auto& level : statement.levels) {
      levels_.push_back(std::make_shared<OpenLevel>(level));
      paths_.push_back(instance_->files->publish(levels_.back()));
    }
  }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() {
    for (const auto& path : paths_) instance_->files->withdraw(path);
  }

  /// The file names, which are bound like any value: the text of a user's query is never edited.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Gives each level the scans of the plan that is about to run.
  void plan(const duckdb::PhysicalOperator& root) const {
    const auto level_of = [&](const duckdb::PhysicalOperator& scan) {
      const auto number = number_of(scan);
      return number ? levels_[*number]->level.get() : nullptr;
    };
    for (auto& [scan, forecast] : forecast_scans(root, level_of)) expect_scan(*scan, std::move(forecast));
  }
  /// Requests the first bytes of several levels that are far away at the same time: a join scans one after the other.
  void begin() const {
    std::vector<const AheadSource*> all;
    for (const auto& level : levels_) {
      if (level->ahead && !level->scans.empty()) all.push_back(level->ahead.get());
    }
    if (all.size() < 2) return;
    run_parallel(all.size(), static_cast<int>(all.size()), [&](std::size_t i) { all[i]->begin(); });
  }
  /// The context of an error: the level that its text names, else the only level, else the whole dataset.
  ErrorContext where(const std::string& text) const {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (text.find(paths_[i]) != std::string::npos) return levels_[i]->level->where();
    }
    if (levels_.empty()) return {};
    ErrorContext out = levels_[0]->level->where();
    if (levels_.size() > 1) out.level.reset();
    return out;
  }
  /// True when a level cannot be decoded: checked only after a query failed for no reason of its own.
  bool damaged() const {
    try {
      for (const auto& open : levels_) {
        const LevelTable& level = *open->level;
        for (int g = 0; g < level.num_row_groups(); ++g) {
          for (int c = 0; c < static_cast<int>(level.columns().size()); ++c) level.decode(c, g);
        }
      }
    } catch (const Error&) {
      return true;
    }
    return false;
  }
  const std::vector<std::shared_ptr<OpenLevel>>& levels() const { return levels_; }
  /// A scan of a remote level, and the filters that DuckDB applies while it scans (filters_of()); "" for none.
  struct FilteredScan {
    std::size_t level = 0;
    LevelScan scan;
    std::string filter = {};
    bool is_loose = false;
    ScanForecast forecast = {};
  };
  /// The scans of remote levels in the plan that was given to plan().
  const std::vector<FilteredScan>& filtered_scans() const { return filtered_scans_; }

  /// Makes the reads of these levels throw.
  void stop() const {
    for (const auto& level : levels_) level->is_stopped = true;
  }
  void rethrow() const {
    for (const auto& level : levels_) {
      const std::lock_guard lock(level->mutex);
      if (level->failure) std::rethrow_exception(level->failure);
    }
  }

 private:
  /// The number of the level that an operator scans.
  std::optional<std::size_t> number_of(const duckdb::PhysicalOperator& plan) const {
    if (plan.type != duckdb::PhysicalOperatorType::TABLE_SCAN) return std::nullopt;
    const auto& scan = plan.Cast<duckdb::PhysicalTableScan>();
    if (scan.function.name != "read_parquet") return std::nullopt;
    const auto file = scan.bind_data->Cast<duckdb::MultiFileBindData>().file_list->GetFirstFile().path;
    const auto found = std::ranges::find(paths_, file);
    return found == paths_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - paths_.begin()));
  }
  static bool tests_floats(const duckdb::PhysicalTableScan& scan) {
    if (!scan.table_filters) return false;
    return std::ranges::any_of(scan.table_filters->filters, [&](const auto& filter) {
      const auto column = scan.column_ids[filter.first].GetPrimaryIndex();
      if (column >= scan.returned_types.size()) return false;
      const auto type = scan.returned_types[column].id();
      return type == duckdb::LogicalTypeId::FLOAT || type == duckdb::LogicalTypeId::DOUBLE;
    });
  }
  void expect_scan(const duckdb::PhysicalTableScan& scan, ScanForecast forecast) const {
    const std::size_t number = *number_of(scan);
    OpenLevel& level = *levels_[number];
    if (level.hidden_filters.empty() && tests_floats(scan))
      level.hidden_filters = float_filters(*parse_parquet_footer(level.level->tail(), level.level->where()));
    if (!needs_requests(*level.level->source())) return;
    std::vector<int> filters, others;
    for (duckdb::idx_t i = 0; i < scan.column_ids.size(); ++i) {
      const auto& column = scan.column_ids[i];
      // A scan may read only some fields of a structure; virtual columns such as row numbers come last and are not
      // stored.
      if (column.HasChildren() || column.GetPrimaryIndex() >= level.level->file_columns().size()) continue;
      const bool is_filter = scan.table_filters && scan.table_filters->filters.contains(i);
      (is_filter ? filters : others).push_back(static_cast<int>(column.GetPrimaryIndex()));
    }
    LevelScan expected(*level.level, filters, others);
    bool is_loose = false;
    std::string filter = filters_of(scan, is_loose);
    filtered_scans_.push_back({number, expected, std::move(filter), is_loose, forecast});
    if (std::ranges::find(level.scans, expected) != level.scans.end()) return;
    if (level.ahead) level.ahead->expect(expected, std::move(forecast));
    level.scans.push_back(std::move(expected));
  }

  /// The filters of a scan as SQL. `is_loose` is set where DuckDB applies some of them to the statistics of row groups
  /// only, and to the rows later. Filters that come about while the query runs only spare work, and are left out.
  static std::string filters_of(const duckdb::PhysicalTableScan& scan, bool& is_loose) {
    std::vector<std::string> out;
    if (!scan.table_filters) return {};
    for (const auto& [at, entry] : scan.table_filters->filters) {
      const duckdb::TableFilter* filter = entry.get();
      if (filter->filter_type == duckdb::TableFilterType::OPTIONAL_FILTER) {
        is_loose = true;
        filter = filter->Cast<duckdb::OptionalFilter>().child_filter.get();
      }
      const auto column = scan.column_ids[at].GetPrimaryIndex();
      const bool is_stored = column < scan.returned_types.size();  // others are such as the row number
      if (!is_stored || filter == nullptr || filter->filter_type == duckdb::TableFilterType::DYNAMIC_FILTER) continue;
      const duckdb::BoundReferenceExpression stored(sql_identifier(scan.names[column]), scan.returned_types[column], 0);
      out.push_back("(" + filter->ToExpression(stored)->ToString() + ")");
    }
    return join(out, " AND ");
  }

  std::shared_ptr<DuckDbInstance> instance_;
  std::vector<std::shared_ptr<OpenLevel>> levels_;
  std::vector<std::string> paths_;
  mutable std::vector<FilteredScan> filtered_scans_ = {};
};

/// True for errors that come from the bytes of a level and not from the query. Most say so; DuckDB's Parquet reader
/// also throws plain exceptions, which no query can cause, and internal errors, which may be its own faults.
bool is_damage(const duckdb::ErrorData& error, const std::string& text, const Published& levels) {
  switch (error.Type()) {
    case duckdb::ExceptionType::INVALID:
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::SERIALIZATION: return true;
    case duckdb::ExceptionType::INTERNAL: return levels.damaged();
    case duckdb::ExceptionType::OUT_OF_RANGE:
      // The size of a page that cannot be allocated; other range errors concern the numbers of a query.
      return text.find("next power of 2") != std::string::npos && levels.damaged();
    case duckdb::ExceptionType::CATALOG:
    case duckdb::ExceptionType::BINDER:
    case duckdb::ExceptionType::PARSER: return false;  // about the text of the query, which may mention anything
    default:
      return text.find(kLevelScheme) != std::string::npos || text.find("Parquet") != std::string::npos ||
             text.find("parquet read") != std::string::npos || text.find("bitpacked data") != std::string::npos ||
             text.find("Incorrect stats size") != std::string::npos;
  }
}

[[noreturn]] void throw_query(const duckdb::ErrorData& error, const std::shared_ptr<DuckDbInstance>& in,
                              const Published* levels = nullptr) {
  std::string text = error.RawMessage();
  const ErrorContext where = levels ? levels->where(text) : ErrorContext();
  if (error.Type() == duckdb::ExceptionType::FATAL || error.Type() == duckdb::ExceptionType::INTERNAL) discard(in);
  if (const auto at = text.find(kDamagedData); at != std::string::npos)
    throw FormatError(text.substr(at + std::strlen(kDamagedData)), where);
  const bool damage = levels && !where.path.empty() && is_damage(error, text, *levels);
  // The names of our virtual files mean nothing to users.
  if (const auto at = text.find(kLevelScheme); at != std::string::npos)
    text.replace(at, std::strlen(kLevelScheme) + 32, "the level");
  // Nor does the statement around the user's text, which "LINE n:" quotes, and the column that it does not know.
  text = text.substr(0, text.find("\nLINE "));
  for (const char* hidden : {", \"internal:row\"", "\"internal:row\", "}) {
    if (const auto at = text.find(hidden); at != std::string::npos) text.erase(at, std::strlen(hidden));
  }
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (damage) throw FormatError("Parquet: " + text, where);
  // Values that do not convert may belong to the query or to the data, so the location of the data is added.
  if (error.Type() == duckdb::ExceptionType::CONVERSION) throw QueryError("SQL: " + text, where);
  throw QueryError("SQL: " + text);
}

/// The arrays of a query's result, as a C stream.
struct ResultStream {
  ArrowSchema schema{};
  duckdb::vector<duckdb::unique_ptr<duckdb::ArrowArrayWrapper>> arrays;
  std::size_t next = 0;

  static ResultStream& of(ArrowArrayStream* stream) { return *static_cast<ResultStream*>(stream->private_data); }

  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    ArrowSchema& schema = of(stream).schema;
    if (!schema.release) return EINVAL;  // only one reader can take it
    *out = schema;
    schema.release = nullptr;
    return 0;
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    ResultStream& self = of(stream);
    if (self.next == self.arrays.size()) {
      out->release = nullptr;
      return 0;
    }
    ArrowArray& array = self.arrays[self.next++]->arrow_array;
    *out = array;
    array.release = nullptr;
    return 0;
  }
  static const char* get_last_error(ArrowArrayStream*) { return nullptr; }
  static void release(ArrowArrayStream* stream) {
    ResultStream* self = &of(stream);
    if (self->schema.release) self->schema.release(&self->schema);
    delete self;
    stream->release = nullptr;
  }
};

/// Runs the query on another thread where interruption is possible, so that this thread can check for it.
duckdb::unique_ptr<duckdb::QueryResult> finish(duckdb::Connection& connection, duckdb::PendingQueryResult& pending,
                                               const Published* levels) {
  const Interruption interruption = current_interruption();
  if (!interruption.is_possible()) return pending.Execute();
  duckdb::unique_ptr<duckdb::QueryResult> out;
  bool is_stopped = false;
  const auto watch = [&] {
    if (is_stopped || !interruption.is_wanted()) return;
    is_stopped = true;
    if (levels) levels->stop();
    connection.Interrupt();
  };
  try {
    run_watched([&] { out = pending.Execute(); }, watch);
  } catch (...) {
    if (!is_stopped) throw;
  }
  if (is_stopped) throw QueryError("the call was stopped");
  return out;
}

/// The number of rows in a batch. DuckDB allocates a whole batch, some bytes for each text: a result of a few rows
/// should not cost that of a million, and the texts of a long one should not be moved as they grow.
idx_t batch_rows(duckdb::PreparedStatementData& data) {
  constexpr idx_t kLeast = 1 << 14, kMost = 1 << 20, kBytesOfText = 8;
  const idx_t expected = std::min(data.physical_plan->Root().estimated_cardinality, kMost);
  return std::clamp(std::bit_ceil(expected * kBytesOfText), kLeast, kMost);
}

/// Runs a statement to its end, in parallel, directly into Arrow arrays.
void execute(duckdb::Connection& connection, const std::string& sql, duckdb::vector<duckdb::Value> values,
             const std::shared_ptr<DuckDbInstance>& in, const Published* levels, ArrowArrayStream* out) {
  auto& config = duckdb::ClientConfig::GetConfig(*connection.context);
  config.get_result_collector = [levels](duckdb::ClientContext& context,
                                         duckdb::PreparedStatementData& data) -> duckdb::PhysicalOperator& {
    if (levels) {
      levels->plan(data.physical_plan->Root());
      levels->begin();
    }
    return duckdb::PhysicalArrowCollector::Create(context, data, batch_rows(data));
  };
  const auto pending = connection.PendingQuery(sql, values);
  if (pending->HasError()) throw_query(pending->GetErrorObject(), in, levels);
  const auto result = finish(connection, *pending, levels);
  if (result->HasError()) throw_query(result->GetErrorObject(), in, levels);
  auto stream = std::make_unique<ResultStream>();
  auto options = connection.context->GetClientProperties();
  duckdb::ArrowConverter::ToArrowSchema(&stream->schema, result->types, result->names, options);
  stream->arrays = result->Cast<duckdb::ArrowQueryResult>().ConsumeArrays();
  out->get_schema = ResultStream::get_schema;
  out->get_next = ResultStream::get_next;
  out->get_last_error = ResultStream::get_last_error;
  out->release = ResultStream::release;
  out->private_data = stream.release();
}

duckdb::vector<duckdb::Value> to_values(const Statement& statement, const Published& published) {
  duckdb::vector<duckdb::Value> values;
  for (const auto& value : statement.values) values.push_back(to_value(value, statement, published.paths()));
  return values;
}

/// DuckDB throws as well as returning errors.
template <class Body>
void guarded(const std::shared_ptr<DuckDbInstance>& in, const Published* levels, const Body& body) {
  try {
    body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw_query(duckdb::ErrorData(error), in, levels);
  }
}

void run_published(const Statement& statement, const Published& published, const std::shared_ptr<DuckDbInstance>& in,
                   ArrowArrayStream* out) {
  log::debug("SQL: " + statement.sql);
  guarded(in, &published, [&] {
    Connection connection(*in);
    try {
      execute(connection, statement.sql, to_values(statement, published), in, &published, out);
      log_remarks(connection);
    } catch (...) {
      published.rethrow();
      throw;
    }
  });
}

}  // namespace

void run(const Statement& statement, ArrowArrayStream* out) {
  const auto in = instance_for(statement);
  const Published published(statement, in);
  run_published(statement, published, in, out);
}

namespace {

/// The row groups of a level, by number, that a scan with this filter looks at, and those that have rows which pass.
struct FilteredGroups {
  std::set<int> seen = {}, passed = {};
};

FilteredGroups filtered_groups(const std::shared_ptr<const LevelTable>& level, const std::string& filter) {
  std::vector<int64_t> ends;
  for (int group = 1; group <= level->num_row_groups(); ++group) ends.push_back(level->group_begin(group));
  if (ends.empty()) return {};
  // The first and the last row of blocks that lie in at most two row groups: there may be a billion rows that pass.
  int64_t block = ends.front();
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) block = std::min(block, ends[i] - ends[i - 1]);
  const std::string row = "file_row_number";
  const Statement statement{.sql = "SELECT min(" + row + "), max(" + row +
                                   ") FROM read_parquet($1, can_have_nan = true, " + row + " = true) WHERE " + filter +
                                   " GROUP BY " + row + " // " + std::to_string(std::max<int64_t>(1, block)),
                            .values = {LevelFile{0}},
                            .levels = {level}};
  const auto in = instance_for(statement);
  const Published published(statement, in);
  ArrowArrayStream stream = {};
  run_published(statement, published, in, &stream);
  const auto found = table_rows(import_table(&stream));
  FilteredGroups out;
  for (int64_t i = 0; i < found->num_rows(); ++i) {
    for (const int column : {0, 1}) {
      const auto group = std::ranges::upper_bound(ends, found->integer(column, i).value_or(0));
      if (group != ends.end()) out.passed.insert(static_cast<int>(group - ends.begin()));
    }
  }
  out.seen = published.levels()[0]->groups_read;
  out.seen.insert(out.passed.begin(), out.passed.end());
  return out;
}

}  // namespace

ReadCost cost_of(const Statement& statement) {
  const auto in = instance_for(statement);
  const Published published(statement, in);
  guarded(in, &published, [&] {
    Connection connection(*in);
    auto& config = duckdb::ClientConfig::GetConfig(*connection.context);
    config.get_result_collector = [&](duckdb::ClientContext& context,
                                      duckdb::PreparedStatementData& data) -> duckdb::PhysicalOperator& {
      published.plan(data.physical_plan->Root());
      return duckdb::PhysicalArrowCollector::Create(context, data, batch_rows(data));
    };
    auto values = to_values(statement, published);
    const auto pending = connection.PendingQuery(statement.sql, values);
    if (pending->HasError()) throw_query(pending->GetErrorObject(), in, &published);
    // It is run to its end, as in describe(), but no level can be read any more.
    published.stop();
    pending->Execute();
  });
  ReadCost out;
  std::map<std::size_t, AheadPlan> far;  // of levels that are far away
  for (const auto& one : published.filtered_scans()) {
    const ByteSource& source = *statement.levels[one.level]->source();
    if (source.bytes_of_round_trip() > 0)
      far.try_emplace(one.level, source).first->second.expect(one.scan, one.forecast);
  }
  for (const auto& [number, scan, filter, is_loose, forecast] : published.filtered_scans()) {
    const auto& level = statement.levels[number];
    FilteredGroups groups;
    if (filter.empty()) {
      for (int group = 0; group < scan.num_groups(); ++group) groups.passed.insert(group);
      groups.seen = groups.passed;
    } else {
      groups = filtered_groups(level, filter);
      if (is_loose) groups.passed = groups.seen;
    }
    const auto plan = far.find(number);
    const auto add = [&](int group, int step) {
      auto ranges = scan.ranges_of({group, step});
      if (plan != far.end()) ranges = plan->second.request_missing(ranges);
      out += level->source()->cost_of(ranges);
    };
    for (int group = 0; group < scan.num_groups(); ++group) {
      if (groups.seen.contains(group)) add(group, 0);
      if (groups.passed.contains(group)) add(group, 1);
    }
  }
  return out;
}

std::vector<std::string> describe(const Statement& statement, ArrowSchema* out) {
  std::vector<std::string> sql_types;
  const auto in = instance_for(statement);
  const Published published(statement, in);
  guarded(in, &published, [&] {
    Connection connection(*in);
    auto values = to_values(statement, published);
    // It is run to its end, which reads nothing: DuckDB frees the plan of an unfinished query without destroying it.
    const auto pending = connection.PendingQuery("SELECT * FROM (\n" + statement.sql + "\n) LIMIT 0", values);
    const auto result = pending->HasError() ? nullptr : pending->Execute();
    if (!result || result->HasError()) {
      published.rethrow();
      throw_query(result ? result->GetErrorObject() : pending->GetErrorObject(), in, &published);
    }
    auto options = connection.context->GetClientProperties();
    duckdb::ArrowConverter::ToArrowSchema(out, pending->types, pending->names, options);
    for (const auto& type : pending->types) sql_types.push_back(type.ToString());
  });
  return sql_types;
}

namespace {

/// The input stream of run_over(), given to DuckDB when it scans.
duckdb::unique_ptr<duckdb::ArrowArrayStreamWrapper> give_stream(uintptr_t factory, duckdb::ArrowStreamParameters&) {
  auto* stream = reinterpret_cast<ArrowArrayStream*>(factory);
  auto out = duckdb::make_uniq<duckdb::ArrowArrayStreamWrapper>();
  out->arrow_array_stream = *stream;
  out->number_of_rows = -1;
  stream->release = nullptr;
  return out;
}

void give_schema(ArrowArrayStream* stream, ArrowSchema& out) { stream->get_schema(stream, &out); }

}  // namespace

void run_over(ArrowArrayStream* in_stream, const std::string& sql, ArrowArrayStream* out) {
  const auto in = duckdb_instance(false);
  log::debug("SQL: " + sql);
  guarded(in, nullptr, [&] {
    Connection connection(*in);
    duckdb::vector<duckdb::Value> values{duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(in_stream)),
                                         duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&give_stream)),
                                         duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&give_schema))};
    // The scan reads the whole stream, without pushing columns or filters into the producer.
    execute(connection, "WITH frame AS NOT MATERIALIZED (SELECT * FROM arrow_scan_dumb($1, $2, $3)) " + sql,
            std::move(values), in, nullptr, out);
  });
}

}  // namespace tacore
