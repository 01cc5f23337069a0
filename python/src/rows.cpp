#include "rows.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "text.hpp"

namespace tacore::python {
namespace {

/// Classes of Python's datetime module.
struct Clock {
  nb::object module = nb::module_::import_("datetime");
  nb::object epoch = module.attr("datetime")(1970, 1, 1);
  nb::object epoch_utc = epoch.attr("replace")(nb::arg("tzinfo") = module.attr("timezone").attr("utc"));
  nb::object span = module.attr("timedelta");
  nb::object decimal = nb::module_::import_("decimal").attr("Decimal");

  nb::object delta(int64_t microseconds) const { return span(nb::arg("microseconds") = microseconds); }
  nb::object day(int64_t days) const { return (epoch + span(days)).attr("date")(); }
};

/// A time in microseconds, the smallest unit of Python's times; nanoseconds are truncated.
int64_t microseconds(int64_t value, char unit) {
  constexpr int64_t kLimit = INT64_MAX / 1'000'000;
  if (unit == 'n') return value >= 0 ? value / 1000 : -((-value + 999) / 1000);
  if (unit == 'u') return value;
  if (value > kLimit || value < -kLimit) throw nb::value_error("a time is outside of the range of Python's datetime");
  return value * (unit == 's' ? 1'000'000 : 1000);
}

float half(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16U;
  const uint32_t exponent = (bits >> 10U) & 0x1FU;
  const uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) return (sign != 0 ? -1.0F : 1.0F) * static_cast<float>(fraction) / 16777216.0F;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13U));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23U) | (fraction << 13U));
}

bool bit(const void* bits, int64_t at) {
  return ((static_cast<const uint8_t*>(bits)[at / 8] >> static_cast<unsigned>(at % 8)) & 1U) != 0;
}

class Cells {
 public:
  nb::object value(const ArrowSchema& schema, const ArrowArray& array, int64_t row) const {
    const int64_t at = row + array.offset;
    if (array.n_buffers > 0 && array.buffers[0] != nullptr && array.null_count != 0 && !bit(array.buffers[0], at)) {
      return nb::none();
    }
    const std::string_view format = schema.format;
    if (schema.dictionary != nullptr) {
      return value(*schema.dictionary, *array.dictionary, nb::cast<int64_t>(number(format, array, at)));
    }
    switch (format[0]) {
      case 'n': return nb::none();
      case 'b': return nb::bool_(bit(array.buffers[1], at));
      case 'u': return text(bytes<int32_t>(array, at));
      case 'U': return text(bytes<int64_t>(array, at));
      case 'z': return nb_bytes(bytes<int32_t>(array, at));
      case 'Z': return nb_bytes(bytes<int64_t>(array, at));
      case 'v': return format == "vu" ? nb::object(text(view(array, at))) : nb_bytes(view(array, at));
      case 'w': return nb_bytes(fixed(format, array, at));
      case 'd': return decimal(format, array, at);
      case 't': return time(format, array, at);
      case '+': return nested(schema, array, at);
      default: return number(format, array, at);
    }
  }

 private:
  template <class T>
  static T get(const ArrowArray& array, int64_t at) {
    T out;
    std::memcpy(&out, static_cast<const std::byte*>(array.buffers[1]) + at * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    return out;
  }

  [[noreturn]] static void throw_unknown(std::string_view format) {
    throw nb::type_error(("rows: the Arrow type '" + std::string(format) + "' has no Python equivalent").c_str());
  }

  static nb::object nb_bytes(std::string_view bytes) { return nb::bytes(bytes.data(), bytes.size()); }

  static nb::object number(std::string_view format, const ArrowArray& array, int64_t at) {
    switch (format[0]) {
      case 'c': return nb::int_(get<int8_t>(array, at));
      case 'C': return nb::int_(get<uint8_t>(array, at));
      case 's': return nb::int_(get<int16_t>(array, at));
      case 'S': return nb::int_(get<uint16_t>(array, at));
      case 'i': return nb::int_(get<int32_t>(array, at));
      case 'I': return nb::int_(get<uint32_t>(array, at));
      case 'l': return nb::int_(get<int64_t>(array, at));
      case 'L': return nb::int_(get<uint64_t>(array, at));
      case 'e': return nb::float_(half(get<uint16_t>(array, at)));
      case 'f': return nb::float_(get<float>(array, at));
      case 'g': return nb::float_(get<double>(array, at));
      default: throw_unknown(format);
    }
  }

  template <class Offset>
  static std::string_view bytes(const ArrowArray& array, int64_t at) {
    const auto from = get<Offset>(array, at);
    const auto size = static_cast<size_t>(get<Offset>(array, at + 1) - from);
    return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(array.buffers[2]) + from, size);
  }

  static std::string_view view(const ArrowArray& array, int64_t at) {
    const char* one = static_cast<const char*>(array.buffers[1]) + at * 16;
    int32_t parts[4];
    std::memcpy(parts, one, sizeof(parts));
    const auto size = static_cast<size_t>(parts[0]);
    if (size <= 12) return {one + 4, size};
    return {static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], size};
  }

  static std::string_view fixed(std::string_view format, const ArrowArray& array, int64_t at) {
    const auto size = std::stoll(std::string(format.substr(2)));
    return {static_cast<const char*>(array.buffers[1]) + at * size, static_cast<size_t>(size)};
  }

  /// "d:PRECISION,SCALE[,BITS]"
  nb::object decimal(std::string_view format, const ArrowArray& array, int64_t at) const {
    const std::string numbers(format.substr(2));
    const size_t comma = numbers.find(',');
    const size_t second = numbers.find(',', comma + 1);
    const int scale = std::stoi(numbers.substr(comma + 1));
    const int64_t size = (second == std::string::npos ? 128 : std::stoi(numbers.substr(second + 1))) / 8;
    const nb::bytes raw(static_cast<const char*>(array.buffers[1]) + at * size, static_cast<size_t>(size));
    const nb::object unscaled = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type))
                                    .attr("from_bytes")(raw, "little", nb::arg("signed") = true);
    // Made from text: the arithmetic of decimals rounds to 28 digits.
    return clock_.decimal(nb::str(unscaled) + nb::str("e") + nb::str(nb::int_(-scale)));
  }

  nb::object time(std::string_view format, const ArrowArray& array, int64_t at) const {
    const char unit = format.size() > 2 ? format[2] : '\0';
    switch (format[1]) {
      case 'd': return clock_.day(unit == 'D' ? get<int32_t>(array, at) : floor_days(get<int64_t>(array, at)));
      case 't': {
        const int64_t value = unit == 's' || unit == 'm' ? get<int32_t>(array, at) : get<int64_t>(array, at);
        return (clock_.epoch + clock_.delta(microseconds(value, unit))).attr("time")();
      }
      case 's': {
        const bool zoned = format.size() > 4;
        const nb::object& epoch = zoned ? clock_.epoch_utc : clock_.epoch;
        return epoch + clock_.delta(microseconds(get<int64_t>(array, at), unit));
      }
      case 'D': return clock_.delta(microseconds(get<int64_t>(array, at), unit));
      default: throw_unknown(format);
    }
  }

  static int64_t floor_days(int64_t milliseconds) {
    constexpr int64_t kDay = 86'400'000;
    return milliseconds / kDay - (milliseconds % kDay < 0 ? 1 : 0);
  }

  nb::object nested(const ArrowSchema& schema, const ArrowArray& array, int64_t at) const {
    const std::string_view format = schema.format;
    if (format == "+s") return row(schema, array, at);
    if (format == "+l") return list(schema, array, get<int32_t>(array, at), get<int32_t>(array, at + 1));
    if (format == "+L") return list(schema, array, get<int64_t>(array, at), get<int64_t>(array, at + 1));
    if (format == "+m") return pairs(schema, array, get<int32_t>(array, at), get<int32_t>(array, at + 1));
    if (format.starts_with("+w:")) {
      const auto size = std::stoll(std::string(format.substr(3)));
      return list(schema, array, at * size, (at + 1) * size);
    }
    throw_unknown(format);
  }

  nb::object list(const ArrowSchema& schema, const ArrowArray& array, int64_t from, int64_t to) const {
    nb::list out;
    for (int64_t i = from; i < to; ++i) out.append(value(*schema.children[0], *array.children[0], i));
    return out;
  }

  /// A map as a list of tuples, since its keys need not be unique.
  nb::object pairs(const ArrowSchema& schema, const ArrowArray& array, int64_t from, int64_t to) const {
    const ArrowSchema& entry = *schema.children[0];
    const ArrowArray& entries = *array.children[0];
    nb::list out;
    for (int64_t i = from; i < to; ++i) {
      const int64_t at = i + entries.offset;
      out.append(nb::make_tuple(value(*entry.children[0], *entries.children[0], at),
                                value(*entry.children[1], *entries.children[1], at)));
    }
    return out;
  }

 public:
  /// A struct, or a row of a batch, as a dict.
  nb::object row(const ArrowSchema& schema, const ArrowArray& array, int64_t at) const {
    nb::dict out;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      out[text(schema.children[i]->name)] = value(*schema.children[i], *array.children[i], at);
    }
    return out;
  }

 private:
  Clock clock_;
};

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
  throw std::runtime_error(message != nullptr ? message : "an Arrow stream failed");
}

}  // namespace

nb::list rows_of(ArrowArrayStream& stream) {
  const Cells cells;
  nb::list out;
  Held<ArrowSchema> schema;
  check(stream, stream.get_schema(&stream, &schema.value));
  while (true) {
    Held<ArrowArray> batch;
    int code = 0;
    {
      const nb::gil_scoped_release release;
      code = stream.get_next(&stream, &batch.value);
    }
    check(stream, code);
    if (batch.value.release == nullptr) return out;
    for (int64_t i = 0; i < batch.value.length; ++i) {
      out.append(cells.row(schema.value, batch.value, i + batch.value.offset));
    }
  }
}

}  // namespace tacore::python
