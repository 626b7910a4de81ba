#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <plimsoll/collectives/summary.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

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

}  // namespace plimsoll::cli
