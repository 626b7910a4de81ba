#include "support/io/brotli_decoder.hpp"

#include <new>

namespace plimsoll::PLIMSOLL_ABI::support {

BrotliDecoder::BrotliDecoder() : state_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {
  if (!state_) throw std::bad_alloc();
}

BrotliDecoder::Status BrotliDecoder::decode(std::string_view& input, char* output, std::size_t size,
                                            std::size_t& filled) {
  std::size_t available_in = input.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(input.data());
  std::size_t available_out = size;
  auto next_out = reinterpret_cast<std::uint8_t*>(output);
  const BrotliDecoderResult result = BrotliDecoderDecompressStream(state_.get(), &available_in, &next_in,
                                                                   &available_out, &next_out, nullptr);
  input.remove_prefix(input.size() - available_in);
  filled = size - available_out;
  switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS: return Status::finished;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return Status::needs_input;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return Status::output_full;
    case BROTLI_DECODER_RESULT_ERROR: break;
  }
  const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
  if (code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES)
    throw std::bad_alloc();
  return Status::broken;
}

std::string_view BrotliDecoder::complaint() const {
  std::string_view text = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state_.get()));
  return text.substr(text.starts_with('_') ? 1 : 0);
}

}  // namespace plimsoll::support
