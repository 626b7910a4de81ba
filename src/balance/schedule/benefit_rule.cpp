#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t typical_phases = 8;  // phases of the median
constexpr std::size_t most_phases = 100;   // a process that shares the processor pauses once in so many
constexpr double max_slowdown = 4;         // maximum slowdown by such processes
constexpr double max_cpu_slowdown = 1.3;   // maximum slowdown while the rank runs: they use the same caches
constexpr double first_spread = 0.15;      // spread of the loads of a program about which nothing is known
constexpr double least_spread = 0.01;      // spread of the quietest program

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

void merge_evidence(LoadEvidence& left, const LoadEvidence& right) {
  left.max_typical_s = std::max(left.max_typical_s, right.max_typical_s);
  left.sum_typical_s += right.sum_typical_s;
  if (right.max_assured_s > left.max_assured_s) {
    left.max_assured_s = right.max_assured_s;
    left.phases_since_change = right.phases_since_change;
  }
  left.heaviest_object_s = std::max(left.heaviest_object_s, right.heaviest_object_s);
  left.sum_spread += right.sum_spread;
  left.n_ranks += right.n_ranks;
}

LoadEvidence RankLoadWindow::observe(const RankPhase& phase, double usual_spread) {
  PLIMSOLL_EXPECT(phase.load_s >= 0);
  if (usual_spread <= 0) usual_spread = first_spread;
  usual_spread = std::max(usual_spread, least_spread);
  if (loads_s_.size() == most_phases) {
    loads_s_.erase(loads_s_.begin());
    least_loads_s_.erase(least_loads_s_.begin());
  }
  least_loads_s_.push_back(std::max(0.0, phase.load_s - phase.interrupted_s));
  loads_s_.push_back(phase.is_disturbed ? phase.load_s : least_loads_s_.back());
  n_steady_ = std::min(n_steady_ + 1, typical_phases);
  ++phases_since_change_;

  const auto last = [&](std::size_t n) { return std::span(loads_s_).last(n); };
  const auto typical_of = [](std::span<const double> loads) {
    return median(std::vector(loads.begin(), loads.end()));
  };
  if (n_steady_ > 2) {
    // Two successive phases far off on the same side are a sudden change: earlier loads no longer count.
    const auto before = last(n_steady_).first(n_steady_ - 2);
    const double typical = typical_of(before);
    const double far = 4 * std::max(relative_spread(before, typical, usual_spread), usual_spread) * typical;
    const auto [low, high] = std::ranges::minmax(last(2));
    if (low > typical + far || high < typical - far) {
      n_steady_ = 2;
      phases_since_change_ = 2;
    }
  }
  const auto steady = last(n_steady_);
  const double typical = typical_of(steady);
  const double spread = relative_spread(steady, typical, usual_spread);
  const double error = std::max(spread, usual_spread) / std::sqrt(static_cast<double>(n_steady_));
  double undisturbed = typical;
  if (phase.is_disturbed) {
    const double least = std::ranges::min(std::span(least_loads_s_).last(n_steady_)) / max_cpu_slowdown;
    const double steady_least = loads_s_.size() == most_phases ? std::ranges::min(loads_s_) : 0;
    undisturbed = std::clamp(std::max(least, steady_least), typical / max_slowdown, typical);
  }
  const double assured = undisturbed * std::max(0.0, 1 - standard_errors(n_ranks_) * error);
  // If only this rank's load is too high, the mean is too high as well, by 1/P of the excess.
  return {.max_typical_s = typical,
          .sum_typical_s = typical,
          .max_assured_s = assured + (typical - assured) / static_cast<double>(n_ranks_),
          .phases_since_change = phases_since_change_,
          .heaviest_object_s = phase.heaviest_object_s,
          .sum_spread = spread,
          .n_ranks = 1};
}

void RankLoadWindow::rescale(double before_s, double after_s) {
  if (before_s <= 0) {
    loads_s_.clear();
    least_loads_s_.clear();
    n_steady_ = 0;
  }
  // The history stays useful: only the objects have changed, by a known amount.
  for (std::vector<double>* loads : {&loads_s_, &least_loads_s_})
    for (double& load : *loads) load *= after_s / before_s;
}

namespace {

constexpr double guessed_s_per_object = 20e-6;  // pack, send, unpack, register
constexpr double guessed_s_per_byte = 1e-9;     // 1 GB/s
constexpr std::size_t n_lifetimes = 5;
constexpr double spread_phases = 20;  // phases over which the spread of the loads is averaged

double guess_s(const MigrationVolume& volume) {
  return guessed_s_per_object * static_cast<double>(volume.objects) + guessed_s_per_byte * volume.bytes;
}

}  // namespace

void BenefitRule::observe(const LoadEvidence& evidence) {
  ++n_phases_;
  if (evidence.n_ranks > 0) {
    const double spread = evidence.sum_spread / static_cast<double>(evidence.n_ranks);
    usual_spread_ += (spread - usual_spread_) / std::min(n_phases_, spread_phases);
  }
  // No placement is below the mean or the heaviest object.
  const double bound_s = std::max(evidence.mean_typical_s(), evidence.heaviest_object_s);
  assured_gain_s_ = std::max(0.0, evidence.max_assured_s - bound_s);
  phases_since_change_ = evidence.phases_since_change;
  if (move_gain_s_ > 0 && assured_gain_s_ >= move_gain_s_) {
    record_lifetime(n_phases_ - move_phase_);
    move_gain_s_ = 0;
  }
}

bool BenefitRule::worth_deciding() const {
  const bool waiting = n_phases_ < refused_phase_ + wait_phases_ && assured_gain_s_ < 2 * refused_gain_s_;
  // The first phase contains initialisation, and its noise is unknown.
  return n_phases_ >= 2 && !waiting && assured_gain_s_ * phases_to_come() > decision_s_;
}

bool BenefitRule::worth_moving(double predicted_gain_s, const MigrationVolume& volume) {
  const double gain_s = std::min(predicted_gain_s, assured_gain_s_);
  // If gains have not lasted so far, the objects of this migration will have to migrate once more.
  const double price_s = (lifetimes_.empty() ? 1 : 2) * migration_s(volume);
  if (volume.objects > 0 && gain_s * phases_to_come() > price_s) return true;
  wait_phases_ = std::max(1.0, 2 * wait_phases_);
  refused_phase_ = n_phases_;
  refused_gain_s_ = assured_gain_s_;
  return false;
}

void BenefitRule::moved(const MigrationVolume& volume, double migration_s) {
  guessed_migration_s_ += guess_s(volume);
  measured_migration_s_ += migration_s;
  wait_phases_ = 0;
  // If only a part of the last gain is gone, the rest is expected to go at the same pace.
  if (move_gain_s_ > 0 && assured_gain_s_ > 0)
    record_lifetime((n_phases_ - move_phase_) * move_gain_s_ / assured_gain_s_);
  move_phase_ = n_phases_;
  move_gain_s_ = assured_gain_s_;
}

double BenefitRule::phases_to_come() const {
  // What came suddenly may go suddenly: it is expected to last for as long as it has lasted.
  const double phases = std::min(n_phases_, phases_since_change_);
  if (lifetimes_.empty()) return phases;
  std::vector<double> sorted = lifetimes_;
  std::ranges::sort(sorted);
  return std::min(phases, sorted[sorted.size() / 2]);
}

double BenefitRule::migration_s(const MigrationVolume& volume) const {
  const double factor = guessed_migration_s_ > 0 ? measured_migration_s_ / guessed_migration_s_ : 1;
  return factor * guess_s(volume);
}

void BenefitRule::record_lifetime(double phases) {
  if (lifetimes_.size() == n_lifetimes) lifetimes_.erase(lifetimes_.begin());
  lifetimes_.push_back(phases);
}

}  // namespace plimsoll::balance
