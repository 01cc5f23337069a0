#include "proof/minisign.hpp"

#include "base/text.hpp"
#include "support/support.hpp"

namespace tacore::minisign {
namespace {

// Made by minisign 0.11: -G -W, then -S and -S -l of a file "TACO\n".
const std::string kSecret =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAO2Sa73Ww3FzuOjrRv4MdogcQmzFtbR9eiq3TIeyKR2"
    "T0"
    "q8s+q5cJMAzOoBN1nS02mU+hr3GCl2VEwYi6/QVkLdTT7wLTl28fAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
const std::string kPublic =
    "untrusted comment: minisign public key 5CDCB075EF9A643B\n"
    "RWQ7ZJrvdbDcXAzOoBN1nS02mU+hr3GCl2VEwYi6/QVkLdTT7wLTl28f\n";
const std::string kPrehashedSignature =
    "untrusted comment: signature from minisign secret key\n"
    "RUQ7ZJrvdbDcXE4hbhyBuzCfe6EJ0Vh5eDVBwQrtdd4reSW8WMrRSYXUOIDULD3dOebwYkf/JlbZSeVjbiBk2HXIB1U+4wDcPgg=\n"
    "trusted comment: a test\n"
    "0odYnvXgy6u4wUw+GIqsPLruF3Ie7Zc4qZ1vNIhvb8PMvCapxA3pwNq4+Gjp+f8A302XCXURdDhhuCV8NocICg==\n";
const std::string kPlainSignature =
    "untrusted comment: signature from minisign secret key\n"
    "RWQ7ZJrvdbDcXNpxAVEcXg6Wk7q+wlLyTSPHSjozEI3b3JAHQnP47hdvYrCUV+CglEIxZVXAoHcPbV+1+/GGjwvDsgSqq1PYsAs=\n"
    "trusted comment: as it is\n"
    "DoVLdQPNjmURWUz8VK2Mw0usX2honw2DD2SYN7i0ZbJus2/24WXWhEGXUSt5WSfH90hACh7cFW/Mat93rLkDCA==\n";
constexpr std::string_view kMessage = "TACO\n";
/// Few operations and little memory, for tests.
constexpr PasswordLimits kEasy{.operations = 1 << 15, .memory = 1 << 20};

std::string why_wrong_signature(const std::string& signature, const std::string& key = kPublic,
                                std::string_view message = kMessage) {
  return why_wrong(parse_signature(signature, "s"), parse_public_key(key, "k"), tacore::bytes_of(message));
}

TEST_CASE("what minisign signed is verified, and what we sign is the same") {
  CHECK(why_wrong_signature(kPrehashedSignature) == "");
  CHECK(why_wrong_signature(kPlainSignature) == "");
  SecretKey key;
  parse_secret_key(kSecret, {}, "k", key);
  CHECK(encode(key.public_key()) == kPublic);
  CHECK(to_text(key.id) == "5CDCB075EF9A643B");
  const std::string ours = sign(key, tacore::bytes_of(kMessage), "a test");
  CHECK(ours.substr(ours.find('\n')) == kPrehashedSignature.substr(kPrehashedSignature.find('\n')));
}

TEST_CASE("a public key is read from its file, with any ends of lines, and from its line") {
  const std::string line = split(kPublic, '\n')[1];
  for (const auto& text : Strings{kPublic, line, line + "\n", split(kPublic, '\n')[0] + "\r\n" + line + "\r\n"})
    CHECK(encode_line(parse_public_key(text, "k")) == line);
  for (const auto& text :
       Strings{std::string(), kPublic + "x", line.substr(1), line + "AAAA", "R" + line, kSecret,
               split(kPublic, '\n')[0], "untrusted comment: a\nb", std::string("RWR7") + line.substr(3)}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_public_key(text, "k"), FormatError);
  }
}

TEST_CASE("a signature of another message, key or comment is wrong") {
  CHECK(why_wrong_signature(kPrehashedSignature, kPublic, "TACO") ==
        "it does not sign these bytes by the key 5CDCB075EF9A643B");
  CHECK(why_wrong_signature(kPlainSignature, kPublic, "") ==
        "it does not sign these bytes by the key 5CDCB075EF9A643B");
  std::string other = kPrehashedSignature;
  other.replace(other.find("a test"), 6, "a tent");
  CHECK(why_wrong_signature(other) == "its trusted comment is not the one that was signed");
  SecretKey key;
  make_random(key);
  CHECK(has_text(why_wrong_signature(kPrehashedSignature, encode(key.public_key())),
                 "it is by the key 5CDCB075EF9A643B, by "));
  // The same number of another key.
  SecretKey known;
  parse_secret_key(kSecret, {}, "k", known);
  key.id = known.id;
  CHECK(has_text(why_wrong_signature(kPrehashedSignature, encode(key.public_key())), "does not sign these bytes"));
}

TEST_CASE("of a signature any changed byte is found, but in its first line") {
  for (const auto& signature : {kPrehashedSignature, kPlainSignature}) {
    for (std::size_t at = signature.find('\n') + 1; at < signature.size(); ++at) {
      for (const char change : {'\x01', '\x20'}) {
        std::string text = signature;
        text[at] = static_cast<char>(text[at] ^ change);
        CAPTURE(text);
        std::string why;
        try {
          why = why_wrong_signature(text);
        } catch (const FormatError& error) {
          why = error.what();
        }
        REQUIRE(why != "");
      }
    }
  }
}

TEST_CASE("a secret key comes back, with its password only") {
  SecretKey key, again;
  make_random(key);
  const std::string plain = encode(key, {}), locked = encode(key, "secret", kEasy), empty = encode(key, "", kEasy);
  CHECK_FALSE(is_encrypted(plain, "k"));
  CHECK(is_encrypted(locked, "k"));
  CHECK(is_encrypted(empty, "k"));
  CHECK(encode(key, "secret", kEasy) != locked);  // the salt is random
  parse_secret_key(plain, "not needed", "k", again);
  CHECK(again.seed == key.seed);
  parse_secret_key(locked, "secret", "k", again);
  CHECK((again.seed == key.seed && again.id == key.id));
  parse_secret_key(empty, "", "k", again);
  CHECK(again.seed == key.seed);
  CHECK_THROWS_WITH_AS(parse_secret_key(locked, "Secret", "k", again), "k: the password is wrong, or the file damaged",
                       ValidationError);
  CHECK_THROWS_WITH_AS(parse_secret_key(locked, {}, "k", again), "k: is encrypted, and no password was given",
                       ValidationError);
}

TEST_CASE("the limits of a key file give the parameters of scrypt that minisign computes") {
  // More memory than operations, and more operations than memory: both branches of the rule.
  SecretKey key, again;
  make_random(key);
  for (const PasswordLimits limits : {PasswordLimits{1 << 15, 1 << 24}, PasswordLimits{1 << 20, 1 << 20}}) {
    parse_secret_key(encode(key, "p", limits), "p", "k", again);
    CHECK(again.seed == key.seed);
  }
  CHECK_THROWS_AS(parse_secret_key(encode(key, "p", {1 << 15, 1}), "q", "k", again), ValidationError);
}

TEST_CASE("a key file that asks for more memory than anybody has is refused before it is taken") {
  SecretKey key;
  auto bytes = *parse_base64(split(encode(key, "p", kEasy), '\n')[1]);
  bytes[46 + 4] = std::byte{1};  // memory: 4 GiB more
  const std::string text = "untrusted comment: x\n" + base64(bytes) + "\n";
  CHECK_THROWS_AS(parse_secret_key(text, "p", "k", key), FormatError);
}

TEST_CASE("files that are no keys are refused, and what is in them is not shown") {
  SecretKey key;
  const std::string line = split(kSecret, '\n')[1];
  for (const auto& text : Strings{std::string(), std::string("x"), line, kPublic, kSecret + "x", kSecret.substr(0, 150),
                                  "untrusted comment: x\nRWRB" + line.substr(4), std::string(1000, 'A')}) {
    CAPTURE(text);
    try {
      parse_secret_key(text, {}, "k", key);
      FAIL("accepted");
    } catch (const FormatError& error) {
      CHECK(!has_text(error.what(), line.substr(40, 20)));
    }
  }
  std::string damaged = kSecret;
  damaged[damaged.size() - 80] ^= 1;  // the public half
  CHECK_THROWS_AS(parse_secret_key(damaged, {}, "k", key), FormatError);
}

}  // namespace
}  // namespace tacore::minisign
