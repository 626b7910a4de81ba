#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <plimsoll/balance/load_evidence.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t typical_phases = 8;   // phases of the median
constexpr std::size_t heaviest_phases = 3;  // an interrupted object looks heavy, but not in every phase
constexpr double first_spread = 0.15;       // spread of the loads of a program about which nothing is known
constexpr double least_spread = 0.01;       // spread of the quietest program
constexpr std::size_t compared_phases = 3;  // fewer may agree by chance

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Returns the relative standard deviation of the noise, from the differences of successive loads, so that a
/// trend does not count as noise. The usual spread counts as one more difference, because few phases may
/// agree by chance.
double relative_spread(std::span<const double> loads, double typical, double usual) {
  if (typical <= 0 || loads.size() < 2) return usual;
  std::vector<double> differences;
  for (std::size_t k = 1; k < loads.size(); ++k) differences.push_back(std::abs(loads[k] - loads[k - 1]));
  const auto n = static_cast<double>(loads.size());
  const double own = 1.4826 * median(std::move(differences)) / std::numbers::sqrt2 / typical;
  return std::sqrt((usual * usual + (n - 1) * own * own) / n);
}

/// Returns the number of standard errors that noise exceeds on none of so many ranks.
double standard_errors(std::int64_t n_ranks) {
  return 4 + std::sqrt(2 * std::log(static_cast<double>(n_ranks)));
}

}  // namespace

double LoadEvidence::bound_s() const {
  if (n_ranks == 0) return heaviest_object_s;
  // The largest error to be expected on any of the ranks.
  const auto n = static_cast<double>(n_ranks);
  const double error_s = std::sqrt(2 * std::log(n)) * sum_load_error_s / n;
  return std::max(mean_typical_s() + error_s, heaviest_object_s);
}

LoadEvidence slower_resource(const LoadEvidence& left, const LoadEvidence& right) {
  if (right.sum_typical_s <= 0) return left;
  return {.max_typical_s = std::max(left.max_typical_s, right.max_typical_s),
          .sum_typical_s = std::max(left.sum_typical_s, right.sum_typical_s),
          .max_assured_s = std::max(left.max_assured_s, right.max_assured_s),
          .heaviest_object_s = std::max(left.heaviest_object_s, right.heaviest_object_s),
          .sum_spread = std::max(left.sum_spread, right.sum_spread),
          .sum_load_s = std::max(left.sum_load_s, right.sum_load_s),
          .sum_load_error_s = std::max(left.sum_load_error_s, right.sum_load_error_s),
          .n_ranks = std::max(left.n_ranks, right.n_ranks)};
}

void merge_evidence(LoadEvidence& left, const LoadEvidence& right) {
  left.max_typical_s = std::max(left.max_typical_s, right.max_typical_s);
  left.sum_typical_s += right.sum_typical_s;
  left.max_assured_s = std::max(left.max_assured_s, right.max_assured_s);
  left.heaviest_object_s = std::max(left.heaviest_object_s, right.heaviest_object_s);
  left.sum_spread += right.sum_spread;
  left.sum_load_s += right.sum_load_s;
  left.sum_load_error_s += right.sum_load_error_s;
  left.n_ranks += right.n_ranks;
}

LoadEvidence RankLoadWindow::observe(const RankPhase& phase, double usual_spread) {
  PLIMSOLL_EXPECT(phase.load_s >= 0);
  if (usual_spread <= 0) usual_spread = first_spread;
  usual_spread = std::max(usual_spread, least_spread);
  if (phases_.size() == typical_phases) phases_.erase(phases_.begin());
  phases_.push_back({phase.load_s});
  std::vector<double> loads_s;
  for (const Phase& known : phases_) loads_s.push_back(known.load_s);
  if (loads_s.size() > 2) {
    // Two successive phases far off on the same side are a sudden change: earlier loads no longer count.
    const auto before = std::span(loads_s).first(loads_s.size() - 2);
    const double typical = median({before.begin(), before.end()});
    const double far = 4 * std::max(relative_spread(before, typical, usual_spread), usual_spread) * typical;
    const auto [low, high] = std::ranges::minmax(std::span(loads_s).last(2));
    if (low > typical + far || high < typical - far) {
      loads_s.erase(loads_s.begin(), loads_s.end() - 2);
      phases_.erase(phases_.begin(), phases_.end() - 2);
    }
  }
  if (heaviest_s_.size() == heaviest_phases) heaviest_s_.erase(heaviest_s_.begin());
  heaviest_s_.push_back(phase.heaviest_object_s);
  std::vector<double> sorted = heaviest_s_;
  std::ranges::sort(sorted);
  const double heaviest = phase.is_disturbed ? sorted.front() : sorted[(sorted.size() - 1) / 2];
  const double typical = median(loads_s);
  const double spread = spread_of(loads_s, typical, usual_spread);
  const double error = std::max(spread, usual_spread) / std::sqrt(static_cast<double>(loads_s.size()));
  // Other processes slow down a rank by shared caches and hardware threads, as much as they do in any phase.
  const double undisturbed = phase.is_disturbed ? std::ranges::min(loads_s) : typical;
  const double assured = undisturbed * std::max(0.0, 1 - standard_errors(n_ranks_) * error);
  // If only this rank's load is too high, the mean is too high as well, by 1/P of the excess.
  return {.max_typical_s = typical,
          .sum_typical_s = typical,
          .max_assured_s = assured + (typical - assured) / static_cast<double>(n_ranks_),
          .heaviest_object_s = heaviest,
          .sum_spread = spread,
          .sum_load_s = phase.load_s,
          .sum_load_error_s = phase.load_error_s,
          .n_ranks = 1};
}

/// Returns the relative spread of the loads, without what changes the loads of all ranks alike: processors
/// that become slower together, or work that grows everywhere, leave the imbalance alone.
double RankLoadWindow::spread_of(const std::vector<double>& loads_s, double typical_s,
                                 double usual_spread) const {
  const double spread = relative_spread(loads_s, typical_s, usual_spread);
  std::vector<double> compared_s;
  std::vector<double> quotients;
  for (const Phase& known : phases_) {
    if (known.mean_s <= 0) continue;
    compared_s.push_back(known.load_s);
    quotients.push_back(known.load_s / known.mean_s);
  }
  if (quotients.size() < compared_phases || n_ranks_ < 2) return spread;
  // The mean contains 1/P of the rank's own noise.
  const double own_share = std::sqrt(1 - 1 / static_cast<double>(n_ranks_));
  const double of_quotients = relative_spread(quotients, median(quotients), usual_spread) / own_share;
  const double of_same_phases = relative_spread(compared_s, median(compared_s), usual_spread);
  return std::min(spread, of_quotients * std::max(1.0, spread / of_same_phases));
}

void RankLoadWindow::compare_with(const LoadEvidence& all_ranks) {
  if (phases_.empty() || all_ranks.n_ranks == 0) return;
  phases_.back().mean_s = all_ranks.sum_load_s / static_cast<double>(all_ranks.n_ranks);
}

void RankLoadWindow::rescale(double before_s, double after_s) {
  heaviest_s_.clear();  // other objects
  if (before_s <= 0) {
    phases_.clear();
    return;
  }
  // The history stays useful: only the objects have changed, by a known amount.
  for (Phase& phase : phases_) phase.load_s *= after_s / before_s;
}

}  // namespace plimsoll::balance
