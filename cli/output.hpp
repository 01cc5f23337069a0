#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tacore/write/tabular.hpp>

#include "commands.hpp"

/// Where data and messages go.
namespace tacore::cli {

/// Nobody reads standard output any more, as in `taco query ... | head`: a reason to end, not to complain.
struct BrokenPipe {};

/// Calls `produce` with the place that `to` names. A file appears whole or not at all; pipes and devices are
/// written as they are. Throws ValidationError for one of the files that are read, `inputs`, or a place in one (see
/// apart.hpp); IoError when it cannot be written, or exists and may not be replaced; BrokenPipe.
void with_output(const Destination& to, const std::vector<std::string>& inputs,
                 const std::function<void(tabular::Output&)>& produce);

/// True for the name of an HTML page.
bool is_html(std::string_view file);

/// `text` to standard output. Throws as with_output.
void print(std::string_view text);

enum class Colour { None, Red, Yellow, Green, Bold };
/// `text` in a colour when `descriptor` is a terminal, unless the environment variable NO_COLOR is set or TERM is dumb.
std::string coloured(Colour colour, const std::string& text, int descriptor);

/// `taco: message` to standard error, as one line; on a terminal `taco` in a colour.
void complain(std::string_view message, Colour colour = Colour::None);

bool is_terminal_output() noexcept;
bool is_terminal_error() noexcept;

/// Throws UsageError when `to` is standard output and that a terminal, which bytes that are no text would disturb.
void refuse_terminal(const Destination& to);

/// First of all: a descriptor 0, 1 or 2 that the caller closed would be that of the next file opened, which then
/// receives our messages; it becomes /dev/null. And a broken pipe becomes an error.
void guard_standard_streams() noexcept;

}  // namespace tacore::cli
