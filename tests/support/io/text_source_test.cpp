#include <brotli/encode.h>
#include <sys/stat.h>

#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "support/io/small_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

std::string read_all(TextSource source, std::size_t piece = 1 << 16) {
  std::string text;
  std::string buffer(piece, '\0');
  while (const std::size_t got = source.read(buffer.data(), buffer.size())) text.append(buffer, 0, got);
  return text;
}

std::string read_text(std::string_view content, const SizeLimits& limits = {}, std::size_t piece = 1 << 16) {
  return read_all(TextSource(content, "memory", small_format, limits), piece);
}

std::string compressed(std::string_view text, int quality = 4, int window = 20) {
  std::string stream;
  BrotliEncoder encoder({.quality = quality, .window = window});
  encoder.encode(text, stream);
  encoder.finish(stream);
  return stream;
}

std::string long_text() {
  std::string text = "{\"values\":[0";
  for (int k = 1; k < 60000; ++k) text += "," + std::to_string(k * 7919 % 10007);
  return text + "]}";
}

TEST(TextSource, ReadsPlainText) {
  EXPECT_EQ(read_text("{}"), "{}");
  EXPECT_EQ(read_text("\r\n\t {\n \"a\" : 1}"), "\r\n\t {\n \"a\" : 1}");
  EXPECT_EQ(read_text("{"), "{");
  const std::string text = long_text();
  EXPECT_EQ(read_text(text), text);
  EXPECT_EQ(read_text(text, {}, 1000003), text);
  EXPECT_EQ(read_text(text, {}, 7), text);
}

TEST(TextSource, ReadsBrotliOfAnyQualityAndWindowInPiecesOfAnySize) {
  const std::string text = long_text();
  for (const int quality : {0, 1, 4, 8, 11}) {
    for (const int window : {10, 16, 20, 24}) {
      EXPECT_EQ(read_text(compressed(text, quality, window)), text);
    }
  }
  const std::string stream = compressed(text);
  for (const std::size_t piece : {1, 13, 65536, 1 << 24}) EXPECT_EQ(read_text(stream, {}, piece), text);
}

// The decoder has consumed all input but still holds text that did not fit into the buffer.
TEST(TextSource, DeliversAllTextOfTruncatedStreamForAnyPieceSize) {
  const auto text_before_the_cut = [](std::string_view stream, std::size_t piece) {
    TextSource source(stream, "cut", small_format);
    std::string text;
    std::string buffer(piece, '\0');
    EXPECT_THROW(
        while (const std::size_t got = source.read(buffer.data(), piece)) text.append(buffer, 0, got),
        TruncatedError);
    return text;
  };
  const std::string whole = "{\"a\":\"" + std::string(3'000'000, 'x') + "\"}";
  std::string stream;
  BrotliEncoder encoder({.quality = 4, .window = 22});
  encoder.encode(whole, stream);
  encoder.flush(stream);
  for (const std::size_t piece : {std::size_t{1} << 24, std::size_t{1} << 16, std::size_t{1000}}) {
    EXPECT_EQ(text_before_the_cut(stream, piece), whole) << piece;
  }
}

// The reader of vt loses the last byte of such texts.
TEST(TextSource, ReadsTextsNearMultiplesOfBufferSize) {
  for (const std::size_t size : {65535, 65536, 65537, 131073}) {
    std::string text = "{\"a\":\"" + std::string(size - 8, 'x') + "\"}";
    ASSERT_EQ(text.size(), size);
    EXPECT_EQ(read_text(text), text);
    EXPECT_EQ(read_text(compressed(text)), text);
  }
}

TEST(TextSource, DetectsCompressionByContentEvenIfStreamBeginsWithBrace) {
  const std::string stream = compressed("{}");
  EXPECT_TRUE(TextSource(stream, "x", small_format).compressed());
  EXPECT_FALSE(TextSource("{\"a\":1}", "x", small_format).compressed());
  EXPECT_FALSE(TextSource(" {}", "x", small_format).compressed());
  // 0x7B, '{', is also a brotli header: window 2^21, followed by bits with value 2.
  EXPECT_TRUE(TextSource(std::string_view("{\x01\x80", 3), "x", small_format).compressed());
}

TEST(TextSource, ReadsFilesAndReportsTheirSize) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  const std::string stream = compressed(text);
  const std::string path = folder.write("data.json", stream);
  TextSource source(path, small_format);
  EXPECT_TRUE(source.compressed());
  EXPECT_EQ(source.name(), path);
  EXPECT_EQ(source.file_bytes(), stream.size());
  EXPECT_EQ(read_all(std::move(source)), text);

  TextSource plain(folder.write("plain.json", text), small_format);
  std::string buffer(text.size() + 1, '\0');
  EXPECT_EQ(plain.read(buffer.data(), buffer.size()), text.size());
  EXPECT_EQ(plain.read(buffer.data(), buffer.size()), 0U);
}

TEST(TextSource, NamesFileThatCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_ERROR(TextSource(folder / "none", small_format), system,
               "none: cannot open for reading: No such file");
  EXPECT_ERROR(TextSource(folder.path(), small_format), bad_input, "is a directory");
}

TEST(TextSource, RejectsTextThatIsNeitherExpectedFormatNorBrotli) {
  const std::string message =
      "memory: is neither a small text nor a brotli stream; check that it begins with '{'";
  EXPECT_ERROR(read_text("[1, 2]"), bad_input, message);
  EXPECT_ERROR(read_text("\"text\""), bad_input, message);
  EXPECT_ERROR(read_text("hello world"), bad_input, message);
  EXPECT_ERROR(read_text("{hello}"), bad_input, message);
  EXPECT_ERROR(read_text("\xEF\xBB\xBF{\"a\":1}"), bad_input, message);
  EXPECT_ERROR(read_text(""), bad_input, "memory: is empty");
  EXPECT_ERROR(read_text(" \n"), bad_input, "contains only white space");
}

TEST(TextSource, ReportsEveryTruncation) {
  const std::string stream = compressed("{\"metadata\":{\"rank\":0,\"type\":\"LBDatafile\"},\"phases\":[]}");
  for (std::size_t size = 1; size < stream.size(); ++size) {
    EXPECT_ERROR(read_text(std::string_view(stream).substr(0, size)), bad_input, "memory: is n");
  }
}

TEST(TextSource, DeliversTextBeforeTruncation) {
  std::string stream;
  BrotliEncoder encoder;
  encoder.encode("{\"phases\":[1", stream);
  encoder.flush(stream);
  std::string buffer(100, '\0');
  TextSource source(stream, "cut", small_format);
  EXPECT_EQ(source.read(buffer.data(), buffer.size()), 12U);
  EXPECT_ERROR(source.read(buffer.data(), buffer.size()), bad_input, "ends in the middle of the stream");
  EXPECT_ERROR(source.read(buffer.data(), buffer.size()), bad_input, "ends in the middle of the stream");
}

TEST(TextSource, ReportsBytesAfterStream) {
  const std::string stream = compressed(long_text());
  EXPECT_ERROR(read_text(stream + "x"), bad_input, "continues after the end");
  EXPECT_ERROR(read_text(stream + stream), bad_input, "continues after the end");
}

TEST(TextSource, ReadsOrRejectsTextWithAnyFlippedBit) {
  const std::string text =
      "{\"metadata\":{\"rank\":0,\"type\":\"LBDatafile\"},\"phases\":[{\"id\":0,\"tasks\":[]}]}";
  const std::string stream = compressed(text);
  for (std::size_t position = 0; position < stream.size(); ++position) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = stream;
      damaged[position] = static_cast<char>(damaged[position] ^ (1 << bit));
      const auto error = plimsoll::testing::error_of([&] { read_text(damaged); });
      if (error) {
        EXPECT_EQ(error->kind(), ErrorKind::bad_input) << error->what();
      }
    }
  }
}

TEST(TextSource, LimitsSize) {
  const std::string text = long_text();
  const SizeLimits exact = {.max_bytes = text.size()};
  const SizeLimits short_of_one = {.max_bytes = text.size() - 1};
  for (const std::string& content : {text, compressed(text)}) {
    for (const std::size_t piece : {1000, 1 << 24}) {
      EXPECT_EQ(read_text(content, exact, piece), text);
      EXPECT_ERROR(read_text(content, short_of_one, piece), bad_input, "of text; set a higher size limit");
    }
  }
}

TEST(TextSource, LimitsCompressionRatioOfLargeTexts) {
  const std::string stream = compressed("{\"" + std::string(std::size_t{66} << 20, ' ') + "\"}");
  ASSERT_LT(stream.size(), 20000U);
  const std::size_t size = (std::size_t{66} << 20) + 4;
  const SizeLimits below = {.ratio_allowance = size - 1};
  EXPECT_ERROR(read_text(stream, below), bad_input, "expands to more than 1000 times its size");
  EXPECT_ERROR(read_text(stream), bad_input, "expands to more than 1000 times its size");
  EXPECT_ERROR(read_text(stream, below, std::size_t{128} << 20), bad_input,
               "expands to more than 1000 times");
  EXPECT_EQ(read_text(stream, {.max_ratio = 1000000, .ratio_allowance = 0}).size(), size);
  EXPECT_EQ(read_text(stream, {.ratio_allowance = size}).size(), size);
}

// A stream for windows beyond 16 MiB does not conform to RFC 7932.
TEST(TextSource, RejectsLargeWindows) {
  BrotliEncoderState* encoder = BrotliEncoderCreateInstance(nullptr, nullptr, nullptr);
  BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LARGE_WINDOW, 1);
  BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, 30);
  const std::string text = long_text();
  std::string stream(text.size(), '\0');
  std::size_t in = text.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t out = stream.size();
  auto next_out = reinterpret_cast<std::uint8_t*>(stream.data());
  BrotliEncoderCompressStream(encoder, BROTLI_OPERATION_FINISH, &in, &next_in, &out, &next_out, nullptr);
  BrotliEncoderDestroyInstance(encoder);
  stream.resize(stream.size() - out);
  EXPECT_ERROR(read_text(stream), bad_input, "is not a valid brotli stream");
}

TEST(TextSource, RejectsPipeInsteadOfWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(TextSource(folder / "pipe", small_format), bad_input, "is a pipe");
  EXPECT_ERROR(TextSource("/dev/zero", small_format), bad_input, "a device");
}

TEST(TextSource, ReadsOutputOfVt) {
  const std::string path = PLIMSOLL_SHARED_DIR "/data/lb/nolb-8color-16nodes-11firstphases/data.0.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real data in " PLIMSOLL_SHARED_DIR;
  TextSource source(path, small_format);
  EXPECT_TRUE(source.compressed());
  const std::string text = read_all(std::move(source));
  EXPECT_TRUE(text.starts_with("{\"phases\":[{\"communications\":"));
  EXPECT_TRUE(text.ends_with("],\"type\":\"LBDatafile\"}"));
}

}  // namespace
}  // namespace plimsoll::support
