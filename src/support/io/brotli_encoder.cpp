#include <brotli/encode.h>
#include <fmt/format.h>

#include <new>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

struct BrotliEncoder::State {
  State() : encoder(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (encoder == nullptr) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { BrotliEncoderDestroyInstance(encoder); }

  BrotliEncoderState* encoder;
};

namespace {

void expect_in_range(const char* what, int value, int first, int last) {
  if (value >= first && value <= last) return;
  throw usage_error(fmt::format("invalid brotli {}: {}", what, value),
                    fmt::format("use a value from {} to {}", first, last));
}

}  // namespace

BrotliEncoder::BrotliEncoder(const BrotliOptions& options) {
  expect_in_range("quality", options.quality, BROTLI_MIN_QUALITY, BROTLI_MAX_QUALITY);
  expect_in_range("window", options.window, BROTLI_MIN_WINDOW_BITS, BROTLI_MAX_WINDOW_BITS);
  state_ = std::make_unique<State>();
  BrotliEncoderState* encoder = state_->encoder;
  BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, static_cast<std::uint32_t>(options.quality));
  BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, static_cast<std::uint32_t>(options.window));
  BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, options.size_hint_bytes);
}

BrotliEncoder::BrotliEncoder(BrotliEncoder&&) noexcept = default;
BrotliEncoder& BrotliEncoder::operator=(BrotliEncoder&&) noexcept = default;
BrotliEncoder::~BrotliEncoder() = default;

void BrotliEncoder::encode(std::string_view text, std::string& output) {
  run(BROTLI_OPERATION_PROCESS, text, output);
}
void BrotliEncoder::flush(std::string& output) {
  run(BROTLI_OPERATION_FLUSH, {}, output);
}
void BrotliEncoder::finish(std::string& output) {
  run(BROTLI_OPERATION_FINISH, {}, output);
}

void BrotliEncoder::run(int operation, std::string_view text, std::string& output) {
  BrotliEncoderState* encoder = state_->encoder;
  std::size_t available_in = text.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  do {
    std::size_t available_out = 0;
    // The encoder fails only if memory is exhausted: parameters and order of calls are correct here.
    if (BrotliEncoderCompressStream(encoder, static_cast<BrotliEncoderOperation>(operation), &available_in,
                                    &next_in, &available_out, nullptr, nullptr) == BROTLI_FALSE) {
      throw std::bad_alloc();
    }
    std::size_t size = 0;
    const std::uint8_t* bytes = BrotliEncoderTakeOutput(encoder, &size);
    output.append(reinterpret_cast<const char*>(bytes), size);
  } while (available_in > 0 || BrotliEncoderHasMoreOutput(encoder) == BROTLI_TRUE);
}

}  // namespace plimsoll::support
