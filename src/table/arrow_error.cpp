#include "table/arrow_error.hpp"

namespace tacore {

void throw_arrow(const arrow::Status& status, const ErrorContext& where) {
  const std::string& text = status.message();
  throw FormatError("Parquet: " + text.substr(0, text.find('\n')), where);
}

}  // namespace tacore
