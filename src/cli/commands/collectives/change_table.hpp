#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <plimsoll/support/internal/format.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats a change: "=", "new", "+5.0 %" or "12.3 times".
inline std::string change(double before, double after) {
  if (before == after) return "=";
  if (before == 0) return "new";
  const double ratio = after / before;
  return std::abs(ratio - 1) < 10 ? support::format_difference(ratio - 1)
                                  : fmt::format("{:.3g} times", ratio);
}

/// A table with the values before, the values after, and their changes.
class ChangeTable {
 public:
  template <class Number, class Format>
  void add(const std::string& label, Number before, Number after, Format format) {
    table_.add_row({label, format(before), format(after),
                    change(static_cast<double>(before), static_cast<double>(after))});
  }
  void add_count(const std::string& label, std::uint64_t before, std::uint64_t after) {
    add(label, before, after, [](std::uint64_t number) { return count(number); });
  }
  void add_rule() { table_.add_rule(); }
  std::string to_string() const { return table_.to_string(); }

 private:
  support::TextTable table_{{{""},
                             {"before", support::TextTable::Align::right},
                             {"after", support::TextTable::Align::right},
                             {"change", support::TextTable::Align::right}}};
};

}  // namespace plimsoll::cli
