#pragma once

#include <string>

#include "io/vsi_path.hpp"

/// Paths that may be stored and shown. The query of an http(s) URL may sign it, the user of any URL may be a token.
namespace tacore {

/// `path` without the query and the fragment of an http(s) URL, also of one after /vsicurl/. Other paths stay.
inline std::string without_query(const std::string& path) {
  const bool is_http = path.starts_with("http://") || path.starts_with("https://") || path.starts_with("/vsicurl/http");
  return is_http ? path.substr(0, path.find_first_of("?#")) : path;
}

/// The path without_query() and without the user and the password of a remote path. Local paths stay.
inline std::string public_path(const std::string& path) {
  std::string out = without_query(path);
  const auto scheme = out.find("://");
  if (scheme == out.npos || !is_remote(out)) return out;
  const auto host = scheme + 3, user_end = out.substr(host, out.find('/', host) - host).rfind('@');
  return user_end == out.npos ? out : out.erase(host, user_end + 1);
}

}  // namespace tacore
