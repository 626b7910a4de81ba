#include <algorithm>

#include <plimsoll/lbdata/phase_coverage.hpp>

namespace plimsoll::inline v0_1::lbdata {

PhaseCoverage phase_coverage(const Dataset& dataset) {
  PhaseCoverage coverage;
  for (const std::int64_t phase : dataset.phase_ids()) {
    const auto with_data = static_cast<std::size_t>(std::ranges::count_if(
        dataset.ranks, [phase](const RankData& rank) { return rank.resolve(phase).record != nullptr; }));
    if (with_data == dataset.ranks.size()) {
      coverage.complete.push_back(phase);
    } else if (with_data > 0) {
      coverage.partial.push_back(phase);
    }
  }
  return coverage;
}

}  // namespace plimsoll::lbdata
