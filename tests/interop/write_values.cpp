/// Writes a dataset with metadata of every kind that Value has: write_values OUTPUT. trees.py states the same tree.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tacore/write/create.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::vector<MetadataField> metadata(int number) {
  constexpr int64_t kDay = 86'400'000'000, kMoonLanding = -14'182'940'000'000;  // 1969-07-20T20:17:40Z
  const auto code = static_cast<char>(number);
  const std::string name = "ñ " + std::to_string(number);
  Value::List counts, bands;
  for (int i = 0; i < number % 3; ++i) {
    counts.emplace_back(i - 1);
    bands.emplace_back(Struct{{"name", "B" + std::to_string(i)}, {"wavelength", i == 1 ? Value() : Value(0.5 * i)}});
  }
  std::vector<MetadataField> out{
      {"v:whole", (int64_t{1} << 62) - number, "", "a whole number"},
      {"v:real", 0.25 * number - 1},
      {"v:truth", number % 2 == 0},
      {"v:text", name},
      {"v:binary", Binary{{code, '\0', '\xFF'}}},
      {"v:time", Timestamp{kMoonLanding + number * 97 * kDay + 7}},
      {"v:day", Timestamp{number * -kDay}, "date32[day]", "UTC"},
      {"v:counts", std::move(counts), "list<item: int64>"},
      {"v:pair", Struct{{"name", name}, {"gain", 0.5 * number}}, "struct<name: string, gain: double>"},
      {"v:bands", std::move(bands), "list<item: struct<name: string, wavelength: double>>", "all bands — «in order»"}};
  for (std::size_t place = 0; place < out.size(); ++place) {
    if ((static_cast<std::size_t>(number) + place) % 4 != 0) continue;
    const char* type[] = {"int64", "double", "bool", "string", "binary", "timestamp[us]"};
    out[place].value = {};
    if (out[place].type.empty()) out[place].type = type[place];
  }
  return out;
}

Bytes bytes(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

Taco made() {
  std::vector<Sample> roots;
  int number = 0;
  for (const std::string root : {"tile_10", "tile_2", "ü"}) {
    auto of_root = metadata(number++);
    std::vector<Sample> children;
    for (const std::string child : {"red", "nir"}) {
      children.emplace_back(child, bytes(std::to_string(number) + ": " + child), metadata(number));
      ++number;
    }
    roots.emplace_back(root, Tortilla(std::move(children)), std::move(of_root));
  }
  Taco out{Tortilla(std::move(roots))};
  out.collection.id = "interop";
  out.collection.dataset_version = "1.2.3";
  out.collection.description = "Written by one, read by the other";
  out.collection.licenses = {"MIT"};
  out.collection.providers = {{.name = "interop"}};
  out.collection.tasks = {"other"};
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: write_values OUTPUT\n", stderr), 2;
  try {
    create(made(), argv[1]);
  } catch (const Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
