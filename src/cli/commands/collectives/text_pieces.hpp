#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns part / whole, or 0 if the whole is 0.
inline double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Returns the line that follows a truncated list.
inline std::string more(std::size_t shown, std::size_t all) {
  return all > shown ? fmt::format("... and {} more (--json lists all)\n", count(all - shown)) : "";
}

/// Returns the first elements of a list, or all of them if their number is not limited.
template <class Element>
std::span<const Element> first(const std::vector<Element>& list, std::optional<std::size_t> limit) {
  return std::span(list).first(std::min(list.size(), limit.value_or(list.size())));
}

/// A range of message sizes.
struct MessageBin {
  std::size_t number = 0;  ///< position in the histogram
  std::string label;       ///< such as "1,024 to below 2,048"
};

/// Returns the bins between the first and the last one that contains messages in any of the histograms. The
/// bin of zero-byte messages is omitted, because tables list these messages separately.
std::vector<MessageBin> bins_to_show(const std::vector<std::uint64_t>& bins,
                                     std::initializer_list<const std::vector<std::uint64_t>*> histograms);

/// Adds --bins and --threshold.
void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options);

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
