#include "cli/commands/collectives/message_bins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

std::vector<MessageBin> bins_to_show(const std::vector<std::uint64_t>& bins,
                                     std::initializer_list<const std::vector<std::uint64_t>*> histograms) {
  const bool has_zero_bin = !bins.empty() && bins.front() == 1;
  std::vector<MessageBin> shown;
  std::size_t used = 0;
  for (std::size_t k = has_zero_bin ? 1 : 0; k <= bins.size(); ++k) {
    const bool is_used =
        std::ranges::any_of(histograms, [&](const auto* messages) { return (*messages)[k] > 0; });
    if (!is_used && used == 0) continue;
    const std::string from = count(k == 0 ? 0 : bins[k - 1]);
    shown.push_back({k, k == bins.size() ? fmt::format("{} and more", from)
                                         : fmt::format("{} to below {}", from, count(bins[k]))});
    if (is_used) used = shown.size();
  }
  shown.resize(used);
  return shown;
}

void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options) {
  parser
      .add_option("--bins LIST", options.bins,
                  "Boundaries of the message size bins in bytes, ascending\n[default: powers of two]")
      .separated_by(',')
      .not_negative();
  parser.add_option("--threshold BYTES", options.threshold_bytes,
                    "Maximum size of small messages in bytes [default: 200]");
}

}  // namespace plimsoll::cli
