#include "base/zstd.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <new>
#include <string>

#include "tacore/error.hpp"

namespace tacore {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

ZSTD_DCtx* context_of_thread() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

[[noreturn]] void fail(std::size_t result) { throw FormatError(std::string("ZSTD: ") + ZSTD_getErrorName(result)); }

[[noreturn]] void fail_short(std::size_t found, std::size_t expected) {
  throw FormatError("the data end after " + std::to_string(found) + " of " + std::to_string(expected) + " bytes");
}

std::size_t decompress_at_once(std::span<const std::byte> in, std::span<std::byte> out) {
  return ZSTD_decompressDCtx(context_of_thread(), out.data(), out.size(), in.data(), in.size());
}

/// Decompresses frames that hold more than `out`, or have other data behind them.
void decompress_stream(std::span<const std::byte> in, std::span<std::byte> out) {
  ZSTD_DCtx* context = context_of_thread();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (to.pos < to.size && from.pos < from.size) {
    const std::size_t result = ZSTD_decompressStream(context, &to, &from);
    if (ZSTD_isError(result)) fail(result);
  }
  if (to.pos < to.size) fail_short(to.pos, to.size);
}

}  // namespace

void decompress_zstd_start(std::span<const std::byte> in, std::span<std::byte> out) {
  const std::size_t result = decompress_at_once(in, out);
  if (!ZSTD_isError(result)) {
    if (result < out.size()) fail_short(result, out.size());
    return;
  }
  switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_dstSize_tooSmall:
    case ZSTD_error_srcSize_wrong:
    case ZSTD_error_prefix_unknown: return decompress_stream(in, out);
    default: fail(result);
  }
}

std::optional<std::size_t> decompress_zstd(std::span<const std::byte> in, std::span<std::byte> out) {
  const std::size_t result = decompress_at_once(in, out);
  if (!ZSTD_isError(result)) return result;
  if (ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall) return std::nullopt;
  fail(result);
}

}  // namespace tacore
