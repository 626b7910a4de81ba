#pragma once

#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::report {

/// Compresses a text with gzip (RFC 1952), without a time stamp. Throws Error (system) if zlib fails.
std::string gzip(std::string_view text);

}  // namespace plimsoll::report
