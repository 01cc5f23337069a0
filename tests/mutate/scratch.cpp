#include "scratch.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace tacore::mutate {

namespace fs = std::filesystem;

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "tacore-mutate-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
  root_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Scratch::put(const File& file, const Bytes& bytes) const {
  const fs::path path = root_ / file.path;
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::system_error(errno, std::generic_category(), path.string());
}

void Scratch::write(const Source& source) {
  for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry.path());
  for (const File& file : source.files) put(file, file.bytes);
}

void Scratch::change(const Source& source, const Changed& changed) {
  const File& file = source.files[changed.file];
  if (changed.form == Changed::Form::Bytes) return put(file, changed.bytes);
  fs::remove(root_ / file.path);
  if (changed.form == Changed::Form::Folder) fs::create_directory(root_ / file.path);
}

void Scratch::restore(const Source& source, const Changed& changed) {
  const File& file = source.files[changed.file];
  if (changed.form == Changed::Form::Folder) fs::remove_all(root_ / file.path);
  put(file, file.bytes);
}

}  // namespace tacore::mutate
