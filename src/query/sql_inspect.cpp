#include "query/sql_inspect.hpp"

#include <algorithm>
#include <cctype>
#include <duckdb.hpp>
#include <duckdb/parser/expression/list.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/query_node/list.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/list.hpp>
#include <map>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "table/rows.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Walks a parsed query and refuses everything that does not read tables.
class Inspector {
 public:
  /// `whole`: the query of which the others are parts.
  explicit Inspector(const duckdb::QueryNode* whole = nullptr) : whole_(whole) {}

  void node(duckdb::QueryNode& node) {
    form(node);
    for (const auto& entry : node.cte_map.map) this->node(*entry.second->query->node);
    duckdb::ParsedExpressionIterator::EnumerateQueryNodeChildren(
        node, [this](duckdb::unique_ptr<duckdb::ParsedExpression>& e) { expression(*e); },
        [this](duckdb::TableRef& r) { reference(r); });
  }

  void expression(duckdb::ParsedExpression& e) {
    switch (e.GetExpressionClass()) {
      case duckdb::ExpressionClass::PARAMETER: throw QueryError("SQL: parameters ($1, ?) are not supported");
      case duckdb::ExpressionClass::SUBQUERY:
        subquery = reorders = true;  // IN and EXISTS are joins
        node(*e.Cast<duckdb::SubqueryExpression>().subquery->node);
        break;
      case duckdb::ExpressionClass::FUNCTION: {
        const std::string name = lower(e.Cast<duckdb::FunctionExpression>().function_name);
        many = many || name == "unnest" || name == "unlist";
        if (changes(name) || takes_as_they_come(name)) draw(name + "()");
        for (const char* refused :
             {"getenv", "current_setting", "getvariable", "current_query", "nextval", "currval", "write_log"}) {
          if (name == refused) throw QueryError("SQL: function " + in_quotes(name) + " is not available");
        }
        break;
      }
      case duckdb::ExpressionClass::STAR:
        many = true;
        renames = renames || e.Cast<duckdb::StarExpression>().columns;
        break;
      case duckdb::ExpressionClass::COLUMN_REF: {
        const auto& parts = e.Cast<duckdb::ColumnRefExpression>().column_names;
        if (parts.size() != 1) break;
        words.insert(lower(parts[0]));
        // current_date and similar names are functions without brackets.
        if (changes_unbracketed(lower(parts[0]))) draw(lower(parts[0]));
        break;
      }
      case duckdb::ExpressionClass::POSITIONAL_REFERENCE: renames = true; break;
      case duckdb::ExpressionClass::OPERATOR:  // a list of values is joined
        reorders =
            reorders ||
            ((e.type == duckdb::ExpressionType::COMPARE_IN || e.type == duckdb::ExpressionType::COMPARE_NOT_IN) &&
             e.Cast<duckdb::OperatorExpression>().children.size() > 2);
        break;
      case duckdb::ExpressionClass::WINDOW: window(e.Cast<duckdb::WindowExpression>()); break;
      default: break;
    }
    duckdb::ParsedExpressionIterator::EnumerateChildren(e, [this](duckdb::ParsedExpression& child) {
      renames = renames || child.GetExpressionClass() == duckdb::ExpressionClass::STAR;
      expression(child);
    });
  }

  /// See Select::shows_unnamed. A name of a table, alone, is its whole row.
  bool shows_unnamed() const {
    return renames || (renames_star && many) ||
           std::ranges::any_of(words, [&](const std::string& word) { return rows.contains(word); });
  }

  std::set<std::string> tables;
  std::map<std::string, int> num_references;  ///< by table
  bool subquery = false;
  bool many = false;          ///< an expression that may expand to several columns or rows
  bool draws = false;         ///< see Select::draws
  std::string drawn_by = {};  ///< see Select::drawn_by
  bool reorders = false;      ///< see Select::reorders

 private:
  /// OVER () keeps the order of the rows. With PARTITION BY or ORDER BY, equal rows come in any order; only rank() and
  /// its like have one value for all equal rows.
  void window(const duckdb::WindowExpression& e) {
    if (e.orders.empty() && e.partitions.empty()) return;
    reorders = true;
    const bool is_rank =
        e.type == duckdb::ExpressionType::WINDOW_RANK || e.type == duckdb::ExpressionType::WINDOW_RANK_DENSE ||
        e.type == duckdb::ExpressionType::WINDOW_PERCENT_RANK || e.type == duckdb::ExpressionType::WINDOW_CUME_DIST;
    const bool is_of_all = e.type == duckdb::ExpressionType::WINDOW_AGGREGATE && e.orders.empty();
    if (!(is_rank || is_of_all) || takes_as_they_come(lower(e.function_name))) draw(lower(e.function_name) + "() OVER");
  }

  void draw(const std::string& by) {
    draws = true;
    if (drawn_by.empty()) drawn_by = by;
  }

  /// Looks at the clauses of a query, and of the parts of a UNION, of WITH and of subqueries in FROM, which
  /// EnumerateQueryNodeChildren() does not hand over.
  void form(const duckdb::QueryNode& node) {
    for (const auto& modifier : node.modifiers) {
      const bool is_distinct = modifier->type == duckdb::ResultModifierType::DISTINCT_MODIFIER;
      const bool is_limit = modifier->type == duckdb::ResultModifierType::LIMIT_MODIFIER ||
                            modifier->type == duckdb::ResultModifierType::LIMIT_PERCENT_MODIFIER;
      draws = draws || is_limit;  // of the whole query: a choice among equal rows only where reorders
      if (is_limit && &node != whole_) draw("LIMIT in a subquery");
      if (is_distinct && !modifier->Cast<duckdb::DistinctModifier>().distinct_on_targets.empty()) draw("DISTINCT ON");
      reorders = reorders || is_distinct || modifier->type == duckdb::ResultModifierType::ORDER_MODIFIER;
    }
    for (const auto& entry : node.cte_map.map) {
      renames_star = renames_star || !entry.second->aliases.empty();
      form(*entry.second->query->node);
    }
    const auto both = [&](const auto& parts) {
      renames_star = true;  // the first part names the columns of both
      form(*parts.left);
      form(*parts.right);
    };
    switch (node.type) {
      case duckdb::QueryNodeType::SELECT_NODE: {
        const auto& select = node.Cast<duckdb::SelectNode>();
        if (select.sample) draw("a sample");
        reorders = reorders || !select.groups.group_expressions.empty();
        break;
      }
      case duckdb::QueryNodeType::SET_OPERATION_NODE: {
        const auto& parts = node.Cast<duckdb::SetOperationNode>();
        reorders = reorders || parts.setop_type != duckdb::SetOperationType::UNION || !parts.setop_all;
        both(parts);
        break;
      }
      case duckdb::QueryNodeType::RECURSIVE_CTE_NODE:
        reorders = true;
        both(node.Cast<duckdb::RecursiveCTENode>());
        break;
      case duckdb::QueryNodeType::CTE_NODE: {
        const auto& with = node.Cast<duckdb::CTENode>();
        renames_star = renames_star || !with.aliases.empty();
        form(*with.query);
        form(*with.child);
        break;
      }
      case duckdb::QueryNodeType::BOUND_SUBQUERY_NODE: break;  // not of a parser
    }
  }

  const duckdb::QueryNode* whole_;
  bool renames = false;  ///< shows columns of a table under other names, or without one
  bool renames_star =
      false;  ///< gives the columns of a query other names: those that its text does not have come by a *
  std::set<std::string> words;  ///< names without a table before them
  std::set<std::string> rows;   ///< names of tables, of subqueries and of WITH, in FROM

  /// True for functions that DuckDB calls volatile, or constant only within one query.
  static bool changes(const std::string& name) {
    static const std::set<std::string> kNames{"random",
                                              "setseed",
                                              "uuid",
                                              "uuidv4",
                                              "uuidv7",
                                              "gen_random_uuid",
                                              "reservoir_quantile",
                                              "now",
                                              "today",
                                              "age",
                                              "get_current_timestamp",
                                              "get_current_time",
                                              "transaction_timestamp",
                                              "txid_current"};
    return kNames.contains(name) || changes_unbracketed(name);
  }
  /// True for aggregates whose value depends on the order of the rows, which is that in which threads read them.
  static bool takes_as_they_come(const std::string& name) {
    static const std::set<std::string> kNames{
        "any_value",    "approx_quantile", "approx_top_k", "arbitrary", "arg_max", "arg_max_null", "arg_min",
        "arg_min_null", "argmax",          "argmin",       "array_agg", "first",   "group_concat", "last",
        "list",         "listagg",         "max_by",       "min_by",    "mode",    "string_agg"};
    return kNames.contains(name);
  }
  static bool changes_unbracketed(const std::string& name) {
    return name.starts_with("current_") || name == "localtime" || name == "localtimestamp";
  }

  void reference(duckdb::TableRef& ref) {
    if (ref.sample) draw("a sample");
    const bool is_pivot = ref.type == duckdb::TableReferenceType::PIVOT;
    const bool has_names = !ref.column_name_alias.empty();
    renames = renames || is_pivot || (has_names && ref.type == duckdb::TableReferenceType::BASE_TABLE);
    renames_star = renames_star || has_names;
    reorders = reorders || is_pivot || ref.type == duckdb::TableReferenceType::JOIN;
    rows.insert(lower(ref.alias));
    // Its expressions and tables are visited as those of the query around it.
    if (ref.type == duckdb::TableReferenceType::SUBQUERY) form(*ref.Cast<duckdb::SubqueryRef>().subquery->node);
    if (ref.type == duckdb::TableReferenceType::SHOW_REF) {
      throw QueryError("SQL: SHOW, DESCRIBE and SUMMARIZE are not available; one SELECT expected");
    }
    if (ref.type == duckdb::TableReferenceType::BASE_TABLE) {
      auto& table = ref.Cast<duckdb::BaseTableRef>();
      if (!table.schema_name.empty() || !table.catalog_name.empty()) {
        throw QueryError("SQL: table " + in_quotes(table.schema_name + "." + table.table_name) +
                         " is not available; data, level0, level1, ..., l0, l1, ... are");
      }
      const std::string name = lower(table.table_name);
      // DuckDB's own views are visible in every schema. They expose settings and the statement around this one.
      for (const char* catalog : {"duckdb_", "pg_", "sqlite_", "pragma_"}) {
        if (name.starts_with(catalog)) {
          throw QueryError("SQL: table " + in_quotes(name) +
                           " is not available; data, level0, level1, ..., l0, l1, ... are");
        }
      }
      tables.insert(name);
      rows.insert(name);
      reorders = reorders || is_joined_level(name);
      ++num_references[name];
    }
    if (ref.type == duckdb::TableReferenceType::TABLE_FUNCTION) {
      const auto& function = *ref.Cast<duckdb::TableFunctionRef>().function;
      const std::string name = function.GetExpressionClass() == duckdb::ExpressionClass::FUNCTION
                                   ? lower(function.Cast<duckdb::FunctionExpression>().function_name)
                                   : function.ToString();
      if (name != "range" && name != "generate_series" && name != "unnest") {
        throw QueryError("SQL: table function " + in_quotes(name) + " is not available: no files, network or settings");
      }
    }
  }
};

/// The text without a final semicolon, so that it can stand in brackets.
std::string without_semicolon(const std::string& sql) {
  const auto tokens = duckdb::Parser::Tokenize(sql);
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (token->type == duckdb::SimplifiedTokenType::SIMPLIFIED_TOKEN_COMMENT) continue;
    if (sql[token->start] == ';') return without_semicolon(sql.substr(0, token->start));
    break;
  }
  return sql;
}

/// True for `SELECT * FROM data`, whatever follows: no other table, no list of columns, no WITH table called data.
bool is_star_of_data(const duckdb::QueryNode& node) {
  if (node.type != duckdb::QueryNodeType::SELECT_NODE || !node.cte_map.map.empty()) return false;
  const auto& select = node.Cast<duckdb::SelectNode>();
  if (select.select_list.size() != 1 || select.select_list[0]->GetExpressionClass() != duckdb::ExpressionClass::STAR)
    return false;
  const auto& star = select.select_list[0]->Cast<duckdb::StarExpression>();
  if (star.columns || star.expr || !star.exclude_list.empty() || !star.replace_list.empty() ||
      !star.rename_list.empty())
    return false;
  if (!select.from_table || select.from_table->type != duckdb::TableReferenceType::BASE_TABLE) return false;
  const auto& table = select.from_table->Cast<duckdb::BaseTableRef>();
  return lower(table.table_name) == "data" && table.column_name_alias.empty();
}

/// True for the column `id` by itself: `data.id` might be a field of a column `data`.
bool is_id(const duckdb::ParsedExpression& e) {
  if (e.GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) return false;
  const auto& parts = e.Cast<duckdb::ColumnRefExpression>().column_names;
  return parts.size() == 1 && lower(parts[0]) == names::kId;
}

/// True for a query with an ORDER BY of which one key is the column `id`.
bool has_order_by_id(const duckdb::QueryNode& node) {
  return std::ranges::any_of(node.modifiers, [](const auto& modifier) {
    if (modifier->type != duckdb::ResultModifierType::ORDER_MODIFIER) return false;
    const auto& orders = modifier->template Cast<duckdb::OrderModifier>().orders;
    return std::ranges::any_of(orders, [](const auto& order) { return is_id(*order.expression); });
  });
}

/// The text constants that an expression lets the column `id` have; nullopt where it says nothing of it.
std::optional<std::vector<std::string>> ids_of(const duckdb::ParsedExpression& e) {
  const auto text_of = [](const duckdb::ParsedExpression& x) -> std::optional<std::string> {
    if (x.GetExpressionClass() != duckdb::ExpressionClass::CONSTANT) return std::nullopt;
    const auto& value = x.Cast<duckdb::ConstantExpression>().value;
    if (value.IsNull() || value.type().id() != duckdb::LogicalTypeId::VARCHAR) return std::nullopt;
    return duckdb::StringValue::Get(value);
  };
  std::vector<std::string> out;
  switch (e.GetExpressionType()) {
    case duckdb::ExpressionType::COMPARE_EQUAL: {
      const auto& equal = e.Cast<duckdb::ComparisonExpression>();
      auto text = is_id(*equal.left)    ? text_of(*equal.right)
                  : is_id(*equal.right) ? text_of(*equal.left)
                                        : std::nullopt;
      if (!text) return std::nullopt;
      out.push_back(std::move(*text));
      return out;
    }
    case duckdb::ExpressionType::COMPARE_IN: {
      const auto& operands = e.Cast<duckdb::OperatorExpression>().children;
      if (!is_id(*operands[0])) return std::nullopt;
      for (std::size_t i = 1; i < operands.size(); ++i) {
        auto text = text_of(*operands[i]);
        if (!text) return std::nullopt;
        out.push_back(std::move(*text));
      }
      return out;
    }
    case duckdb::ExpressionType::CONJUNCTION_AND:
      for (const auto& one : e.Cast<duckdb::ConjunctionExpression>().children) {
        if (auto ids = ids_of(*one)) return ids;
      }
      return std::nullopt;
    case duckdb::ExpressionType::CONJUNCTION_OR:
      for (const auto& one : e.Cast<duckdb::ConjunctionExpression>().children) {
        const auto ids = ids_of(*one);
        if (!ids) return std::nullopt;
        out.insert(out.end(), ids->begin(), ids->end());
      }
      return out;
    default: return std::nullopt;
  }
}

/// The ids of the only rows of `data` that a query reads, where its condition lists them; else empty.
std::vector<std::string> ids_of(const duckdb::QueryNode& node) {
  if (node.type != duckdb::QueryNodeType::SELECT_NODE || !node.cte_map.map.empty()) return {};
  const auto& select = node.Cast<duckdb::SelectNode>();
  if (!select.from_table || select.from_table->type != duckdb::TableReferenceType::BASE_TABLE || !select.where_clause)
    return {};
  const auto& table = select.from_table->Cast<duckdb::BaseTableRef>();
  if (lower(table.table_name) != "data" || !table.column_name_alias.empty() || table.sample || select.sample) return {};
  return ids_of(*select.where_clause).value_or(std::vector<std::string>());
}

/// True when the text names the column that leads rows to their location: in quotes, as a colon requires in SQL.
bool names_key(const std::string& sql) {
  const std::string key = "\"" + std::string(kRowKeyColumn) + "\"";
  const auto tokens = duckdb::Parser::Tokenize(sql);
  return std::any_of(tokens.begin(), tokens.end(), [&](const duckdb::SimplifiedToken& token) {
    return token.type == duckdb::SimplifiedTokenType::SIMPLIFIED_TOKEN_IDENTIFIER &&
           lower(sql.substr(token.start, key.size())) == key;
  });
}

/// The names that the select list itself gives to `internal:` columns, without those that a * includes.
std::set<std::string> named_internal(const duckdb::QueryNode& node) {
  if (node.type == duckdb::QueryNodeType::CTE_NODE) return named_internal(*node.Cast<duckdb::CTENode>().child);
  std::set<std::string> out;
  for (const auto& expression : node.GetSelectList()) {
    const std::string name = expression->GetName();
    const bool star = expression->GetExpressionClass() == duckdb::ExpressionClass::STAR;
    if (!star && names::is_internal(name)) out.insert(name);
  }
  return out;
}

/// The names such as stac:crs that stand in the text without quotes.
std::vector<std::string> names_with_colon(std::string_view sql) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto is_name = [&](char c) { return is_word(c) && std::isdigit(static_cast<unsigned char>(c)) == 0; };
  const auto end_of_word = [&](std::size_t at) {
    while (at < sql.size() && is_word(sql[at])) ++at;
    return at;
  };
  std::vector<std::string> out;
  for (std::size_t at = 0; at < sql.size();) {
    if (sql[at] == '\'' || sql[at] == '"') {
      const auto end = sql.find(sql[at], at + 1);
      at = end == sql.npos ? sql.size() : end + 1;
    } else if (!is_word(sql[at])) {
      ++at;
    } else {
      const std::size_t colon = end_of_word(at), next = colon + 1;
      const bool is_pair = next < sql.size() && sql[colon] == ':' && is_name(sql[at]) && is_name(sql[next]);
      const std::size_t end = is_pair ? end_of_word(next) : colon;
      if (is_pair) out.emplace_back(sql.substr(at, end - at));
      at = end;
    }
  }
  return out;
}

/// Whether an unquoted or double-quoted name stands behind = or another sign of comparison: `split = train`.
bool is_compared(std::string_view sql, const std::string& name) {
  for (auto at = sql.find(name); at != sql.npos; at = sql.find(name, at + 1)) {
    auto before = sql.substr(0, at);
    if (before.ends_with('"')) before.remove_suffix(1);
    before = before.substr(0, before.find_last_not_of(" \t\n") + 1);
    if (!before.empty() && (before.back() == '=' || before.back() == '<' || before.back() == '>')) return true;
  }
  return false;
}

std::string with_more(std::string message, const std::string& hint) {
  if (message.ends_with('!')) message.pop_back();
  return message + "; " + hint;
}

}  // namespace

std::string with_hint(const std::string& message, std::string_view sql) {
  const auto guess = message.find(" Did you mean ");  // a table of DuckDB, which no query can read
  constexpr std::string_view kTable = "SQL: Table with name ";
  if (guess != message.npos && message.starts_with(kTable)) {
    std::vector<std::string> tables{"data"};
    for (int level = 0; level <= names::kMaxLevel; ++level) tables.push_back("level" + std::to_string(level));
    const std::string name = message.substr(kTable.size(), message.find(' ', kTable.size()) - kTable.size());
    const std::string nearest_table = nearest(lower(name), tables);
    return message.substr(0, guess) + (nearest_table.empty() ? "" : " Did you mean " + nearest_table + "?") +
           " The tables are data, level0, level1, ..., l0, l1, ...";
  }
  // Columns that only navigation uses are no candidates.
  constexpr std::string_view kCandidates = " Candidate bindings: ", kColumn = "SQL: Referenced column \"";
  std::string said = message;
  std::vector<std::string> kept;
  if (const auto list = message.find(kCandidates); list != message.npos) {
    for (const auto& name : split(message.substr(list + kCandidates.size()), ',')) {
      const std::string one = name.substr(std::min(name.find('"'), name.size()));
      if (!one.empty() && !one.starts_with("\"internal:")) kept.push_back(one);
    }
    said = message.substr(0, list) + (kept.empty() ? "" : std::string(kCandidates) + join(kept, ", "));
  }
  if (message.starts_with(kColumn)) {
    const std::string name = message.substr(kColumn.size(), message.find('"', kColumn.size()) - kColumn.size());
    const bool is_text = is_compared(sql, name) && nearest('"' + name + '"', kept).empty();
    if (is_text) return with_more(said, "a text needs single quotes: " + sql_literal(name));
  }
  const bool is_syntax = message.find("at or near \":\"") != message.npos;
  for (const auto& name : names_with_colon(sql)) {
    const bool is_unknown =
        message.find("column " + sql_identifier(name.substr(name.find(':') + 1)) + " not found") != message.npos;
    if (is_syntax || is_unknown) return with_more(said, "a name with a colon needs quotes: " + sql_identifier(name));
  }
  return said;
}

bool is_joined_level(std::string_view table) {
  return table.size() == 2 && table[0] == 'l' && std::isdigit(static_cast<unsigned char>(table[1])) != 0;
}

std::set<int> levels_read(const Select& select) {
  std::set<int> out;
  for (int level = 0; level <= names::kMaxLevel; ++level) {
    const std::string number = std::to_string(level);
    if (select.tables.contains("level" + number)) out.insert(level);
    if (!select.tables.contains("l" + number)) continue;
    for (int above = 0; above <= level; ++above) out.insert(above);
  }
  return out;
}

Select inspect_select(std::string_view sql) {
  Inspector inspector;
  std::string text;
  bool keeps_columns = false, orders_by_id = false;
  std::set<std::string> internal;
  std::vector<std::string> ids;
  try {
    duckdb::Parser parser;
    text = without_semicolon(std::string(sql));
    if (names_key(text)) {
      throw QueryError("SQL: column 'internal:row' is not available");
    }
    parser.ParseQuery(text);
    if (parser.statements.size() != 1) {
      throw QueryError("SQL: " + std::to_string(parser.statements.size()) + " statements; one SELECT expected");
    }
    auto& statement = *parser.statements[0];
    if (statement.type != duckdb::StatementType::SELECT_STATEMENT) {
      throw QueryError("SQL: " + duckdb::StatementTypeToString(statement.type) + " statement; one SELECT expected");
    }
    auto& node = *statement.Cast<duckdb::SelectStatement>().node;
    inspector = Inspector(&node);
    inspector.node(node);
    keeps_columns = is_star_of_data(node);
    orders_by_id = keeps_columns && has_order_by_id(node);
    internal = named_internal(node);
    if (inspector.tables.size() == 1 && inspector.num_references["data"] == 1) ids = ids_of(node);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw QueryError(with_hint("SQL: " + duckdb::ErrorData(error).RawMessage(), sql));
  }
  return {.text = std::move(text),
          .tables = std::move(inspector.tables),
          .internal = std::move(internal),
          .keeps_columns = keeps_columns,
          .repeats_data = inspector.num_references["data"] > 1,
          .shows_unnamed = inspector.shows_unnamed(),
          .draws = inspector.draws,
          .drawn_by = std::move(inspector.drawn_by),
          .reorders = inspector.reorders,
          .orders_by_id = orders_by_id,
          .ids = std::move(ids)};
}

void inspect_expression(std::string_view sql) {
  Inspector inspector;
  try {
    auto list = duckdb::Parser::ParseExpressionList(std::string(sql));
    if (list.size() != 1) throw QueryError("SQL: one expression expected");
    inspector.expression(*list[0]);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw QueryError(with_hint("SQL: " + duckdb::ErrorData(error).RawMessage(), sql));
  }
  if (inspector.subquery) throw QueryError("SQL: a subquery is not available in an expression over a frame");
  if (inspector.many)
    throw QueryError("SQL: *, COLUMNS and unnest are not available in an expression; one value for each row expected");
}

}  // namespace tacore
