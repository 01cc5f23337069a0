// What base/threads.cpp, base/interrupt.cpp, base/log.cpp and io/linux.cpp do, where there is one thread, nobody who
// could stop it (a page ends the worker that the module runs in), and warnings go to JavaScript. And strtod(), which
// JavaScript does better: that of the C library brings arithmetic of 128 bits along.
#include "wasm/one_thread.hpp"

#include <locale.h>

#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "base/threads.hpp"
#include "io/linux.hpp"
#include "tacore/interrupt.hpp"

__attribute__((import_module("js"), import_name("parse_number"))) extern "C" double parse_number_in_js(
    const char* text, std::size_t size);

// Of a text that is a number from its beginning to its end, which number_text.cpp makes sure of.
extern "C" double strtod_of_js(const char* text, char**, locale_t) {
  return parse_number_in_js(text, std::strlen(text));
}
extern "C" float strtof_of_js(const char* text, char**, locale_t) {
  return static_cast<float>(parse_number_in_js(text, std::strlen(text)));
}

namespace tacore {
namespace {

std::string warnings;

}  // namespace

void run_parallel(std::size_t count, int, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i) task(i);
}

void throw_if_interrupted() {}

void prefer_large_pages(std::span<std::byte>) noexcept {}

void log::debug(std::string_view) {}
void log::info(std::string_view) {}
void log::warning(std::string_view message) { warnings.append(message).append("\n"); }

std::string take_warnings() { return std::exchange(warnings, {}); }

}  // namespace tacore
