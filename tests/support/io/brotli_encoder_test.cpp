#include <brotli/decode.h>

#include <plimsoll/support/output_file.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

// Decodes a prefix of a stream with the library's one-shot decoder.
std::string decoded(std::string_view stream, std::size_t capacity = 1 << 22) {
  std::string text(capacity, '\0');
  BrotliDecoderState* state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  std::size_t in = stream.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(stream.data());
  std::size_t out = text.size();
  auto next_out = reinterpret_cast<std::uint8_t*>(text.data());
  BrotliDecoderDecompressStream(state, &in, &next_in, &out, &next_out, nullptr);
  BrotliDecoderDestroyInstance(state);
  text.resize(text.size() - out);
  return text;
}

TEST(BrotliEncoder, RoundTripsTextAtEveryQualityAndWindow) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * k % 977) + ',';
  for (const int quality : {0, 4, 9, 11}) {
    for (const int window : {10, 20, 24}) {
      std::string stream;
      BrotliEncoder encoder({.quality = quality, .window = window});
      for (std::size_t begin = 0; begin < text.size(); begin += 1000) {
        encoder.encode(std::string_view(text).substr(begin, 1000), stream);
      }
      encoder.finish(stream);
      EXPECT_LT(stream.size(), text.size());
      EXPECT_EQ(decoded(stream), text) << quality << ' ' << window;
    }
  }
}

TEST(BrotliEncoder, FlushesAllInput) {
  std::string stream;
  BrotliEncoder encoder;
  encoder.encode("first", stream);
  encoder.flush(stream);
  EXPECT_EQ(decoded(stream), "first");
  encoder.encode("second", stream);
  encoder.flush(stream);
  EXPECT_EQ(decoded(stream), "firstsecond");
}

TEST(BrotliEncoder, EncodesEmptyStream) {
  std::string stream;
  BrotliEncoder encoder;
  encoder.finish(stream);
  EXPECT_FALSE(stream.empty());
  EXPECT_EQ(decoded(stream), "");
}

TEST(BrotliEncoder, RejectsInvalidParameters) {
  EXPECT_ERROR(BrotliEncoder({.quality = 12}), usage, "invalid brotli quality: 12; use a value from 0 to 11");
  EXPECT_ERROR(BrotliEncoder({.quality = -1}), usage, "quality: -1");
  EXPECT_ERROR(BrotliEncoder({.window = 9}), usage, "from 10 to 24");
  EXPECT_ERROR(BrotliEncoder({.window = 25}), usage, "window: 25");
}

}  // namespace
}  // namespace plimsoll::support
