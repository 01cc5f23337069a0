#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "base/little_endian.hpp"
#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "tacore/error.hpp"

/// ZIPs with what the writers of this project do not make, and a server that may answer wrongly.
namespace tacore {

/// An entry of a ZIP, and how it is written.
struct HandMade {
  std::string name = {};
  std::string payload = {};
  std::string extra = {};              ///< the extra field of the local header
  bool has_descriptor = false;         ///< flag bit 3: CRC-32 and sizes follow the payload
  std::optional<uint32_t> crc32 = {};  ///< in place of the right one, in the local header
  bool has_zip64 = false;              ///< sizes in the extra field, though they need it not
};

class HandMadeZip {
 public:
  /// Adds an entry; where its payload begins.
  uint64_t add(const HandMade& made) {
    const auto bytes = std::as_bytes(std::span(made.payload));
    auto entry = zip::stored_entry(made.name, made.payload.size(), out_.size());
    entry.crc32 = crc32(bytes);
    FieldWriter local;
    local.u32(0x04034b50);
    local.u16(20);
    local.u16(made.has_descriptor ? 8 : 0);
    local.u16(0);
    local.u16(0);
    local.u16(0x21);
    const auto size = static_cast<uint32_t>(made.payload.size());
    local.u32(made.has_descriptor ? 0 : made.crc32.value_or(entry.crc32));
    for (int i = 0; i < 2; ++i) local.u32(made.has_descriptor ? 0 : made.has_zip64 ? 0xFFFFFFFF : size);
    local.u16(static_cast<uint16_t>(made.name.size()));
    std::string extra = made.extra;
    if (made.has_zip64) {
      FieldWriter wide;
      wide.u16(1);
      wide.u16(16);
      wide.u64(size);
      wide.u64(size);
      const auto field = wide.take();
      extra.append(reinterpret_cast<const char*>(field.data()), field.size());
    }
    local.u16(static_cast<uint16_t>(extra.size()));
    local.text(made.name);
    local.text(extra);
    const auto header = local.take();
    out_.append(reinterpret_cast<const char*>(header.data()), header.size());
    const uint64_t payload = out_.size();
    out_ += made.payload;
    if (made.has_descriptor) {
      entry.flags |= 8;
      FieldWriter after;
      after.u32(0x08074b50);
      after.u32(entry.crc32);
      after.u32(size);
      after.u32(size);
      const auto descriptor = after.take();
      out_.append(reinterpret_cast<const char*>(descriptor.data()), descriptor.size());
    }
    entries_.push_back(entry);
    return payload;
  }

  std::string text() const {
    FieldWriter directory;
    for (const auto& entry : entries_) zip::encode_central_entry(entry, directory);
    const uint64_t size = directory.size();
    zip::encode_directory_end({.offset = out_.size(), .size = size, .num_entries = entries_.size()}, directory);
    const auto bytes = directory.take();
    return out_ + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::string out_;
  std::vector<zip::CentralEntry> entries_;
};

/// Files of a server. Several ranges at once are one question.
class WrongServer : public Storage {
 public:
  explicit WrongServer(std::map<std::string, std::string> files) : state_(std::make_shared<State>(std::move(files))) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint&) const override {
    if (!state_->files.contains(path)) throw IoError("cannot open", {.path = path}, ENOENT);
    return std::make_shared<Source>(state_, path);
  }
  bool exists(const std::string& path, bool directory) const override {
    return !directory && state_->files.contains(path);
  }

  /// Called with the bytes of each answer, which it may change.
  void spoil(std::function<void(const std::string& path, ByteRange range, std::span<std::byte> bytes)> how) const {
    state_->spoil = std::move(how);
  }
  void replace(const std::string& path, std::string text) const { state_->files[path] = std::move(text); }
  int questions() const { return std::exchange(state_->num_questions, 0); }
  uint64_t bytes() const { return std::exchange(state_->num_bytes, 0); }

 private:
  struct State {
    explicit State(std::map<std::string, std::string> all) : files(std::move(all)) {}
    std::map<std::string, std::string> files;
    std::function<void(const std::string&, ByteRange, std::span<std::byte>)> spoil = {};
    int num_questions = 0;
    uint64_t num_bytes = 0;
  };

  class Source final : public ByteSource {
   public:
    Source(std::shared_ptr<State> state, std::string name) : state_(std::move(state)), name_(std::move(name)) {}
    const std::string& name() const noexcept override { return name_; }
    uint64_t size() const override { return state_->files.at(name_).size(); }
    bool is_local() const noexcept override { return false; }
    void read(uint64_t offset, std::span<std::byte> out) const override {
      ++state_->num_questions;
      copy({offset, out.size()}, out);
    }
    std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
      ++state_->num_questions;
      std::vector<Bytes> out;
      for (const ByteRange& range : ranges) {
        require_inside(range);
        copy(range, out.emplace_back(range.size));
      }
      return out;
    }

   private:
    void copy(ByteRange range, std::span<std::byte> out) const {
      require_inside(range);
      state_->num_bytes += range.size;
      const std::string& text = state_->files.at(name_);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(text[range.offset + i]);
      if (state_->spoil) state_->spoil(name_, range, out);
    }

    std::shared_ptr<State> state_;
    std::string name_;
  };

  std::shared_ptr<State> state_;
};

}  // namespace tacore
