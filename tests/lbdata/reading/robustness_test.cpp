// Tests that invalid input never causes a crash, a hang or a wrong result. The tests use every prefix and
// changes of every byte of a small file, plain and compressed, and streams that expand endlessly.

#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/resource.h>

#include <string>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/output_file.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

const std::string small_file =
    R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"communications":[{"bytes":12.5,"from":{"home":0,"id":3,)"
    R"("index":[0],"type":"object"},"messages":2,"to":{"id":-1,"type":"n\u00f6de"},"type":"SendRecv"}],"id":0,"tasks":[{)"
    R"("entity":{"collection_id":7,"home":0,"id":3,"index":[0],"migratable":true,"type":"object"},"node":0,"resource":)"
    R"("cpu","subphases":[{"id":0,"time":1e-3}],"time":0.5,"user_defined":{"k":[1,null,"é"]}}]}]})";

std::string brotli_of(const std::string& text) {
  support::BrotliEncoder encoder;
  std::string output;
  encoder.encode(text, output);
  encoder.finish(output);
  return output;
}

bool reads(const std::string& content) {
  return !plimsoll::testing::error_of([&] { read_text(content, "file"); });
}

/// Runs the validator, which must not throw on invalid content.
bool validates(const std::string& content) {
  return validate_text(content, "file").valid();
}

TEST(Reader, RejectsEveryPrefixOfPlainFile) {
  ASSERT_TRUE(reads(small_file));
  for (std::size_t length = 0; length < small_file.size(); ++length) {
    EXPECT_FALSE(reads(small_file.substr(0, length))) << length;
    EXPECT_FALSE(validates(small_file.substr(0, length))) << length;
  }
}

TEST(Reader, AcceptsChangedByteOfPlainFileOnlyIfStillJson) {
  // All bytes that have a meaning in JSON, and some of letters, control characters and each part of UTF-8.
  using namespace std::string_literals;
  const std::string values =
      "{}[]:,\"\\/0179+-.eEtrufalsnb_ \t\n\r\0\x01\x1f\x7f\x80\xbf\xc0\xc3\xe2\xed\xf0\xf4\xff"s;
  simdjson::dom::parser parser;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < small_file.size(); ++at) {
    std::string changed = small_file;
    for (const char value : values) {
      changed[at] = value;
      validates(changed);
      if (!reads(changed)) {
        ASSERT_NE(changed, small_file);
        continue;
      }
      ++accepted;
      ASSERT_EQ(parser.parse(changed).error(), simdjson::SUCCESS) << changed;
    }
  }
  EXPECT_GT(accepted, small_file.size());  // unchanged files, and changes to other valid digits or letters
}

TEST(Reader, RejectsEveryPrefixOfCompressedFile) {
  const std::string file = brotli_of(small_file);
  ASSERT_TRUE(reads(file));
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(reads(file.substr(0, length))) << length;
    EXPECT_FALSE(validates(file.substr(0, length))) << length;
  }
}

TEST(Reader, AcceptsChangedByteOfCompressedFileOnlyIfStillJson) {
  const std::string file = brotli_of(small_file);
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    for (std::size_t value = at % 4; value < 256; value += 4) {
      changed[at] = static_cast<char>(value);
      validates(changed);
      if (reads(changed)) continue;
      ASSERT_NE(changed, file);
    }
  }
}

std::string compressed_run(char byte, std::size_t size) {
  support::BrotliEncoder encoder({.quality = 1});
  const std::string block(std::size_t{1} << 20, byte);
  std::string output;
  for (std::size_t done = 0; done < size; done += block.size()) encoder.encode(block, output);
  encoder.finish(output);
  return output;
}

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

TEST(Reader, RejectsDecompressionBombs) {
  for (const char byte : {'\0', ' '}) {
    const std::string bomb = compressed_run(byte, std::size_t{1} << 30);
    ASSERT_LT(bomb.size(), std::size_t{1} << 20);
    const std::size_t before = peak_memory_bytes();
    EXPECT_FALSE(reads(bomb));
    EXPECT_FALSE(validates(bomb));
    EXPECT_LT(peak_memory_bytes() - before, std::size_t{256} << 20);
  }
  const std::string long_text = R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[],"user_defined":{"k":")";
  support::BrotliEncoder encoder({.quality = 1});
  std::string bomb;
  encoder.encode(long_text, bomb);
  const std::string block(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 1024; ++i) encoder.encode(block, bomb);
  encoder.finish(bomb);
  const std::size_t before = peak_memory_bytes();
  EXPECT_FALSE(reads(bomb));
  EXPECT_LT(peak_memory_bytes() - before, std::size_t{600} << 20);
}

TEST(Reader, RespectsSizeLimitOfCaller) {
  ReadOptions options;
  options.limits.max_bytes = small_file.size();
  EXPECT_NO_THROW(read_text(small_file, "file", options));
  options.limits.max_bytes = small_file.size() - 1;
  EXPECT_ERROR(read_text(small_file, "file", options), bad_input, "limit");
}

}  // namespace
}  // namespace plimsoll::lbdata
