#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/ops/validate.hpp"

namespace tacore::validator {

/// A rule of docs/rules.md. Its issues say what breaks it.
struct Rule {
  std::string_view id;
  std::string_view section;  ///< of the specification of November 2025, or the version of an earlier one
  Severity severity;
  std::string_view sentence;
};

/// All rules, by family and number.
std::span<const Rule> rules() noexcept;

/// Collects issues. Only the first kMostOfOne of each rule are kept, so that a million wrong rows take one page;
/// finish() adds an issue with the number of further ones.
class Report {
 public:
  static constexpr std::size_t kMostOfOne = 20;

  /// Adds an issue; `rule` is the id of a rule.
  void add(std::string_view rule, const std::string& message, const ErrorContext& where,
           std::vector<FaultySample> samples = {});
  /// Adds a caught error as an issue; the error's own context takes precedence over `where`.
  void add(std::string_view rule, const Error& error, const ErrorContext& where);
  /// Adds the issues of another report, after these.
  void add(Report&& other);
  /// Counts `num_more` issues of a rule that are not told one by one, of these samples.
  void add_more(std::string_view rule, std::size_t num_more, const ErrorContext& where,
                const std::vector<FaultySample>& samples = {});
  bool has_errors() const noexcept { return num_errors_ > 0; }
  std::vector<Issue> finish();

 private:
  /// Issues that are not told one by one.
  struct Further {
    std::size_t count = 0;
    std::vector<FaultySample> samples = {};
  };
  struct Count {
    std::size_t told = 0;
    std::map<std::string, Further> further = {};  ///< by path where samples are known, else together
    std::string path = {};                        ///< of the last one
  };
  void add_further(Count& count, std::size_t num_more, const ErrorContext& where,
                   const std::vector<FaultySample>& samples);
  std::vector<Issue> issues_;
  std::map<std::string, Count, std::less<>> counts_;
  std::size_t num_errors_ = 0;
};

/// The text of an error without the location, which its context repeats.
std::string message_of(const Error& error);

/// A checksum in hexadecimal, as other tools print it.
std::string hex(uint32_t crc);
/// A number, or "null".
std::string number_or_null(std::optional<int64_t> number);
/// "1 row" or "3 rows", for messages.
std::string counted(uint64_t count, std::string_view noun);

}  // namespace tacore::validator
