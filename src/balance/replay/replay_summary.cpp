#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/balance/replay.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

template <class Value>
double sum_s(const std::vector<ReplayedPhase>& phases, const Value& value) {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [&](double sum, const ReplayedPhase& phase) { return sum + value(phase); });
}

}  // namespace

double ReplayedPhase::imbalance() const {
  return mean_s > 0 ? time_s / mean_s - 1 : std::numeric_limits<double>::quiet_NaN();
}

double Replay::phases_s() const {
  return sum_s(phases, [](const ReplayedPhase& phase) { return phase.time_s; });
}

double Replay::costs_s() const {
  return sum_s(phases, [](const ReplayedPhase& phase) { return phase.decision.cost_s(); });
}

double Replay::recorded_s() const {
  return sum_s(phases, [](const ReplayedPhase& phase) { return phase.recorded_s; });
}

double Replay::not_balanced_s() const {
  return sum_s(phases, [](const ReplayedPhase& phase) { return phase.not_balanced_s; });
}

double Replay::bound_s() const {
  return sum_s(phases, [](const ReplayedPhase& phase) { return phase.bound_s; });
}

std::int64_t Replay::n_balanced() const {
  return std::ranges::count_if(phases,
                               [](const ReplayedPhase& phase) { return phase.decision.has_migrated(); });
}

std::int64_t Replay::n_migrations() const {
  std::int64_t sum = 0;
  for (const ReplayedPhase& phase : phases) sum += std::ssize(phase.decision.migrations);
  return sum;
}

std::vector<PlacementLife> Replay::placements() const {
  std::vector<PlacementLife> lives;
  double first_s = 0;  // saved in the first phase of the current placement
  for (const ReplayedPhase& phase : phases) {
    if (!lives.empty()) {
      PlacementLife& life = lives.back();
      const double saved_s = phase.not_migrated_s - phase.time_s;
      if (life.n_phases == 0) first_s = saved_s;
      const bool was_good = life.good_phases == life.n_phases;
      if (was_good && saved_s > 0 && saved_s >= first_s / 2) ++life.good_phases;
      ++life.n_phases;
      life.saved_s += saved_s;
    }
    if (phase.decision.has_migrated())
      lives.push_back({.phase = phase.phase, .cost_s = phase.decision.cost_s()});
  }
  return lives;
}

}  // namespace plimsoll::balance
