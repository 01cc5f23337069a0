#include <filesystem>
#include <optional>

#include "base/report.hpp"
#include "edit/plan.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/v1/convert.hpp"
#include "tortilla/write/output_rules.hpp"
#include "tortilla/write/stored_file.hpp"
#include "writer/staging.hpp"

namespace tacore::v1 {
namespace {

/// The conversion of a v1 file into another one with the same first bytes.
class Conversion {
 public:
  Conversion(const std::string& input, const std::string& output, Kind kind, const ConvertOptions& options)
      : is_in_place_(input == output),
        input_(is_in_place_ ? without_link(input) : input),
        output_(is_in_place_ ? input_ : output),
        options_(options),
        unchanged_(is_remote(input_) ? std::nullopt : std::optional<Unchanged>(input_)),
        file_(input_) {
    if (is_in_place_) require_local(input, "changed in place");
    if (header().kind == kind) throw ValidationError(already(kind), {.path = input});
    check_generation(file_);
    if (!is_in_place_) {
      check_name(output, kind);
      require_apart(output, {input});
      check_absent(output, options.output.overwrite);
    }
    check_temp_dir(output, options.output.temp_dir);
  }

  const Header& header() const { return file_.header(); }
  uint64_t size() const { return file_.size(); }

  /// Writes the first `kept` bytes with another header, then `rest`.
  void write(uint64_t kept, const Header& header, std::string_view rest) const {
    OutputFile file(output_, is_in_place_ || options_.output.overwrite, options_.output.temp_dir);
    if (is_in_place_) file_.give_permissions(file);
    file_.copy({0, kept}, file, 0,
               [&, done = uint64_t{0}](uint64_t num_bytes) mutable { tell(done += num_bytes, kept); });
    file.write(0, file_.with_free_space(encode_header(header)));
    file.write(kept, std::as_bytes(std::span(rest)));
    file.sync();
    tell(kept, kept);
    if (unchanged_) unchanged_->check();
    file.commit();
  }

 private:
  /// The file that a symbolic link leads to is replaced, and the link stays.
  static std::string without_link(const std::string& path) {
    if (is_remote(path)) return path;
    std::error_code error;
    const auto out = std::filesystem::canonical(path, error);
    const bool is_link = !error && std::filesystem::is_symlink(path, error);
    if (error) throw IoError("cannot open", {.path = path}, error.value());
    return is_link ? out.string() : path;
  }

  static std::string already(Kind kind) { return kind == Kind::Taco ? "is a TACO already" : "is a Tortilla already"; }

  void tell(uint64_t done, uint64_t all) const { report(options_.task, done, all, output_); }

  bool is_in_place_;
  std::string input_, output_;
  const ConvertOptions& options_;
  std::optional<Unchanged> unchanged_;  ///< for a local file
  StoredFile file_;
};

}  // namespace

void tortilla2taco(const std::string& input, const std::string& output, const Collection& collection,
                   const ConvertOptions& options) {
  const Conversion conversion(input, output, Kind::Taco, options);
  const std::string text = collection_text(collection);
  Header header = conversion.header();
  header.kind = Kind::Taco;
  header.collection = ByteRange{conversion.size(), text.size()};
  conversion.write(conversion.size(), header, text);
}

void taco2tortilla(const std::string& input, const std::string& output, const ConvertOptions& options) {
  const Conversion conversion(input, output, Kind::Tortilla, options);
  Header header = conversion.header();
  const ByteRange collection = *header.collection;
  header.kind = Kind::Tortilla;
  header.collection.reset();
  // A COLLECTION elsewhere than at the end stays, as bytes that nothing refers to.
  const bool is_last = collection.offset + collection.size == conversion.size();
  const bool overlaps = collection.offset < header.footer.offset + header.footer.size;
  conversion.write(is_last && !overlaps ? collection.offset : conversion.size(), header, "");
}

}  // namespace tacore::v1
