#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::testing {

/// Decodes Base64 as browsers do.
inline std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int n_bits = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(digit));
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      bytes += static_cast<char>(bits >> n_bits & 0xffu);
    }
  }
  return bytes;
}

inline std::string from_gzip(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(::inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int state = Z_OK;
  while (state == Z_OK) {
    char buffer[1 << 14];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    state = ::inflate(&stream, Z_NO_FLUSH);
    text.append(buffer, sizeof buffer - stream.avail_out);
  }
  EXPECT_EQ(state, Z_STREAM_END);
  ::inflateEnd(&stream);
  return text;
}

/// Returns the part of a page between the tags of its data.
inline std::string data_of_page(const std::string& page) {
  constexpr std::string_view tag = R"(<script type="application/octet-stream" id="report-data">)";
  const std::size_t begin = page.find(tag);
  if (begin == std::string::npos) return "";
  return page.substr(begin + tag.size(), page.find("</script>", begin) - begin - tag.size());
}

/// Returns the document in a page.
inline std::string document_of_page(const std::string& page) {
  return from_gzip(from_base64(data_of_page(page)));
}

}  // namespace plimsoll::testing
