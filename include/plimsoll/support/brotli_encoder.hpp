#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Compression parameters. The defaults suit a program that writes while it computes: brotli's default
/// quality, 11, is a hundred times slower.
struct BrotliOptions {
  int quality = 4;  ///< 0 (fast) to 11 (small)
  int window = 20;  ///< log2 of the window in bytes, 10 to 24
  std::uint32_t size_hint_bytes =
      4 << 20;  ///< expected text size; without it quality 4 uses a weaker match finder
};

/// Encoder of one brotli stream. It appends compressed bytes to the caller's string.
class BrotliEncoder {
 public:
  /// Creates an encoder. Throws Error (usage) for a quality or window out of range.
  explicit BrotliEncoder(const BrotliOptions& options = {});
  BrotliEncoder(BrotliEncoder&&) noexcept;
  BrotliEncoder& operator=(BrotliEncoder&&) noexcept;
  ~BrotliEncoder();

  /// Encodes text; the output may lag behind.
  void encode(std::string_view text, std::string& output);
  /// Outputs everything encoded so far, so that the bytes up to here decode to the complete text.
  void flush(std::string& output);
  /// Ends the stream; no text may follow.
  void finish(std::string& output);

 private:
  struct State;
  void run(int operation, std::string_view text, std::string& output);
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::support
