#include "password.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <tacore/error.hpp>

#include "io/open_uninterrupted.hpp"

namespace tacore::cli {
namespace {

struct OpenDescriptor {
  int number;
  ~OpenDescriptor() {
    if (number >= 0) ::close(number);
  }
};

/// One byte; nothing at the end.
bool read_byte(int descriptor, char& byte, const std::string& path) {
  ssize_t got;
  do got = ::read(descriptor, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got < 0) throw IoError("cannot be read", {.path = path}, errno);
  return got == 1;
}

std::string first_line(const std::string& path) {
  const OpenDescriptor file{open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) throw IoError("cannot open", {.path = path}, errno);
  std::string out;
  for (char byte; read_byte(file.number, byte, path) && byte != '\n';) out += byte;
  if (out.ends_with('\r')) out.pop_back();
  return out;
}

/// A terminal that does not show what is typed.
class SilentTerminal {
 public:
  SilentTerminal() : file_{open_uninterrupted("/dev/tty", O_RDWR | O_CLOEXEC)} {
    if (file_.number < 0 || ::tcgetattr(file_.number, &before_) != 0) {
      throw UsageError("no terminal to ask for the password: --password-file or TACO_KEY_PASSWORD expected");
    }
    termios silent = before_;
    // Ctrl-C arrives as a byte: a process that it ended here would leave a terminal that shows nothing.
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    silent.c_cc[VMIN] = 1;
    silent.c_cc[VTIME] = 0;
    ::tcsetattr(file_.number, TCSAFLUSH, &silent);
  }
  ~SilentTerminal() { ::tcsetattr(file_.number, TCSAFLUSH, &before_); }
  SilentTerminal(const SilentTerminal&) = delete;
  SilentTerminal& operator=(const SilentTerminal&) = delete;

  void show(const std::string& text) const {
    [[maybe_unused]] const auto ignored = ::write(file_.number, text.data(), text.size());
  }
  /// The next line; false when Ctrl-C was typed.
  bool read_line(std::string& out) const {
    constexpr char kInterrupt = 3, kEnd = 4, kBackspace = 8, kDelete = 127;
    for (char byte; read_byte(file_.number, byte, "/dev/tty");) {
      if (byte == kInterrupt) return false;
      if (byte == '\n' || byte == '\r' || byte == kEnd) break;
      if (byte != kBackspace && byte != kDelete) {
        out += byte;
      } else if (!out.empty()) {
        // A character of several bytes goes as a whole.
        while (out.size() > 1 && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
        out.pop_back();
      }
    }
    return true;
  }

 private:
  OpenDescriptor file_;
  termios before_ = {};
};

std::string ask(const std::string& prompt) {
  std::string out;
  bool is_given;
  {
    const SilentTerminal terminal;
    terminal.show(prompt);
    is_given = terminal.read_line(out);
    terminal.show("\n");
  }
  if (!is_given) ::raise(SIGINT);
  return out;
}

}  // namespace

std::string read_password(const PasswordOptions& from, const std::string& key, bool again) {
  if (!from.file.empty()) return first_line(from.file);
  if (const char* given = std::getenv("TACO_KEY_PASSWORD")) return given;
  const std::string out = ask("Password of " + key + ": ");
  if (again && ask("The same again: ") != out) throw UsageError("the two passwords differ");
  return out;
}

}  // namespace tacore::cli
