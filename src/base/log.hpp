#pragma once

#include <string>
#include <string_view>

#include "tacore/verbose.hpp"

/// Messages of the library. Build an expensive one only where `log_level()` lets it through.
namespace tacore::log {

void debug(std::string_view message);
void info(std::string_view message);
void warning(std::string_view message);

/// While it lives, the messages of this thread begin with `path`, unless they do already: for work on many datasets, as
/// one alone needs no name. The innermost of several counts.
class Subject {
 public:
  explicit Subject(std::string path);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

 private:
  std::string outer_;
};

}  // namespace tacore::log
