#include <array>
#include <cmath>
#include <fmt/format.h>

#include <plimsoll/support/format.hpp>

namespace plimsoll::support {

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 and more would be shown as 1024.0.
  while (size >= 1023.95 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units[unit]);
}

namespace {

std::string three_digits(double value, const char* unit) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f} {}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0, unit);
}

}  // namespace

std::string format_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (!std::isfinite(seconds)) return fmt::format("{} s", seconds);
  if (size == 0) return "0 s";
  if (size < 999.5e-9) return three_digits(seconds * 1e9, "ns");
  if (size < 999.5e-6) return three_digits(seconds * 1e6, "µs");
  if (size < 999.5e-3) return three_digits(seconds * 1e3, "ms");
  if (size < 59.95) return three_digits(seconds, "s");
  if (size >= 1e15) return fmt::format("{:.2e} s", seconds);
  const char* sign = seconds < 0 ? "-" : "";
  const auto whole = static_cast<std::uint64_t>(size + 0.5);
  if (whole < 3600) return fmt::format("{}{} min {} s", sign, whole / 60, whole % 60);
  const std::uint64_t minutes = (whole + 30) / 60;
  return fmt::format("{}{} h {} min", sign, format_count(minutes / 60), minutes % 60);
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t position = text.size(); position > 3; position -= 3) text.insert(position - 3, 1, ',');
  return text;
}

std::string format_percentage(double ratio) {
  return fmt::format("{:.1f} %", ratio * 100);
}

}  // namespace plimsoll::support
