#include <algorithm>
#include <cmath>
#include <span>

#include <plimsoll/balance/changing_loads.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t kept_loads = 2 * ChangeEvidence::max_lag;
constexpr std::size_t fewest_differences = 4;  // fewer tell nothing about noise
constexpr double least_noise = 0.01;           // of the mean load
// Of the mean load: processors that become slower from time to time change the loads, too, but by less.
constexpr double least_change = 0.25;

/// Returns the size of the noise: the upper tercile of the differences between loads `lag` phases apart;
/// below 0 if it is unknown.
double noise_s(const std::deque<double>& loads_s, std::size_t lag) {
  if (loads_s.size() < lag + fewest_differences) return -1;
  std::vector<double> differences;
  for (std::size_t k = lag; k < loads_s.size(); ++k)
    differences.push_back(std::abs(loads_s[k] - loads_s[k - lag]));
  // Not the median, because a load that jumps every few phases has many equal neighbours.
  const auto tercile = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() * 2 / 3);
  std::ranges::nth_element(differences, tercile);
  return *tercile;
}

}  // namespace

void merge_changes(ChangeEvidence& left, const ChangeEvidence& right) {
  left.max_load_s = std::max(left.max_load_s, right.max_load_s);
  left.sum_load_s += right.sum_load_s;
  left.heaviest_object_s = std::max(left.heaviest_object_s, right.heaviest_object_s);
  for (std::size_t k = 0; k < ChangeEvidence::max_lag; ++k) {
    double& sum_s = left.sum_noise_s[k];
    sum_s = sum_s < 0 || right.sum_noise_s[k] < 0 ? -1 : sum_s + right.sum_noise_s[k];
  }
  left.n_ranks += right.n_ranks;
}

bool is_steadier(const LoadEvidence& changing, const LoadEvidence& typical) {
  return changing.max_assured_s - changing.bound_s() >
         1.5 * std::max(0.0, typical.max_assured_s - typical.bound_s());
}

ChangeEvidence RankLoadChanges::observe(const RankPhase& phase) {
  if (loads_s_.size() == kept_loads) loads_s_.pop_front();
  loads_s_.push_back(phase.load_s);
  ChangeEvidence evidence{.max_load_s = phase.load_s,
                          .sum_load_s = phase.load_s,
                          .heaviest_object_s = phase.heaviest_object_s,
                          .n_ranks = 1};
  for (std::size_t k = 0; k < ChangeEvidence::max_lag; ++k)
    evidence.sum_noise_s[k] = noise_s(loads_s_, k + 1);
  return evidence;
}

void ChangingLoads::observe(const ChangeEvidence& evidence) {
  n_ranks_ = evidence.n_ranks;
  if (n_ranks_ == 0) return;
  if (phases_.size() == max_phases) phases_.pop_front();
  const double mean_s = evidence.sum_load_s / static_cast<double>(n_ranks_);
  phases_.push_back({evidence.max_load_s, mean_s, std::max(mean_s, evidence.heaviest_object_s)});
  noise_s_ = -1;
  for (const double sum_s : evidence.sum_noise_s)
    if (sum_s >= 0 && (noise_s_ < 0 || sum_s / static_cast<double>(n_ranks_) < noise_s_))
      noise_s_ = sum_s / static_cast<double>(n_ranks_);
}

LoadEvidence ChangingLoads::evidence() const {
  if (phases_.empty() || noise_s_ < 0) return {};
  const auto n = static_cast<double>(phases_.size());
  double mean_s = 0;
  double bound_s = 0;
  std::vector<double> excesses_s;
  for (const Phase& phase : phases_) {
    mean_s += phase.mean_load_s / n;
    bound_s += phase.bound_s / n;
    excesses_s.push_back(std::max(0.0, phase.max_load_s - phase.bound_s));
  }
  // An imbalance of a few phases, such as one that has just begun, is not one of all phases.
  const auto middle = excesses_s.begin() + static_cast<std::ptrdiff_t>((excesses_s.size() - 1) / 2);
  std::ranges::nth_element(excesses_s, middle);
  if (*middle < least_change * mean_s) return {};
  const double max_s = bound_s + *middle;
  const double noise = std::max(noise_s_, least_noise * mean_s);
  const double expected_max = std::sqrt(2 * std::log(static_cast<double>(n_ranks_)));
  return {.max_typical_s = max_s,
          .sum_typical_s = mean_s * static_cast<double>(n_ranks_),
          .max_assured_s = max_s - (expected_max + 4 / std::sqrt(n)) * noise,
          .heaviest_object_s = bound_s,
          .sum_spread = noise / std::max(mean_s, 1e-300) * static_cast<double>(n_ranks_),
          .n_ranks = n_ranks_,
          .knows_changes = true};
}

}  // namespace plimsoll::balance
