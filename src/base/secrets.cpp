#include "tacore/plumbing/secrets.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/text.hpp"

namespace tacore {
namespace {

constexpr std::string_view kHidden = "***";
/// The characters that end a URL in a sentence; inside of a URL they are percent-encoded.
constexpr std::string_view kEnds = " \t\r\n\"'<>";

/// True for a parameter of a URL whose value gives access. In doubt it is hidden: its name stays visible.
bool is_secret(std::string_view parameter) {
  const std::string name = lower(parameter);
  for (const std::string_view whole : {"sig", "key", "auth", "code", "pwd"}) {
    if (name == whole) return true;
  }
  for (const std::string_view part : {"signature", "token", "secret", "passw", "userpwd", "credential", "authorization",
                                      "apikey", "api_key", "api-key", "subscription-key", "cookie"}) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(at < text.size() ? text[at] : 'x');
    return std::isxdigit(c) == 0 ? -1 : std::isdigit(c) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = digit(i + 1), low = digit(i + 2);
    if (text[i] == '%' && high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// "://user:password@" as "://***@". A user alone may be a token.
std::string without_users(std::string_view text) {
  std::string out;
  for (;;) {
    const auto begin = text.find("://");
    if (begin == text.npos) return out.append(text);
    out.append(text.substr(0, begin + 3));
    text.remove_prefix(begin + 3);
    // Everything before the slash: unencoded passwords contain characters that a URL must not.
    const auto user = text.substr(0, text.find_first_of("/\n")).rfind('@');
    if (user == text.npos) continue;
    out += kHidden;
    text.remove_prefix(user);
  }
}

/// "?a=1&sig=2" as "?a=1&sig=***". A value that is a URL with a secret is shown decoded.
std::string without_values(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto name_begin = std::min(text.find_first_of("?&"), text.size() - 1) + 1;
    out.append(text.substr(0, name_begin));
    text.remove_prefix(name_begin);
    const auto name = text.substr(0, text.find_first_of("=?&/ \n"));
    if (name.size() == text.size() || text[name.size()] != '=') continue;
    const auto from = name.size() + 1;
    auto value = text.substr(from, std::min(text.find_first_of("&#", from), text.find_first_of(kEnds, from)) - from);
    while (!value.empty() && std::string_view(":,;.)]").find(value.back()) != std::string_view::npos)
      value.remove_suffix(1);
    if (is_secret(percent_decoded(name))) {
      out.append(text.substr(0, from)).append(kHidden);
      text.remove_prefix(from + value.size());
    } else if (lower(value).find("%3a%2f%2f") != std::string::npos) {
      const std::string url = percent_decoded(value), shown = redact(url);
      if (shown == url) continue;
      out.append(text.substr(0, from)).append(shown);
      text.remove_prefix(from + value.size());
    }
  }
  return out;
}

}  // namespace

std::string redact(std::string_view text) {
  const bool has_user = text.find("://") != text.npos, has_value = text.find('=') != text.npos;
  if (!has_user && !has_value) return std::string(text);
  return without_values(has_user ? without_users(text) : std::string(text));
}

}  // namespace tacore
