#include "io/vsi_path.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

struct Scheme {
  std::string_view url;
  std::string_view vsi;
};
/// Object stores. Two URL schemes may share one /vsi prefix: from_vsi() returns the first.
constexpr Scheme kBuckets[] = {
    {"s3://", "/vsis3/"},    {"gs://", "/vsigs/"},   {"az://", "/vsiaz/"},
    {"azure://", "/vsiaz/"}, {"oss://", "/vsioss/"}, {"swift://", "/vsiswift/"},
};
constexpr std::string_view kCurl = "/vsicurl/";
constexpr std::string_view kHuggingFace = "hf://";
constexpr std::string_view kSubfile = "/vsisubfile/";

bool is_http(std::string_view path) { return path.starts_with("http://") || path.starts_with("https://"); }

/// After /vsi, the prefixes of GDAL have a lower-case letter or a digit: /vsis3/, /vsi7z/, /vsicurl?url=.
bool is_vsi(std::string_view path) {
  constexpr std::string_view kPrefix = "/vsi";
  if (!path.starts_with(kPrefix) || path.size() == kPrefix.size()) return false;
  const char next = path[kPrefix.size()];
  return (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9');
}

std::string replace_prefix(std::string_view text, std::string_view from, std::string_view to) {
  return std::string(to).append(text.substr(from.size()));
}

std::string working_folder() {
  std::error_code error;
  const auto folder = std::filesystem::current_path(error);
  if (error) throw IoError("cannot determine the working directory", {}, error.value());
  return folder.string();
}

/// Removes only parts that cannot change the meaning. A .. stays: after a symbolic link it is another folder.
std::string absolute(std::string_view path) {
  const std::string whole = path.starts_with('/') ? std::string(path) : working_folder() + "/" + std::string(path);
  std::string out;
  for (const std::string& part : split(whole, '/')) {
    if (!part.empty() && part != ".") out += "/" + part;
  }
  return out.empty() ? "/" : out;
}

uint64_t parse_number(std::string_view text, std::string_view path) {
  uint64_t out = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error == std::errc() && stop == end) return out;
  throw FormatError(in_quotes(path) + ": " + in_quotes(text) + " is not an unsigned 64-bit number");
}

std::string_view without_trailing_slashes(std::string_view path) {
  // npos + 1 == 0: of slashes alone nothing is left.
  return path.substr(0, path.find_last_not_of('/') + 1);
}

}  // namespace

bool is_remote(std::string_view path) noexcept {
  return is_vsi(path) || is_http(path) || path.starts_with(kHuggingFace) ||
         std::any_of(std::begin(kBuckets), std::end(kBuckets),
                     [&](const Scheme& scheme) { return path.starts_with(scheme.url); });
}

void require_local(const std::string& path, const std::string& done) {
  if (is_remote(path)) throw IoError("cannot be " + done + ": it is remote, a local path expected", {.path = path});
}

std::string to_vsi(std::string_view path) {
  for (const auto& [url, vsi] : kBuckets) {
    if (path.starts_with(url)) return replace_prefix(path, url, vsi);
  }
  if (is_http(path)) return replace_prefix(path, "", kCurl);
  if (is_vsi(path) || path.starts_with(kHuggingFace)) return std::string(path);
  return absolute(path);
}

std::string from_vsi(std::string_view path) {
  for (const auto& [url, vsi] : kBuckets) {
    if (path.starts_with(vsi)) return replace_prefix(path, vsi, url);
  }
  if (path.starts_with(kCurl) && is_http(path.substr(kCurl.size()))) {
    return replace_prefix(path, kCurl, "");
  }
  return std::string(path);
}

std::string vsi_subfile(ByteRange range, std::string_view root) {
  return std::string(kSubfile) + std::to_string(range.offset) + "_" + std::to_string(range.size) + "," +
         std::string(root);
}

VsiSubfile parse_vsi_subfile(std::string_view path) {
  const auto refuse = [&](const char* why) { return FormatError(in_quotes(path) + ": " + why); };
  if (!path.starts_with(kSubfile)) throw refuse("does not start with /vsisubfile/");
  const auto rest = path.substr(kSubfile.size());
  const auto comma = rest.find(',');
  if (comma == std::string_view::npos) throw refuse("no comma after offset and size");
  const auto numbers = rest.substr(0, comma);
  const auto underscore = numbers.find('_');
  if (underscore == std::string_view::npos) throw refuse("no _ between offset and size");
  return {.root = std::string(rest.substr(comma + 1)),
          .range = {.offset = parse_number(numbers.substr(0, underscore), path),
                    .size = parse_number(numbers.substr(underscore + 1), path)}};
}

std::string parent_folder(std::string_view path) {
  if (path.starts_with('/') && without_trailing_slashes(path).empty()) return "/";
  const auto trimmed = without_trailing_slashes(path);
  return std::string(trimmed.substr(0, trimmed.rfind('/') + 1));
}

std::string file_name(std::string_view path) {
  const auto trimmed = without_trailing_slashes(path);
  return std::string(trimmed.substr(trimmed.rfind('/') + 1));
}

std::string path_of_name(std::string_view folder, std::string_view name) {
  const bool is_url =
      folder.starts_with("http://") || folder.starts_with("https://") || folder.starts_with("/vsicurl/");
  if (!is_url) return path_join(folder, name);
  std::string encoded;
  for (const char c : name) {
    switch (c) {
      case '%': encoded += "%25"; break;
      case '?': encoded += "%3F"; break;
      case '#': encoded += "%23"; break;
      default: encoded += c;
    }
  }
  return path_join(folder, encoded);
}

std::string path_join(std::string_view folder, std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
  // A bare name stays one, and the slashes of s3:// stay two.
  if (folder.empty() || folder.ends_with("://")) return std::string(folder).append(name);
  return std::string(without_trailing_slashes(folder)).append("/").append(name);
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string with_suffix(const std::string& dataset, std::string_view suffix) {
  const auto query = is_remote(dataset) && !dataset.starts_with("/vsi") ? dataset.find('?') : dataset.npos;
  if (query == dataset.npos) return dataset + std::string(suffix);
  const std::string parameters = lower(dataset.substr(query));
  constexpr std::string_view kSigned[] = {"signature=", "sig=", "x-amz-", "x-goog-"};
  for (const auto name : kSigned) {
    if (parameters.find(name) != parameters.npos) return {};
  }
  return dataset.substr(0, query) + std::string(suffix) + dataset.substr(query);
}

bool is_zip_name(std::string_view path) {
  return ends_with_ignoring_case(path, ".tacozip") || ends_with_ignoring_case(path, ".zip");
}

}  // namespace tacore
