#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "archive.hpp"
#include "bytes.hpp"
#include "case.hpp"
#include "edit.hpp"
#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "format/tacocat_header.hpp"

/// Which datasets there are, and where they can be broken.
namespace tacore::mutate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstPart = "set.0000.part.tortilla";
constexpr std::size_t kPartitions = 18;  // of the header of a Tortilla

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return to_bytes(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::vector<File> read_folder(const fs::path& folder, const std::string& below) {
  std::vector<File> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    out.push_back({below + "/" + fs::relative(entry.path(), folder).generic_string(), read_file(entry.path())});
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return out;
}

class Regions {
 public:
  Regions(Source& source, std::size_t file) : source_(source), file_(file) {}

  void add(std::string name, const std::string& sort, Rule rule, uint64_t begin, uint64_t size,
           const std::string& part = "") {
    if (size == 0) return;
    source_.regions.push_back({std::move(name), sort, rule, file_, begin, size, part});
  }

  void table(const std::string& name, const std::string& part, uint64_t at, const Bytes& bytes, Rule rule) {
    const Table table = open_table(bytes);
    add(name + ".magic", "magic", rule, at, 4, part);
    add(name + ".footer", "footer", rule, at + table.footer, table.footer_size, part);
    add(name + ".end", "footer-end", rule, at + bytes.size() - 8, 8, part);
    for (std::size_t i = 0; i < table.pages.size(); ++i) {
      const Page& page = table.pages[i];
      add(name + ".page" + std::to_string(i), "page", rule, at + page.header, page.header_size, part);
      add(name + ".body" + std::to_string(i), "body", rule, at + page.header + page.header_size, page.body_size, part);
    }
  }

  void cells(const std::string& name, const std::string& part, const Bytes& bytes) {
    const EditableTable table = editable(bytes);
    for (const auto& column : table.columns) {
      add(name + ".cells." + column.name, column.number ? "cells-number" : "cells-text", Rule::Edited, 0,
          table.num_rows, part);
    }
  }

 private:
  Source& source_;
  std::size_t file_;
};

/// Tables of folders and of nested Tortillas are alike: of those of one file, the first two are broken.
bool is_one_more_meta(const Source& source, std::size_t file, const Part& part) {
  const auto is_meta = [](const std::string& name) {
    return name.ends_with(names::kMeta) || (name.ends_with(names::kLevelFiles[0]) && !name.starts_with(names::kMetadata) &&
                                            name.find('/') != name.npos);
  };
  if (!is_meta(part.name)) return false;
  constexpr auto kEnough = 2;
  return std::count_if(source.regions.begin(), source.regions.end(), [&](const Region& r) {
           return r.file == file && r.sort == "footer" && is_meta(r.part);
         }) >= kEnough;
}

/// A document, a table or the bytes of a sample.
void add_part(Regions& regions, const File& file, const Archive& archive, const Part& part, const std::string& prefix) {
  const std::string name = archive.form == Archive::Form::Plain ? file.path : prefix + part.name;
  const Bytes bytes = mutate::part(file.bytes, part.begin, part.size);
  const bool tortilla = archive.form == Archive::Form::Tortilla;
  if (tortilla && part.name.ends_with("header")) {
    // The version before 0.5.0 has the format of all samples in it.
    const bool names_format = bytes[kPartitions + 7] != std::byte{0};
    regions.add(name, "tortilla", names_format ? Rule::Places : Rule::Exact, part.begin, part.size, part.name);
  } else if (is_table(part.name)) {
    regions.table(name, part.name, part.begin, bytes, tortilla ? Rule::Places : Rule::Cells);
    if (can_resize(archive, part) && !tortilla) regions.cells(name, part.name, bytes);
  } else if (part.name.ends_with(".json")) {
    regions.add(name, "json", Rule::Collection, part.begin, part.size, part.name);
    if (can_resize(archive, part))
      regions.add(name + ".values", "json-values", Rule::Collection, 0, count_values(to_text(bytes)), part.name);
  } else if (part.name != names::kHeader) {
    regions.add(name + ".bytes", "sample", Rule::Pixels, part.begin, part.size, part.name);
  }
}

void add_file(Source& source, std::size_t f) {
  const File& file = source.files[f];
  Regions regions(source, f);
  const Archive archive = open_archive(file);
  // The length of a sample's own file is the sample's length: nothing else tells it.
  const bool sample = archive.form == Archive::Form::Plain && !is_table(file.path) && !file.path.ends_with(".json");
  regions.add(file.path + ".file", "file", sample ? Rule::Pixels : Rule::Exact, 0,
              std::max<uint64_t>(file.bytes.size(), 1));
  const std::string prefix = source.files.size() > 1 ? file.path + "." : "";
  if (archive.form == Archive::Form::Tacocat)
    regions.add(prefix + "header", "tacocat", Rule::Exact, 0, tacocat_header::kSize);
  for (std::size_t i = 0; i < archive.parts.size(); ++i) {
    const Part& part = archive.parts[i];
    if (archive.form == Archive::Form::Zip) {
      const bool header = part.name == names::kHeader && part.local == 0;
      const std::string number = std::to_string(i);
      if (header) regions.add(prefix + "header", "header", Rule::Exact, 0, taco_header::kSize, part.name);
      if (!header)
        regions.add(prefix + "local" + number, "local", Rule::Exact, part.local, part.begin - part.local, part.name);
      regions.add(prefix + "central" + number, "central", Rule::Exact, part.central, part.central_size, part.name);
    }
    if (!is_one_more_meta(source, f, part)) add_part(regions, file, archive, part, prefix);
  }
  if (archive.form != Archive::Form::Zip) return;
  regions.add(prefix + "end64", "end64", Rule::Exact, archive.directory_end, archive.end - archive.directory_end);
  regions.add(prefix + "end", "end", Rule::Exact, archive.end, file.bytes.size() - archive.end);
}

Source make(std::string name, std::string open, std::vector<File> files) {
  Source out{.name = std::move(name), .open = std::move(open), .files = std::move(files)};
  return out;
}

/// An index and the ZIPs it names are three datasets, by what is opened. One of the ZIPs is broken with them, where it
/// matters.
void add_index(std::vector<Source>& out, const fs::path& folder, const std::string& name) {
  const auto files = read_folder(folder, name);
  for (const std::string open : {".tacocat", "__TACOCAT__", "TACOLLECTION.json"}) {
    if (!fs::exists(folder / open)) continue;
    Source& source = out.emplace_back(make(name + "-" + open, name + "/" + open, files));
    bool broken = open == "__TACOCAT__";  // as .tacocat, which comes first
    for (std::size_t f = 0; f < files.size(); ++f) {
      const std::string path = files[f].path.substr(name.size() + 1);
      const bool zip = !broken && path.find('/') == std::string::npos && path.ends_with("zip");
      if (path.starts_with(open) || zip) add_file(source, f);
      broken = broken || zip;
    }
  }
}

/// Of the samples, the first and what is below it.
void add_folder(std::vector<Source>& out, const fs::path& folder, const std::string& name) {
  Source& source = out.emplace_back(make(name, name, read_folder(folder, name)));
  std::string first;
  for (std::size_t f = 0; f < source.files.size(); ++f) {
    const std::string& path = source.files[f].path;
    const auto data = path.find("/DATA/");
    const std::string sample = data == path.npos ? "" : path.substr(0, path.find('/', data + 6));
    if (first.empty()) first = sample;
    if (sample.empty() || sample == first) add_file(source, f);
  }
}

void add_all(std::vector<Source>& out, const fs::path& folder, const std::string& prefix) {
  if (!fs::exists(folder)) return;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const std::string file = path.filename().string(), name = prefix + file;
    if (fs::exists(path / ".tacocat")) {
      add_index(out, path, name);
    } else if (fs::exists(path / "COLLECTION.json")) {
      add_folder(out, path, name);
    } else if (fs::exists(path / kFirstPart)) {
      add_file(out.emplace_back(make(name, name + "/" + kFirstPart, read_folder(path, name))), 0);
    } else if (file.ends_with("zip") || file.ends_with(".tortilla") || file.ends_with(".taco")) {
      add_file(out.emplace_back(make(name, name, {{name, read_file(path)}})), 0);
    }
  }
}

}  // namespace

std::vector<Source> load_sources(const std::string& golden, const std::string& examples, const std::string& shared) {
  std::vector<Source> out;
  add_all(out, golden, "");
  add_all(out, fs::path(golden) / "v1", "v1-");
  add_all(out, examples, "example-");
  for (const char* kind : {"zip", "folder", "tacocat"})
    add_all(out, fs::path(shared) / "golden" / "v2" / kind, std::string("shared-") + kind + "-");
  return out;
}

}  // namespace tacore::mutate
