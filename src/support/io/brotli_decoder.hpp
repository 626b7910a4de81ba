#pragma once

#include <brotli/decode.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// One brotli stream being decoded. Takes a window of at most 16 MiB whatever the stream claims.
class BrotliDecoder {
 public:
  enum class Status { needs_input, output_full, finished, broken };

  /// Throws std::bad_alloc.
  BrotliDecoder();

  /// Decodes from the front of `input`, which it shortens by what it took, into `output`, of which it
  /// fills the first `filled` bytes.
  Status decode(std::string_view& input, char* output, std::size_t size, std::size_t& filled);

  /// Why the stream is broken, in the library's short words.
  std::string_view complaint() const;

 private:
  struct Destroy {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Destroy> state_;
};

}  // namespace plimsoll::support
