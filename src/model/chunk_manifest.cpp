#include "model/chunk_manifest.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "model/identifier.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

class ManifestParser {
 public:
  ManifestParser(uint64_t max_chunk, const std::string& path) : max_chunk_(max_chunk), path_(path) {}

  ChunkManifest parse(std::string_view text) {
    const json document = parse_json(text);
    const json& version = member(document, "version");
    if (version != kVersion) fail("version is " + brief(version) + ", expected " + std::to_string(kVersion));
    const std::string container = this->text(document, "container");
    if (container != "zip" && container != "folder")
      fail("container is " + tacore::quoted(container) + ", expected zip or folder");
    ChunkManifest out{.is_zip = container == "zip"};
    if (document.contains("name")) {
      out.name = this->text(document, "name");
      out.id = this->text(document, "id");
      for (const json& id : array(document, "samples")) {
        if (!id.is_string()) fail("a sample is " + brief(id) + ", expected its id");
        out.samples.push_back(id.get<std::string>());
      }
    }
    for (const json& file : array(document, "files")) out.files.push_back(parse_file(file));
    if (out.files.empty() || (out.is_zip && out.files.size() != 1)) {
      fail("has " + std::to_string(out.files.size()) + " files, expected " + (out.is_zip ? "1" : "at least 1"));
    }
    check_names(out.files);
    const std::string stated = this->text(document, "sha256"), found = hex(out.identity());
    if (stated != found) fail("is damaged: sha256 is " + tacore::quoted(stated) + ", its content has " + found);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FormatError("manifest: " + what, {.path = path_}); }

  static std::string brief(const json& value) {
    return value.is_number()   ? value.dump()
           : value.is_string() ? tacore::quoted(value.get<std::string>())
                               : value.type_name();
  }

  json parse_json(std::string_view text) const {
    // The parser takes a NUL byte for the end.
    const auto bad = where_too_nested(text).value_or(text.find('\0'));
    if (bad < text.size())
      throw FormatError("manifest: JSON with a NUL byte or nested too deep", {.path = path_, .offset = bad});
    try {
      json out = json::parse(text);
      if (!out.is_object()) fail(std::string("is ") + out.type_name() + ", expected an object");
      return out;
    } catch (const json::parse_error& error) {
      throw FormatError("manifest: invalid or truncated JSON",
                        {.path = path_, .offset = error.byte > 0 ? error.byte - 1 : 0});
    } catch (const json::exception&) {
      fail("a number is out of range");
    }
  }

  const json& member(const json& object, const char* key) const {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) fail(std::string(key) + " is missing");
    return *found;
  }
  std::string text(const json& object, const char* key) const {
    const json& value = member(object, key);
    if (!value.is_string()) fail(std::string(key) + " is " + brief(value) + ", expected a string");
    return value.get<std::string>();
  }
  const json& array(const json& object, const char* key) const {
    const json& value = member(object, key);
    if (!value.is_array()) fail(std::string(key) + " is " + brief(value) + ", expected an array");
    return value;
  }

  ChunkedFile parse_file(const json& file) const {
    ChunkedFile out{.name = text(file, "name")};
    uint64_t sum = 0;
    for (const json& chunk : array(file, "chunks")) {
      out.chunks.push_back(parse_chunk(chunk, out.name));
      sum += out.chunks.back().size;  // fewer than 2^32 times less than 2^32
    }
    const json& size = member(file, "size");
    if (!size.is_number_unsigned())
      fail("size of " + tacore::quoted(out.name) + " is " + brief(size) + ", expected a number");
    out.size = size.get<uint64_t>();
    if (out.size != sum) {
      fail("size of " + tacore::quoted(out.name) + " is " + std::to_string(out.size) + ", its chunks have " +
           std::to_string(sum) + " bytes");
    }
    return out;
  }

  Chunk parse_chunk(const json& chunk, const std::string& file) const {
    const bool is_pair = chunk.is_array() && chunk.size() == 2 && chunk[0].is_string() && chunk[1].is_number_unsigned();
    if (!is_pair) fail("a chunk of " + tacore::quoted(file) + " is not [SHA-256, size]");
    const auto hash = parse_sha256(chunk[0].get<std::string>());
    if (!hash)
      fail("a chunk of " + tacore::quoted(file) + " is " + brief(chunk[0]) + ", expected 64 hexadecimal digits");
    const auto size = chunk[1].get<uint64_t>();
    if (size == 0 || size > max_chunk_) {
      fail("chunk " + hex(*hash) + " has " + std::to_string(size) + " bytes, expected 1 to " +
           std::to_string(max_chunk_));
    }
    return {.hash = *hash, .size = static_cast<uint32_t>(size)};
  }

  /// Each name is a path below the folder, occurs once, and is not below another file.
  void check_names(const std::vector<ChunkedFile>& files) const {
    std::set<std::string> names, folders;
    for (const auto& file : files) {
      for (const std::string& part : split(file.name, '/')) {
        if (const auto why = why_unsafe_id(part); !why.empty()) {
          fail("a file is called " + tacore::quoted(file.name) + ", of which " + tacore::quoted(part) + " " + why);
        }
      }
      if (!names.insert(file.name).second) fail("two files are called " + tacore::quoted(file.name));
      for (auto slash = file.name.find('/'); slash != file.name.npos; slash = file.name.find('/', slash + 1)) {
        folders.insert(file.name.substr(0, slash));
      }
    }
    for (const auto& name : names) {
      if (folders.contains(name)) fail(tacore::quoted(name) + " is both a file and a folder");
    }
  }

  uint64_t max_chunk_;
  const std::string& path_;
};

}  // namespace

uint64_t ChunkManifest::size() const noexcept {
  uint64_t out = 0;
  for (const auto& file : files) out += file.size;
  return out;
}

Sha256 ChunkManifest::identity() const {
  FieldWriter out;
  out.u8(is_zip ? 1 : 0);
  if (!name.empty()) {
    for (const auto* text : {&name, &id}) {
      out.u64(text->size());
      out.text(*text);
    }
    out.u64(samples.size());
    for (const auto& sample : samples) {
      out.u64(sample.size());
      out.text(sample);
    }
  }
  for (const auto& file : files) {
    out.u64(file.name.size());
    out.text(file.name);
    out.u64(file.chunks.size());
    for (const auto& chunk : file.chunks) {
      out.bytes(chunk.hash);
      out.u32(chunk.size);
    }
  }
  return sha256(out.take());
}

std::string encode_manifest(const ChunkManifest& manifest) {
  std::string out = "{\n \"version\": " + std::to_string(kVersion) + ",\n \"container\": \"" +
                    (manifest.is_zip ? "zip" : "folder") + "\",\n \"sha256\": \"" + hex(manifest.identity()) + "\",\n";
  if (!manifest.name.empty()) {
    out += " \"name\": " + json(manifest.name).dump() + ",\n \"id\": " + json(manifest.id).dump() +
           ",\n \"samples\": " + json(manifest.samples).dump() + ",\n";
  }
  out += " \"files\": [";
  for (const auto& file : manifest.files) {
    out += (&file == manifest.files.data() ? "\n" : ",\n");
    out += "  {\"name\": " + json(file.name).dump() + ", \"size\": " + std::to_string(file.size) + ", \"chunks\": [";
    for (const auto& chunk : file.chunks) {
      out += (&chunk == file.chunks.data() ? "\n" : ",\n");
      out += "   [\"" + hex(chunk.hash) + "\", " + std::to_string(chunk.size) + "]";
    }
    out += "]}";
  }
  return out + "]\n}\n";
}

ChunkManifest parse_manifest(std::string_view text, uint64_t max_chunk, const std::string& path) {
  return ManifestParser(max_chunk, path).parse(text);
}

}  // namespace tacore
