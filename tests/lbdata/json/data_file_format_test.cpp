#include "lbdata/json/data_file_format.hpp"

#include <gtest/gtest.h>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

TEST(DataFileFormat, RecognisesJsonObject) {
  for (const char* text : {"{}", " {\n}", "\t{ \"a\":1}", "{", "{\n"})
    EXPECT_TRUE(begins_json_object(text)) << text;
  for (const char* text : {"", " ", "[{}]", "\"{}\"", "{a", "{[", "\xEF\xBB\xBF{}", "{\x01\x80"})
    EXPECT_FALSE(begins_json_object(text)) << text;
}

TEST(DataFileFormat, SuggestsCorrection) {
  std::string buffer(100, '\0');
  support::TextSource damaged("\x0b\x02\x80", "f", data_file_format);
  EXPECT_ERROR(damaged.read(buffer.data(), buffer.size()), bad_input, "copy it again");
  support::TextSource text("[1, 2]", "f", data_file_format);
  EXPECT_ERROR(text.read(buffer.data(), buffer.size()), bad_input,
               "f: is neither a JSON object nor a brotli stream; check that it begins with '{' and has no "
               "byte order mark");
}

}  // namespace
}  // namespace plimsoll::lbdata
