#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::support {

/// "0 B", "1023 B", "1.5 KiB", "4.0 GiB": binary multiples, one decimal.
std::string format_bytes(std::uint64_t bytes);
/// "12.3 ms", "1.50 s", "2 min 5 s", "3 h 20 min": three significant digits below a minute. Negative and
/// non-finite values too ("-1.00 s", "inf s").
std::string format_seconds(double seconds);
/// Thousands apart: "1,234,567".
std::string format_count(std::uint64_t count);
/// A ratio in percent, one decimal: 0.1234 is "12.3 %".
std::string format_percentage(double ratio);

}  // namespace plimsoll::support
