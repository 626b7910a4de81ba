#include "report/page/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

constexpr int level = 6;
constexpr int gzip_window_bits = 15 + 16;  // 16 selects the format gzip
constexpr int memory_level = 8;

/// Stream of zlib that ends with its scope.
class Deflation {
 public:
  Deflation() {
    if (::deflateInit2(&stream_, level, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw Error(ErrorKind::system, {.what = "zlib failed to start", .suggestion = "free memory"});
  }
  ~Deflation() { ::deflateEnd(&stream_); }
  Deflation(const Deflation&) = delete;
  Deflation& operator=(const Deflation&) = delete;

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_ = {};
};

}  // namespace

std::string gzip(std::string_view text) {
  Deflation deflation;
  z_stream& stream = deflation.stream();
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

}  // namespace plimsoll::report
