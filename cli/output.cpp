#include "output.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <tacore/error.hpp>
#include <tacore/plumbing/apart.hpp>
#include <tacore/plumbing/secrets.hpp>

#include "io/open_uninterrupted.hpp"
#include "new_file.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

void write_all(int descriptor, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      if (errno == EPIPE && descriptor == STDOUT_FILENO) throw BrokenPipe{};
      throw IoError("cannot write", {.path = name}, errno);
    }
  }
}

/// Joins small pieces; what is not flushed is dropped.
class BufferedOutput final : public tabular::Output {
 public:
  BufferedOutput(int descriptor, const std::string& name) : descriptor_(descriptor), name_(name) {}

  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kCapacity) flush();
    if (bytes.size() > kCapacity) return write_all(descriptor_, bytes, name_);
    buffer_ += bytes;
  }
  void flush() {
    write_all(descriptor_, buffer_, name_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kCapacity = 1 << 16;
  int descriptor_;
  const std::string& name_;
  std::string buffer_ = {};
};

using Produce = std::function<void(tabular::Output&)>;

void produce_into(int descriptor, const std::string& name, const Produce& produce) {
  BufferedOutput output(descriptor, name);
  produce(output);
  output.flush();
}

/// Pipes, terminals, /dev/null: nothing that could be half written.
bool is_stream(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw IoError("cannot stat", {.path = path}, errno);
}

void produce_into_stream(const std::string& path, const Produce& produce) {
  const int descriptor = open_uninterrupted(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw IoError("cannot open", {.path = path}, errno);
  produce_into(descriptor, path, produce);
  ::close(descriptor);
}

}  // namespace

void with_output(const Destination& to, const std::vector<std::string>& inputs, const Produce& produce) {
  if (to.path.empty()) return produce_into(STDOUT_FILENO, "standard output", produce);
  if (is_stream(to.path)) return produce_into_stream(to.path, produce);
  require_apart(to.path, inputs);
  NewFile file(to.path, to.overwrite);
  produce_into(file.descriptor(), to.path, produce);
  file.commit();
}

bool is_html(std::string_view file) { return file.ends_with(".html") || file.ends_with(".htm"); }

void print(std::string_view text) { write_all(STDOUT_FILENO, text, "standard output"); }

std::string coloured(Colour colour, const std::string& text, int descriptor) {
  const auto value_of = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const bool is_plain = colour == Colour::None || text.empty() || ::isatty(descriptor) != 1;
  if (is_plain || !value_of("NO_COLOR").empty() || value_of("TERM") == "dumb") return text;
  const char* code = colour == Colour::Red      ? "31"
                     : colour == Colour::Yellow ? "33"
                     : colour == Colour::Green  ? "32"
                                                : "1";
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

void complain(std::string_view message, Colour colour) {
  const std::string text = redact(message);
  std::string out = coloured(colour, "taco:", STDERR_FILENO) + " ";
  // An indented list after a colon keeps its lines; any other message is one line.
  auto end = text.find(":\n  ");
  if (end != text.npos) ++end;
  for (std::size_t begin = 0; begin != text.npos; end = end == text.npos ? end : text.find("\n  ", begin)) {
    std::string line = text.substr(begin, end == text.npos ? end : end - begin);
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += printable(line) + "\n";
    begin = end == text.npos ? end : end + 1;
  }
  std::fwrite(out.data(), 1, out.size(), stderr);  // unbuffered
}

bool is_terminal_output() noexcept { return ::isatty(STDOUT_FILENO) == 1; }
bool is_terminal_error() noexcept { return ::isatty(STDERR_FILENO) == 1; }

void refuse_terminal(const Destination& to) {
  if (!to.path.empty() || !is_terminal_output()) return;
  throw UsageError("refusing to write binary data to the terminal; use -o FILE or a pipe");
}

void guard_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened the wrong way round, so that using it stays an error.
    const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", mode));
  }
  ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace tacore::cli
