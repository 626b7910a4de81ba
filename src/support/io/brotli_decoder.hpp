#pragma once

#include <brotli/decode.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Decoder of one brotli stream. Its window takes at most 16 MiB, even if the stream specifies a larger one.
class BrotliDecoder {
 public:
  enum class Status { needs_input, output_full, finished, broken };

  /// Creates a decoder. Throws std::bad_alloc.
  BrotliDecoder();

  /// Decodes from the front of `input` into `output`. Removes the consumed bytes from `input`, and sets
  /// `filled` to the number of bytes written.
  Status decode(std::string_view& input, char* output, std::size_t size, std::size_t& filled);

  /// Returns brotli's short description of the defect in the stream.
  std::string_view complaint() const;

 private:
  struct Destroy {
    void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
  };
  std::unique_ptr<BrotliDecoderState, Destroy> state_;
};

}  // namespace plimsoll::support
