#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::inline v0_1::support {

/// "0 B", "1023 B", "1.5 KiB", "4.0 GiB": binary multiples, one decimal.
std::string format_bytes(std::uint64_t bytes);
/// "12.3 ms", "1.50 s", "2 min 5 s", "3 h 20 min": three significant digits below a minute. Negative and
/// non-finite values too ("-1.00 s", "inf s").
std::string format_seconds(double seconds);
/// Thousands apart: "1,234,567".
std::string format_count(std::uint64_t count);
/// Four significant digits, thousands apart: "0.5", "28.78", "1,024", "12,346"; whole numbers in full.
std::string format_number(double value);
/// A number for an axis, exact and short: "0.5", "64", "1,024", "10k", "2.5M".
std::string format_tick(double value);
/// A ratio in percent, one decimal: 0.1234 is "12.3 %".
std::string format_percentage(double ratio);
/// ASCII letters in upper case, whatever the locale; other bytes as they are.
std::string upper_case(std::string_view text);

}  // namespace plimsoll::support
