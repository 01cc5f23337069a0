#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

/// A file and a storage that count what is read of them; the storage fails where it is told to.
namespace tacore {

/// A file on a server, which counts what it is asked: several ranges at once are one question.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(Bytes bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  bool is_local() const noexcept override { return false; }
  uint64_t bytes_of_round_trip() const override { return round_trip; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    ask();
    copy({offset, out.size()}, out);
  }
  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    ask();
    std::this_thread::sleep_for(latency);
    std::vector<Bytes> out;
    for (const ByteRange& range : ranges) {
      require_inside(range);
      copy(range, out.emplace_back(range.size));
    }
    return out;
  }

  const Bytes& bytes() const noexcept { return bytes_; }
  mutable std::atomic<int> num_questions = 0;
  mutable std::atomic<uint64_t> num_bytes = 0;
  mutable std::atomic<bool> is_down = false;
  mutable std::chrono::milliseconds latency{0};  ///< of read_ranges
  mutable uint64_t round_trip = 0;               ///< bytes

 private:
  void ask() const {
    ++num_questions;
    if (is_down) throw IoError("no line", {.path = name_});
  }
  void copy(ByteRange range, std::span<std::byte> out) const {
    require_inside(range);
    num_bytes += range.size;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(range.offset), range.size, out.begin());
  }

  const std::string name_ = "http://host/level.parquet";
  const Bytes bytes_;
};

struct Request {
  enum class Kind { Exists, Open, Read };
  Kind kind;
  std::string path;
  uint64_t offset = 0;
  uint64_t size = 0;
};

class CountingStorage : public Storage {
 public:
  /// `local` is what its sources say of themselves: false stands for an object store.
  explicit CountingStorage(bool local = true) : journal_(std::make_shared<Journal>(local)) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint&) const override {
    journal_->record({Request::Kind::Open, path});
    return std::make_shared<Source>(journal_, files_->open(path));
  }
  bool exists(const std::string& path, bool directory) const override {
    journal_->record({Request::Kind::Exists, path});
    return files_->exists(path, directory);
  }

  /// The n-th request from now on fails, 0 being the next; then all work again. Negative: none fails.
  void fail_at(int n) const {
    const std::lock_guard lock(journal_->mutex);
    journal_->remaining = n;
    journal_->thrown.clear();
  }
  /// The text of the error that was thrown since fail_at(); "" for none.
  std::string thrown() const {
    const std::lock_guard lock(journal_->mutex);
    return journal_->thrown;
  }
  void reset() const {
    const std::lock_guard lock(journal_->mutex);
    journal_->requests.clear();
  }
  std::vector<Request> requests() const {
    const std::lock_guard lock(journal_->mutex);
    return journal_->requests;
  }

  int count(Request::Kind kind, const std::string& end_of_path = "") const {
    const auto all = requests();
    return static_cast<int>(std::count_if(
        all.begin(), all.end(), [&](const Request& r) { return r.kind == kind && r.path.ends_with(end_of_path); }));
  }
  int num_reads(const std::string& end_of_path = "") const { return count(Request::Kind::Read, end_of_path); }
  int num_opens(const std::string& end_of_path = "") const { return count(Request::Kind::Open, end_of_path); }
  int num_probes() const { return count(Request::Kind::Exists); }
  uint64_t num_bytes(const std::string& end_of_path = "") const {
    uint64_t sum = 0;
    for (const Request& r : requests()) {
      if (r.kind == Request::Kind::Read && r.path.ends_with(end_of_path)) sum += r.size;
    }
    return sum;
  }

  /// What a failed request throws.
  static constexpr const char* kFailure = "the line is down";

 private:
  struct Journal {
    explicit Journal(bool is_local) : local(is_local) {}

    void record(Request request) {
      const std::lock_guard lock(mutex);
      requests.push_back(std::move(request));
      if (remaining < 0 || remaining-- > 0) return;
      const IoError error(kFailure, {.path = requests.back().path, .offset = requests.back().offset}, EIO);
      thrown = error.what();
      throw error;
    }

    const bool local;
    std::mutex mutex;
    std::vector<Request> requests;
    int remaining = -1;
    std::string thrown;
  };

  class Source : public ByteSource {
   public:
    Source(std::shared_ptr<Journal> journal, std::shared_ptr<const ByteSource> bytes)
        : journal_(std::move(journal)), bytes_(std::move(bytes)) {}

    const std::string& name() const noexcept override { return bytes_->name(); }
    uint64_t size() const override { return bytes_->size(); }
    bool is_local() const noexcept override { return journal_->local; }
    void read(uint64_t offset, std::span<std::byte> out) const override {
      journal_->record({Request::Kind::Read, name(), offset, out.size()});
      bytes_->read(offset, out);
    }

   private:
    std::shared_ptr<Journal> journal_;
    std::shared_ptr<const ByteSource> bytes_;
  };

  std::shared_ptr<Journal> journal_;
  std::shared_ptr<const Storage> files_ = local_storage();
};

}  // namespace tacore
