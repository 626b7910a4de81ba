#pragma once

#include <brotli/decode.h>

#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::testing {

/// Decodes a brotli stream, which may be truncated.
inline std::string decoded(std::string_view stream) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  std::string text;
  std::size_t in = stream.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(stream.data());
  std::string piece(1 << 16, '\0');
  while (true) {
    std::size_t room = piece.size();
    auto next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    const auto result = BrotliDecoderDecompressStream(state.get(), &in, &next_in, &room, &next_out, nullptr);
    text.append(piece, 0, piece.size() - room);
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) continue;
    if (BrotliDecoderHasMoreOutput(state.get()) == BROTLI_FALSE) return text;
  }
}

}  // namespace plimsoll::testing
