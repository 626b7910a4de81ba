#pragma once

#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Compresses a text with gzip (RFC 1952), without a time stamp. Throws Error (system) if zlib fails.
std::string gzip(std::string_view text);

}  // namespace plimsoll::report
