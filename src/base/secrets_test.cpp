#include "tacore/plumbing/secrets.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/log.hpp"
#include "tacore/error.hpp"
#include "tacore/verbose.hpp"

namespace tacore {
namespace {

TEST_CASE("redact() hides user names, passwords and credential parameters, and nothing else") {
  struct Case {
    std::string text, shown;
  };
  const Case cases[] = {
      {"", ""},
      {"/data/a&b=c.tacozip", "/data/a&b=c.tacozip"},
      {"https://h/a.tacozip", "https://h/a.tacozip"},
      {"https://user:secret@h:8/a", "https://***@h:8/a"},
      {"https://secret@h/a", "https://***@h/a"},  // a token alone
      {"https://u:se@cret@h/a", "https://***@h/a"},
      {"https://u:se?c#r et@h/a", "https://***@h/a"},
      {"https://h/a@b", "https://h/a@b"},
      {"hf://datasets/o/n@v1/a", "hf://datasets/o/n@v1/a"},
      {"/vsisubfile/1_2,/vsicurl/http://u:secret@h/a", "/vsisubfile/1_2,/vsicurl/http://***@h/a"},
      {"http://u:secret@h/a: HTTP status 302 to 'http://v:secret@i/b'",
       "http://***@h/a: HTTP status 302 to 'http://***@i/b'"},
      {"https://h/a?X-Amz-Date=d&X-Amz-Signature=secret&X-Amz-Security-Token=secret&versionId=3",
       "https://h/a?X-Amz-Date=d&X-Amz-Signature=***&X-Amz-Security-Token=***&versionId=3"},
      {"https://h/a?sv=2022&sp=rl&sig=secret%3D", "https://h/a?sv=2022&sp=rl&sig=***"},
      {"https://h/a?Expires=3&Signature=secret/+=: bytes=0-9: broken",
       "https://h/a?Expires=3&Signature=***: bytes=0-9: broken"},
      {"'https://h/a?token=secret' and (https://h/b?access_token=secret), again",
       "'https://h/a?token=***' and (https://h/b?access_token=***), again"},
      {"https://h/a?SIG=secret#part", "https://h/a?SIG=***#part"},
      {"https://h/a?X%2DAmz%2DSignature=secret&b=", "https://h/a?X%2DAmz%2DSignature=***&b="},
      {"https://h/a?sig=&&=&sig=secret&sig", "https://h/a?sig=***&&=&sig=***&sig"},
      {"/vsicurl?max_retry=1&url=http%3A%2F%2Fu%3Asecret%40h%2Fa%3Fsig%3Dsecret",
       "/vsicurl?max_retry=1&url=http://***@h/a?sig=***"},
      {"/vsicurl?userpwd=u%3Asecret&url=http%3a%2f%2fh%2fa", "/vsicurl?userpwd=***&url=http%3a%2f%2fh%2fa"},
      {"https://h/100%?a=%&sig=secret", "https://h/100%?a=%&sig=***"},
      {"SELECT * FROM data WHERE sig = 'x' AND key='y' -- a?", "SELECT * FROM data WHERE sig = 'x' AND key='y' -- a?"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(redact(c.text) == c.shown);
    CHECK(redact(c.shown) == c.shown);
  }
}

TEST_CASE("an error text redacts secrets in path and message, and its context keeps the original path") {
  const std::string path = "https://user:secret@h/a?sig=secret";
  const FormatError error("as " + path + ", broken", {.path = path, .offset = 7, .level = 1});
  CHECK(error.what() == std::string("https://***@h/a?sig=***: level 1: as https://***@h/a?sig=***, broken (byte 7)"));
  CHECK(error.message() == "as https://***@h/a?sig=***, broken");
  CHECK(error.context().path == path);
}

TEST_CASE("a log message redacts secrets") {
  verbose("info");
  std::string seen;
  set_log_sink([](LogLevel, std::string_view text, void* out) { *static_cast<std::string*>(out) += text; }, &seen);
  log::warning("https://user:secret@h/a?sig=secret: slow\nagain");
  set_log_sink(nullptr);
  CHECK(seen == "https://***@h/a?sig=***: slow again");
}

}  // namespace
}  // namespace tacore
