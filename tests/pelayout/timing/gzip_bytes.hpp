#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace plimsoll::testing {

/// Returns a text compressed by gzip.
inline std::string gzip_bytes(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  bytes.resize(bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  if (!done) throw std::runtime_error("zlib");
  return bytes;
}

}  // namespace plimsoll::testing
