#include "writer/sample_source.hpp"

#include "base/text.hpp"
#include "tacore/error.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore {
namespace {

class SpillSource : public ByteSource {
 public:
  SpillSource(std::string name, std::shared_ptr<const SpillBuffer> held)
      : name_(std::move(name)), held_(std::move(held)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return held_->size(); }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    held_->read(offset, out);
  }
  bool is_local() const noexcept override { return true; }

 private:
  std::string name_;
  std::shared_ptr<const SpillBuffer> held_;
};

}  // namespace

std::shared_ptr<const ByteSource> source_of(const Payload& payload, const std::string& name) {
  if (payload.held)
    return std::make_shared<const SpillSource>(payload.path.empty() ? name : payload.path, payload.held);
  if (payload.is_remote()) return slice(open_remote(payload), {payload.offset, payload.size});
  // Padding has no bytes, and no file.
  if (payload.path.empty())
    return std::make_shared<const SpillSource>(name, std::make_shared<const SpillBuffer>(Bytes(), ""));
  return slice(local_storage()->open(payload.path), {payload.offset, payload.size});
}

std::shared_ptr<const ByteSource> source_of(const Sample& sample) {
  const auto& file = sample.content()->file;
  if (!file) throw SchemaError("sample " + in_quotes(sample.id()) + " is a FOLDER, a FILE expected");
  return source_of(*file, sample.id());
}

std::shared_ptr<const ByteSource> source_of(const Tortilla& samples, int level, std::size_t row) {
  const TreeLevel& rows = impl_of(samples)->tree.levels.at(static_cast<std::size_t>(level));
  if (rows.types.at(row) == SampleType::Folder) return nullptr;
  return source_of(rows.payloads.at(row), rows.ids[row]);
}

}  // namespace tacore
