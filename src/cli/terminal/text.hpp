#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats a count: "1,234".
std::string count(std::integral auto number) {
  return support::format_count(static_cast<std::uint64_t>(number));
}

/// Formats a count with a unit: "1 file", "1,234 files".
std::string count(std::integral auto number, const char* what) {
  return fmt::format("{} {}{}", count(number), what, number == 1 ? "" : "s");
}

/// Returns the string for JSON, or null if it is empty.
inline std::optional<std::string_view> if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// Returns the findings or warnings of a list as lines for JSON.
inline std::vector<std::string> lines_of(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(to_string(diagnostic));
  return lines;
}

/// Formats bytes as stored in files, including fractions and amounts beyond 64 bits; "-" if not finite.
inline std::string bytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  return bytes < 9e18 ? support::format_bytes(static_cast<std::uint64_t>(std::llround(bytes)))
                      : fmt::format("{:.3g} B", bytes);
}

/// Formats the memory of a rank or node; "-" if it is unknown.
inline std::string memory_text(std::optional<double> bytes) {
  return bytes ? bytes_text(*bytes) : "-";
}

/// Formats max / mean - 1 with as many digits as vt prints; "-" without load.
inline std::string imbalance_text(double imbalance) {
  return support::format_fixed(imbalance, 4);
}

}  // namespace plimsoll::cli
