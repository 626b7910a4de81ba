#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "report/page/page_bytes.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

constexpr int level = 6;
constexpr int gzip_window_bits = 15 + 16;  // 16 selects the format gzip
constexpr int memory_level = 8;

;

bool is_rounded_by_javascript(std::string_view number) {
  constexpr std::string_view max_exact = "9007199254740992";  // 2^53
  if (number.starts_with('-')) number.remove_prefix(1);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return false;  // no integer
  return number.size() > max_exact.size() || (number.size() == max_exact.size() && number > max_exact);
}

/// Returns the length of the string with which the text begins, including its quotes.
std::size_t length_of_string(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end + 1;
}

}  // namespace

std::string gzip(std::string_view text) {
  z_stream stream = {};
  if (::deflateInit2(&stream, level, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(ErrorKind::system, {.what = "zlib failed to start", .suggestion = "free memory"});
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends_with_scope(&stream, ::deflateEnd);
  std::string compressed;
  std::array<unsigned char, std::size_t{64} << 10> buffer;
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      stream.avail_in = static_cast<uInt>(part);
      text.remove_prefix(part);
    }
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = ::deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    compressed.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
  }
  if (state != Z_STREAM_END) throw Error(ErrorKind::system, {.what = "zlib failed to compress the page"});
  return compressed;
}

void write_html_page(std::string_view json, const std::function<void(std::string_view)>& sink) {
  constexpr std::string_view placeholder = "<!--DATA-->";
  const std::string_view page = viewer_page();
  const std::size_t at = page.find(placeholder);
  PLIMSOLL_ENSURE(at != std::string_view::npos);
  sink(page.substr(0, at));
  // The browser does not execute a script of this type. Base64 has no character that could end the element.
  sink(R"(<script type="application/octet-stream" id="report-data">)");
  sink(base64(gzip(json)));
  sink("</script>");
  sink(page.substr(at + placeholder.size()));
}

std::string with_exact_integers(std::string_view json) {
  std::string result;
  while (!json.empty()) {
    const std::size_t other = std::min(json.find_first_of("\"-0123456789"), json.size());
    result += json.substr(0, other);
    json.remove_prefix(other);
    if (json.empty()) break;
    const bool is_string = json.front() == '"';
    const std::size_t length = is_string ? length_of_string(json) : json.find_first_not_of("+-.0123456789eE");
    const std::string_view token = json.substr(0, length);
    const char* const quote = !is_string && is_rounded_by_javascript(token) ? "\"" : "";
    result.append(quote).append(token).append(quote);
    json.remove_prefix(token.size());
  }
  return result;
}

}  // namespace plimsoll::report
