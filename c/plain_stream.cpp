#include "plain_stream.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.hpp"
#include "tacore/error.hpp"

/// Conversion of any Arrow stream to the few types that a client converts without an Arrow library. It works on the C
/// structs alone: format letters are those of Arrow's C data interface.
namespace tacore::c {
namespace {

enum class Kind { Bool, Int32, Int64, Double, Text, Binary, Date, Timestamp, List, Struct };

/// The bit of a row in the byte that holds it.
constexpr std::byte bit_at(int64_t row) { return std::byte{1} << static_cast<unsigned>(row % 8); }

const char* format_of(Kind kind) {
  switch (kind) {
    case Kind::Bool: return "b";
    case Kind::Int32: return "i";
    case Kind::Int64: return "l";
    case Kind::Double: return "g";
    case Kind::Text: return "u";
    case Kind::Binary: return "z";
    case Kind::Date: return "tdD";
    case Kind::Timestamp: return "tsu:UTC";
    case Kind::List: return "+l";
    case Kind::Struct: return "+s";
  }
  return "";
}

/// Bytes of a value of a fixed size; 0 for the others, and for bits.
std::size_t width_of(Kind kind) {
  switch (kind) {
    case Kind::Int32:
    case Kind::Date: return 4;
    case Kind::Int64:
    case Kind::Double:
    case Kind::Timestamp: return 8;
    default: return 0;
  }
}

bool bit_at(const void* bits, int64_t at) {
  return ((static_cast<const uint8_t*>(bits)[at / 8] >> static_cast<unsigned>(at % 8)) & 1U) != 0;
}

template <class T>
T get(const ArrowArray& array, std::size_t buffer, int64_t at) {
  T out;
  std::memcpy(&out, static_cast<const std::byte*>(array.buffers[buffer]) + at * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return out;
}

double half(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const double fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// Whole bytes, and those of a value of variable size.
std::string_view bytes_at(const ArrowArray& array, std::string_view format, int64_t at) {
  const auto part = [&](int64_t from, int64_t to) {
    return from == to ? std::string_view()
                      : std::string_view(static_cast<const char*>(array.buffers[2]) + from,
                                         static_cast<std::size_t>(to - from));
  };
  switch (format[0]) {
    case 'u':
    case 'z': return part(get<int32_t>(array, 1, at), get<int32_t>(array, 1, at + 1));
    case 'U':
    case 'Z': return part(get<int64_t>(array, 1, at), get<int64_t>(array, 1, at + 1));
    case 'w': {
      const auto size = std::stoll(std::string(format.substr(2)));
      return {static_cast<const char*>(array.buffers[1]) + at * size, static_cast<std::size_t>(size)};
    }
    default: {  // a view: size, then the bytes, or prefix, buffer and offset
      const char* view = static_cast<const char*>(array.buffers[1]) + at * 16;
      int32_t parts[4];
      std::memcpy(parts, view, sizeof parts);
      const auto size = static_cast<std::size_t>(parts[0]);
      if (size <= 12) return {view + 4, size};
      return {static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], size};
    }
  }
}

/// The values of one column in plain form; batches are appended.
class PlainColumn {
 public:
  explicit PlainColumn(const ArrowSchema& from, std::string path)
      : name_(from.name != nullptr ? from.name : ""), path_(path.empty() ? name_ : std::move(path)) {
    const ArrowSchema& values = from.dictionary != nullptr ? *from.dictionary : from;
    kind_ = kind_of(values.format);
    if (kind_ != Kind::List && kind_ != Kind::Struct) return;
    for (int64_t i = 0; i < values.n_children; ++i) {
      const ArrowSchema& child = *values.children[i];
      // A map is a list of structs of its key and value.
      const std::string step = kind_ == Kind::List ? "[]" : "." + std::string(child.name);
      children_.emplace_back(child, path_.empty() ? std::string(child.name) : path_ + step);
      if (kind_ == Kind::List) children_.back().name_ = "item";
    }
  }

  int64_t length() const noexcept { return length_; }

  /// Makes room for whole batches, so that they are copied once.
  void reserve(const ArrowSchema& schema, const std::vector<const ArrowArray*>& batches) {
    const std::string_view format = schema.format;
    std::size_t num_values = 0, num_bytes = 0;
    for (const ArrowArray* batch : batches) {
      num_values += static_cast<std::size_t>(batch->length);
      if ((format == "u" || format == "z") && batch->length > 0)
        num_bytes += static_cast<std::size_t>(get<int32_t>(*batch, 1, batch->offset + batch->length) -
                                              get<int32_t>(*batch, 1, batch->offset));
    }
    if (kind_ == Kind::Text || kind_ == Kind::Binary || kind_ == Kind::List) offsets_.reserve(num_values + 1);
    data_.reserve(kind_ == Kind::Bool ? num_values / 8 + 1 : std::max(num_bytes, num_values * width_of(kind_)));
    if (kind_ != Kind::Struct || schema.dictionary != nullptr) return;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      std::vector<const ArrowArray*> parts;
      for (const ArrowArray* batch : batches) parts.push_back(batch->children[i]);
      children_[i].reserve(*schema.children[i], parts);
    }
  }

  /// Appends `count` values from `first` on, which counts without the offset of the array.
  void append(const ArrowSchema& schema, const ArrowArray& array, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) append_one(schema, array, i);
  }

  /// Appends a whole batch.
  void append(const ArrowSchema& schema, const ArrowArray& array) {
    if (append_block(schema, array)) return;
    append(schema, array, 0, array.length);
  }

  void export_schema(ArrowSchema* out) const;
  void export_array(ArrowArray* out);

  std::vector<PlainColumn>& children() noexcept { return children_; }
  void set_length(int64_t length) noexcept { length_ = length; }

 private:
  Kind kind_of(std::string_view format) const {
    switch (format[0]) {
      case 'n':
      case 'b': return Kind::Bool;  // of a column without any value: null, whatever its type
      case 'c':
      case 'C':
      case 's':
      case 'S':
      case 'i': return Kind::Int32;
      case 'I':
      case 'l':
      case 'L': return Kind::Int64;
      case 'e':
      case 'f':
      case 'g':
      case 'd': return Kind::Double;
      case 'u':
      case 'U': return Kind::Text;
      case 'z':
      case 'Z':
      case 'w': return Kind::Binary;
      case 'v': return format == "vu" ? Kind::Text : Kind::Binary;
      case 't':
        if (format[1] == 'd') return Kind::Date;
        if (format[1] == 's') return Kind::Timestamp;
        break;
      case '+':
        if (format == "+s") return Kind::Struct;
        if (format == "+l" || format == "+L" || format == "+m" || format.starts_with("+w:")) return Kind::List;
        break;
      default: break;
    }
    throw SchemaError("column '" + path_ + "' has the Arrow type '" + std::string(format) +
                      "', which has no plain form; cast it in SQL, such as CAST(x AS VARCHAR)");
  }

  [[noreturn]] void throw_too_large(const std::string& value, const char* type) const {
    throw SchemaError("column '" + path_ + "' has the value " + value + ", which " + type + " cannot hold");
  }

  static bool is_null(const ArrowArray& array, int64_t at) {
    return array.n_buffers > 0 && array.buffers[0] != nullptr && array.null_count != 0 && !bit_at(array.buffers[0], at);
  }

  void append_one(const ArrowSchema& schema, const ArrowArray& array, int64_t row) {
    const int64_t at = row + array.offset;
    const std::string_view format = schema.format;
    if (format == "n" || is_null(array, at)) return append_null();
    if (schema.dictionary != nullptr) {
      return append_one(*schema.dictionary, *array.dictionary, integer(format, array, at));
    }
    switch (kind_) {
      case Kind::Bool: return append_bit(bit_at(array.buffers[1], at));
      case Kind::Int32: return append_number(static_cast<int32_t>(integer(format, array, at)));
      case Kind::Int64: return append_number(integer(format, array, at));
      case Kind::Double: return append_number(real(format, array, at));
      case Kind::Text:
      case Kind::Binary: return append_bytes(bytes_at(array, format, at));
      case Kind::Date: return append_number(day(format, array, at));
      case Kind::Timestamp: return append_number(microseconds(get<int64_t>(array, 1, at), format[2]));
      case Kind::List: return append_list(schema, array, at);
      case Kind::Struct:
        for (std::size_t i = 0; i < children_.size(); ++i)
          children_[i].append_one(*schema.children[i], *array.children[i], at);
        return append_valid();
    }
  }

  /// The common cases, of many values at once: types that are plain already. False: value by value.
  bool append_block(const ArrowSchema& schema, const ArrowArray& array) {
    const std::string_view format = schema.format;
    if (schema.dictionary != nullptr) return false;
    const bool is_fixed = width_of(kind_) > 0 && (format == format_of(kind_) || format.starts_with("tsu:"));
    const bool is_text = format == "u" || format == "z";
    if (!is_fixed && !is_text && format != "+s") return false;
    if (array.length == 0) return true;
    if (is_text) {
      const int32_t from = get<int32_t>(array, 1, array.offset),
                    to = get<int32_t>(array, 1, array.offset + array.length);
      check_size(static_cast<std::size_t>(to - from));
      const auto base = static_cast<int32_t>(data_.size()) - from;
      if (offsets_.empty()) offsets_.push_back(0);
      offsets_.reserve(offsets_.size() + static_cast<std::size_t>(array.length));
      for (int64_t i = 1; i <= array.length; ++i) offsets_.push_back(get<int32_t>(array, 1, array.offset + i) + base);
      if (to > from)
        add_bytes(static_cast<const std::byte*>(array.buffers[2]) + from, static_cast<std::size_t>(to - from));
    } else if (is_fixed) {
      const auto width = static_cast<int64_t>(width_of(kind_));
      add_bytes(static_cast<const std::byte*>(array.buffers[1]) + array.offset * width,
                static_cast<std::size_t>(array.length * width));
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      // The values of a struct begin at its own offset.
      const ArrowArray& child = *array.children[i];
      if (array.offset == 0 && child.length == array.length) children_[i].append(*schema.children[i], child);
      else children_[i].append(*schema.children[i], child, array.offset, array.length);
    }
    if (array.null_count == 0 || array.buffers[0] == nullptr) {
      if (has_nulls_) {
        for (int64_t i = 0; i < array.length; ++i) set_valid(length_ + i, true);
      }
    } else {
      for (int64_t i = 0; i < array.length; ++i) {
        const bool is_valid = bit_at(array.buffers[0], array.offset + i);
        if (!is_valid) note_null(length_ + i);
        else if (has_nulls_) set_valid(length_ + i, true);
      }
    }
    length_ += array.length;
    return true;
  }

  int64_t integer(std::string_view format, const ArrowArray& array, int64_t at) const {
    switch (format[0]) {
      case 'c': return get<int8_t>(array, 1, at);
      case 'C': return get<uint8_t>(array, 1, at);
      case 's': return get<int16_t>(array, 1, at);
      case 'S': return get<uint16_t>(array, 1, at);
      case 'i': return get<int32_t>(array, 1, at);
      case 'I': return get<uint32_t>(array, 1, at);
      case 'l': return get<int64_t>(array, 1, at);
      default: {
        const auto value = get<uint64_t>(array, 1, at);
        if (value > uint64_t{INT64_MAX}) throw_too_large(std::to_string(value), "int64");
        return static_cast<int64_t>(value);
      }
    }
  }

  static double real(std::string_view format, const ArrowArray& array, int64_t at) {
    switch (format[0]) {
      case 'e': return half(get<uint16_t>(array, 1, at));
      case 'f': return get<float>(array, 1, at);
      case 'g': return get<double>(array, 1, at);
      default: return decimal(format, array, at);
    }
  }

  /// "d:PRECISION,SCALE[,BITS]", a number in two's complement. The nearest double is that of its text.
  static double decimal(std::string_view format, const ArrowArray& array, int64_t at) {
    const std::string numbers(format.substr(2));
    const std::size_t comma = numbers.find(','), second = numbers.find(',', comma + 1);
    const int scale = std::stoi(numbers.substr(comma + 1));
    const int num_words = (second == std::string::npos ? 128 : std::stoi(numbers.substr(second + 1))) / 32;
    std::vector<uint32_t> words(static_cast<std::size_t>(num_words));
    std::memcpy(words.data(), static_cast<const std::byte*>(array.buffers[1]) + at * num_words * 4, words.size() * 4);
    const bool is_negative = (words.back() >> 31U) != 0;
    if (is_negative) {  // two's complement
      uint64_t carry = 1;
      for (auto& word : words) {
        carry += static_cast<uint32_t>(~word);
        word = static_cast<uint32_t>(carry);
        carry >>= 32U;
      }
    }
    std::string digits;
    bool is_left = true;
    while (is_left) {  // division by 10
      uint64_t rest = 0;
      is_left = false;
      for (std::size_t i = words.size(); i-- > 0;) {
        rest = rest << 32U | words[i];
        words[i] = static_cast<uint32_t>(rest / 10);
        is_left = is_left || words[i] != 0;
        rest %= 10;
      }
      digits.insert(digits.begin(), static_cast<char>('0' + rest));
    }
    return parse_double((is_negative ? "-" : "") + digits + "e" + std::to_string(-scale));
  }

  static double parse_double(const std::string& text) {
    // Neither a point nor a group separator is in it, so the locale does not matter.
    return std::strtod(text.c_str(), nullptr);
  }

  int32_t day(std::string_view format, const ArrowArray& array, int64_t at) const {
    if (format == "tdD") return get<int32_t>(array, 1, at);
    constexpr int64_t kDay = 86'400'000;
    const auto milliseconds = get<int64_t>(array, 1, at);
    const int64_t days = milliseconds / kDay;
    if (milliseconds % kDay != 0 || days < INT32_MIN || days > INT32_MAX)
      throw_too_large(std::to_string(milliseconds) + " ms", "a date");
    return static_cast<int32_t>(days);
  }

  int64_t microseconds(int64_t value, char unit) const {
    if (unit == 'u') return value;
    if (unit == 'n' && value % 1000 == 0) return value / 1000;
    if (unit == 'n') throw_too_large(std::to_string(value) + " ns", "a timestamp in microseconds");
    int64_t out = 0;
    if (__builtin_mul_overflow(value, int64_t{unit == 's' ? 1'000'000 : 1000}, &out))
      throw_too_large(std::to_string(value) + (unit == 's' ? " s" : " ms"), "a timestamp in microseconds");
    return out;
  }

  void append_list(const ArrowSchema& schema, const ArrowArray& array, int64_t at) {
    const std::string_view format = schema.format;
    int64_t from = 0, to = 0;
    if (format == "+L") {
      from = get<int64_t>(array, 1, at), to = get<int64_t>(array, 1, at + 1);
    } else if (format.starts_with("+w:")) {
      const auto size = std::stoll(std::string(format.substr(3)));
      from = at * size, to = from + size;
    } else {
      from = get<int32_t>(array, 1, at), to = get<int32_t>(array, 1, at + 1);
    }
    children_[0].append(*schema.children[0], *array.children[0], from, to - from);
    if (children_[0].length() > INT32_MAX)
      throw SchemaError("column '" + path_ + "' has more than 2^31 - 1 items in its lists; fewer rows expected");
    if (offsets_.empty()) offsets_.push_back(0);
    offsets_.push_back(static_cast<int32_t>(children_[0].length()));
    append_valid();
  }

  void check_size(std::size_t more) const {
    if (data_.size() + more > std::size_t{INT32_MAX})
      throw SchemaError("column '" + path_ + "' has more than 2 GiB of text or bytes; fewer rows expected");
  }

  void add_bytes(const std::byte* from, std::size_t size) { data_.insert(data_.end(), from, from + size); }

  void append_bytes(std::string_view bytes) {
    check_size(bytes.size());
    if (offsets_.empty()) offsets_.push_back(0);
    add_bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    offsets_.push_back(static_cast<int32_t>(data_.size()));
    append_valid();
  }

  template <class T>
  void append_number(T value) {
    add_bytes(reinterpret_cast<const std::byte*>(&value), sizeof value);
    append_valid();
  }

  void append_bit(bool value) {
    if (length_ % 8 == 0) data_.push_back(std::byte{0});
    if (value) data_.back() |= bit_at(length_);
    append_valid();
  }

  void append_null() {
    note_null(length_);
    if (kind_ == Kind::Bool && length_ % 8 == 0) data_.push_back(std::byte{0});
    data_.resize(data_.size() + width_of(kind_));
    if (kind_ == Kind::Struct) {
      for (PlainColumn& child : children_) child.append_null();
    }
    if (kind_ == Kind::Text || kind_ == Kind::Binary || kind_ == Kind::List) {
      if (offsets_.empty()) offsets_.push_back(0);
      offsets_.push_back(offsets_.back());
    }
    ++length_;
  }

  void append_valid() {
    if (has_nulls_) set_valid(length_, true);
    ++length_;
  }

  void set_valid(int64_t row, bool is_valid) {
    const auto byte = static_cast<std::size_t>(row / 8);
    if (byte >= valid_.size()) valid_.resize(byte + 1);
    if (is_valid) valid_[byte] |= bit_at(row);
  }

  void note_null(int64_t row) {
    if (!has_nulls_) {  // all before it are valid
      for (int64_t i = 0; i < row; ++i) set_valid(i, true);
      has_nulls_ = true;
    }
    set_valid(row, false);
    ++num_nulls_;
  }

  std::string name_, path_;
  Kind kind_ = Kind::Struct;
  int64_t length_ = 0;
  int64_t num_nulls_ = 0;
  bool has_nulls_ = false;
  std::vector<std::byte> valid_ = {};
  std::vector<int32_t> offsets_ = {};
  std::vector<std::byte> data_ = {};
  std::vector<PlainColumn> children_ = {};
};

/// What a released struct owns.
struct SchemaParts {
  std::string name;
  std::vector<ArrowSchema> children = {};
  std::vector<ArrowSchema*> pointers = {};
};

struct ArrayParts {
  std::vector<std::byte> valid = {};
  std::vector<int32_t> offsets = {};
  std::vector<std::byte> data = {};
  std::vector<const void*> buffers = {};
  std::vector<ArrowArray> children = {};
  std::vector<ArrowArray*> pointers = {};
};

/// Frees an Arrow struct of ours with its children, those that the caller has not moved away.
template <class Struct, class Parts>
void release(Struct* self) {
  std::unique_ptr<Parts> parts(static_cast<Parts*>(self->private_data));
  for (Struct& child : parts->children) {
    if (child.release != nullptr) child.release(&child);
  }
  self->release = nullptr;
}

void PlainColumn::export_schema(ArrowSchema* out) const {
  auto parts = std::make_unique<SchemaParts>(SchemaParts{.name = name_});
  parts->children.resize(children_.size());
  for (std::size_t i = 0; i < children_.size(); ++i) children_[i].export_schema(&parts->children[i]);
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  *out = {};
  out->format = format_of(kind_);
  out->name = parts->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  out->n_children = static_cast<int64_t>(children_.size());
  out->children = parts->pointers.data();
  out->release = release<ArrowSchema, SchemaParts>;
  out->private_data = parts.release();
}

void PlainColumn::export_array(ArrowArray* out) {
  auto parts = std::make_unique<ArrayParts>();
  parts->valid = std::move(valid_);
  parts->offsets = std::move(offsets_);
  parts->data = std::move(data_);
  static constexpr int64_t kNothing = 0;  // the address of an empty buffer
  const auto address = [](const auto& bytes) {
    return bytes.empty() ? static_cast<const void*>(&kNothing) : static_cast<const void*>(bytes.data());
  };
  parts->buffers.push_back(num_nulls_ > 0 ? parts->valid.data() : nullptr);
  const bool has_offsets = kind_ == Kind::Text || kind_ == Kind::Binary || kind_ == Kind::List;
  if (has_offsets) parts->buffers.push_back(address(parts->offsets));
  if (kind_ != Kind::List && kind_ != Kind::Struct) parts->buffers.push_back(address(parts->data));
  parts->children.resize(children_.size());
  for (std::size_t i = 0; i < children_.size(); ++i) children_[i].export_array(&parts->children[i]);
  for (ArrowArray& child : parts->children) parts->pointers.push_back(&child);
  *out = {};
  out->length = length_;
  out->null_count = num_nulls_;
  out->n_buffers = static_cast<int64_t>(parts->buffers.size());
  out->buffers = parts->buffers.data();
  out->n_children = static_cast<int64_t>(children_.size());
  out->children = parts->pointers.data();
  out->release = release<ArrowArray, ArrayParts>;
  out->private_data = parts.release();
}

/// An Arrow struct of others, which is released at the end.
template <class T>
struct Held {
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
  T value{};
};

void check(ArrowArrayStream& stream, int code) {
  if (code == 0) return;
  const char* message = stream.get_last_error(&stream);
  throw IoError(message != nullptr ? message : "an Arrow stream failed", {}, 0);
}

/// A stream of the one batch that it holds.
struct OneBatch {
  Held<ArrowSchema> schema;
  Held<ArrowArray> batch;
  std::string error = {};
};

int get_schema(ArrowArrayStream* self, ArrowSchema* out);

int get_next(ArrowArrayStream* self, ArrowArray* out) {
  auto& held = *static_cast<OneBatch*>(self->private_data);
  *out = held.batch.value;  // moved; after the end it is a released one
  held.batch.value = {};
  return 0;
}

const char* get_last_error(ArrowArrayStream* self) {
  const auto& held = *static_cast<const OneBatch*>(self->private_data);
  return held.error.empty() ? nullptr : held.error.c_str();
}

void release_stream(ArrowArrayStream* self) {
  delete static_cast<OneBatch*>(self->private_data);
  self->release = nullptr;
}

/// A copy of a schema of ours, whose formats are static.
void copy_schema(const ArrowSchema& from, ArrowSchema* out) {
  auto parts = std::make_unique<SchemaParts>(SchemaParts{.name = from.name});
  parts->children.resize(static_cast<std::size_t>(from.n_children));
  for (std::size_t i = 0; i < parts->children.size(); ++i) copy_schema(*from.children[i], &parts->children[i]);
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  *out = from;
  out->name = parts->name.c_str();
  out->children = parts->pointers.data();
  out->private_data = parts.release();
}

int get_schema(ArrowArrayStream* self, ArrowSchema* out) {
  auto& held = *static_cast<OneBatch*>(self->private_data);
  try {
    copy_schema(held.schema.value, out);
    return 0;
  } catch (const std::bad_alloc&) {
    held.error = "not enough memory";
    return ENOMEM;
  }
}

}  // namespace

void make_plain(ArrowArrayStream* in, ArrowArrayStream* out) {
  Held<ArrowArrayStream> source;
  source.value = *in;  // moved
  *in = {};
  Held<ArrowSchema> schema;
  check(source.value, source.value.get_schema(&source.value, &schema.value));
  PlainColumn rows(schema.value, "");
  std::deque<Held<ArrowArray>> batches;
  std::vector<const ArrowArray*> arrays;
  while (true) {
    ArrowArray& next = batches.emplace_back().value;
    check(source.value, source.value.get_next(&source.value, &next));
    if (next.release == nullptr) break;
    arrays.push_back(&next);
  }
  rows.reserve(schema.value, arrays);
  for (const ArrowArray* batch : arrays) rows.append(schema.value, *batch);
  auto held = std::make_unique<OneBatch>();
  rows.export_schema(&held->schema.value);
  rows.export_array(&held->batch.value);
  *out = {};
  out->get_schema = get_schema;
  out->get_next = get_next;
  out->get_last_error = get_last_error;
  out->release = release_stream;
  out->private_data = held.release();
}

void export_rows(const std::function<void(ArrowArrayStream*)>& source, int32_t flags, ArrowArrayStream* out) {
  if ((flags & ~TACORE_PLAIN) != 0) throw ArgumentError("flags: 0 or TACORE_PLAIN expected");
  if (flags == 0) return source(out);
  ArrowArrayStream rows = {};
  source(&rows);
  make_plain(&rows, out);
}

}  // namespace tacore::c
