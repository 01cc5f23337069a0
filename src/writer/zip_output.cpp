#include "writer/zip_output.hpp"

#include <utility>

#include "base/crc32.hpp"

namespace tacore {

ByteRange ZipOutput::add(std::string name, std::span<const std::byte> bytes, zip::DosTime time) {
  zip::CentralEntry entry = zip::stored_entry(std::move(name), bytes.size(), end, time);
  entry.crc32 = crc32(bytes);
  const auto header = zip::encode_local_header(entry);
  file.write(end, header);
  const ByteRange out{end + header.size(), bytes.size()};
  file.write(out.offset, bytes);
  end = out.offset + out.size;
  entries.push_back(std::move(entry));
  return out;
}

void ZipOutput::finish(const taco_header::Header& header, zip::DosTime time) {
  file.write(0, taco_header::encode(header, time));
  FieldWriter out;
  zip::encode_central_entry(taco_header::central_entry(header, time), out);
  zip::Directory directory{.offset = end, .num_entries = entries.size() + 1};
  for (const auto& entry : entries) {
    zip::encode_central_entry(entry, out);
    directory.zip64 = directory.zip64 || entry.version_needed >= zip::kZip64Version;
  }
  directory.size = out.size();
  zip::encode_directory_end(directory, out);
  file.write(end, out.take());
}

}  // namespace tacore
