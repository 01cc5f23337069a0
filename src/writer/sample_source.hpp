#pragma once

#include <memory>
#include <string>

#include "io/byte_source.hpp"
#include "tacore/write/sample.hpp"

/// The bytes of samples before they are written. A source keeps the bytes alive; its name is the path of the file, or
/// the id of the sample.
namespace tacore {

struct Payload;

/// The bytes of a payload; `name` is for bytes without a file. Throws IoError if the file is missing, FormatError if
/// short.
std::shared_ptr<const ByteSource> source_of(const Payload& payload, const std::string& name);

/// The bytes of a sample. Throws SchemaError for a FOLDER, IoError when its file cannot be opened.
std::shared_ptr<const ByteSource> source_of(const Sample& sample);

/// The bytes of the FILE in row `row` of a level, nullptr for a FOLDER. Throws IoError as above.
std::shared_ptr<const ByteSource> source_of(const Tortilla& samples, int level, std::size_t row);

}  // namespace tacore
