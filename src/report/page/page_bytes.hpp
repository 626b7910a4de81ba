#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Returns bytes in Base64 (RFC 4648, section 4) with padding.
inline std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t k) {
      return at + k < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[at + k])} : 0u;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) text += digits[group >> shift & 63u];
  }
  const std::size_t padding = (3 - bytes.size() % 3) % 3;
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

/// Compresses a text with gzip (RFC 1952), without a time stamp. Throws Error (system) if zlib fails.
std::string gzip(std::string_view text);

/// Returns the page that shows reports, viewer/dist/report.html. The build makes this function of the file.
std::string_view viewer_page();

}  // namespace plimsoll::report
