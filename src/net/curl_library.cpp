#include "net/curl_library.hpp"

#include <dlfcn.h>

#include <string>

#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// 7.85 has CURLOPT_PROTOCOLS_STR; 7.68 had curl_multi_wakeup.
constexpr unsigned kLeastVersion = 0x075500;

void* open_library() {
  std::string why;
  // The GnuTLS build of Debian has the same functions, and is installed with git.
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    if (why.empty()) why = ::dlerror();
  }
  throw IoError("remote files need libcurl 4 (Debian: libcurl4, Fedora: libcurl): " + why);
}

template <class Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  if (out == nullptr) throw IoError(std::string("libcurl has no ") + name + "; version 7.85 or newer expected");
}

CurlLibrary load() {
  void* library = open_library();  // never unloaded: its threads may live longer than any file
  decltype(&::curl_version_info) version_info = nullptr;
  find(library, "curl_version_info", version_info);
  const auto* version = version_info(CURLVERSION_NOW);
  if (version->version_num < kLeastVersion) {
    throw IoError(std::string("libcurl is version ") + version->version + "; 7.85 or newer expected");
  }
  CurlLibrary out = {};
  find(library, "curl_global_init", out.global_init);
  find(library, "curl_easy_init", out.easy_init);
  find(library, "curl_easy_cleanup", out.easy_cleanup);
  find(library, "curl_easy_reset", out.easy_reset);
  find(library, "curl_easy_setopt", out.easy_setopt);
  find(library, "curl_easy_getinfo", out.easy_getinfo);
  find(library, "curl_easy_strerror", out.easy_strerror);
  find(library, "curl_slist_append", out.slist_append);
  find(library, "curl_slist_free_all", out.slist_free_all);
  find(library, "curl_multi_init", out.multi_init);
  find(library, "curl_multi_cleanup", out.multi_cleanup);
  find(library, "curl_multi_setopt", out.multi_setopt);
  find(library, "curl_multi_add_handle", out.multi_add_handle);
  find(library, "curl_multi_remove_handle", out.multi_remove_handle);
  find(library, "curl_multi_perform", out.multi_perform);
  find(library, "curl_multi_poll", out.multi_poll);
  find(library, "curl_multi_wakeup", out.multi_wakeup);
  find(library, "curl_multi_info_read", out.multi_info_read);
  if (const CURLcode result = out.global_init(CURL_GLOBAL_DEFAULT); result != CURLE_OK) {
    throw IoError(std::string("libcurl does not start: ") + out.easy_strerror(result));
  }
  return out;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary library = load();
  return library;
}

}  // namespace tacore::net
