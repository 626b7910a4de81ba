#include <algorithm>
#include <cmath>
#include <cstddef>

#include <plimsoll/balance/benefit_rule.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t n_lifetimes = 5;
constexpr double spread_phases = 20;   // phases over which the spread of the loads is averaged
constexpr double budget_share = 0.03;  // of the time of all phases
constexpr double even_ratio = 1.02;    // of maximum and bound, below which an unsure gain is none
constexpr double effect_phases = 3;    // after a migration, in which a worse imbalance is its effect
// Multiple of the spread of the loads that a placement may seem to gain by chance.
constexpr double chance_gain = 1.5;
// The same for the noise of loads that change: it is estimated from fewer differences, and placements are
// compared in several phases.
constexpr double changing_chance_gain = 4.5;
// Factor by which a gain beyond the budget must exceed the price, per part of the time that the price takes.
constexpr double ample_gain = 40;
constexpr double lasting_share = 0.25;    // of a gain, from which on it counts as the same
constexpr std::size_t most_gains = 1000;  // a gain that has lasted for so long lasts

}  // namespace

void BenefitRule::observe(const LoadEvidence& evidence) {
  ++n_phases_;
  price_.end_phase();
  if (evidence.n_ranks > 0) {
    const double spread = evidence.sum_spread / static_cast<double>(evidence.n_ranks);
    usual_spread_ += (spread - usual_spread_) / std::min(n_phases_, spread_phases);
  }
  evidence_ = evidence;
  if (gains_s_.size() == most_gains) gains_s_.pop_front();
  gains_s_.push_back(possible_gain_s());
  assured_gain_s_ = std::max(0.0, evidence.max_assured_s - evidence.bound_s());
  elapsed_s_ += evidence.max_typical_s;
  // A migration may also have made the imbalance worse, which shows at once.
  const double saved_s = saved_.of_phase(evidence.max_typical_s, evidence.bound_s());
  const bool shows_its_effect = move_phase_ > 0 && n_phases_ <= move_phase_ + effect_phases;
  if (saved_s > 0 || shows_its_effect) unsaved_s_ = std::max(0.0, unsaved_s_ - saved_s);
  if (move_gain_s_ > 0 && possible_gain_s() >= move_gain_s_) {
    record_lifetime(n_phases_ - gain_phase_);
    move_gain_s_ = 0;
  }
}

bool BenefitRule::is_waiting() const {
  return n_phases_ < refused_phase_ + wait_phases_ && assured_gain_s_ < waits_after_.awaited_gain_s;
}

bool BenefitRule::worth_deciding() {
  using enum Refusal::Reason;
  refusal_ = {.max_load_s = evidence_.max_typical_s,
              .assured_load_s = evidence_.max_assured_s,
              .bound_s = evidence_.bound_s(),
              .gain_s = assured_gain_s_,
              .phases = phases_to_come(),
              .price_s = decision_s_,
              .budget_s = budget_s(),
              .elapsed_s = elapsed_s_};
  if (n_phases_ < 2) return refuse(first_phases);
  if (evidence_.max_typical_s <= evidence_.bound_s())
    return refuse(evidence_.heaviest_object_s > evidence_.mean_typical_s() ? heaviest_object : even);
  if (assured_gain_s_ <= 0)
    return refuse(evidence_.max_typical_s <= even_ratio * evidence_.bound_s() ? even : uncertain);
  if (is_waiting()) {
    refusal_ = waits_after_;
    refusal_.phases_to_wait = refused_phase_ + wait_phases_ - n_phases_;
    return false;
  }
  if (refusal_.gain_s * refusal_.phases <= decision_s_) return refuse(decision);
  return is_allowed(decision_s_) || refuse(budget);
}

void BenefitRule::decided(double decision_s) {
  decision_s_ = decision_s;
  unsaved_s_ += decision_s;
}

double BenefitRule::budget_s() const {
  return std::max(0.0, budget_share * elapsed_s_ - unsaved_s_);
}

/// Returns what a placement may seem to gain by chance. The usual spread may be that of work which changes,
/// not of noise.
double BenefitRule::chance_gain_s() const {
  double share = chance_gain * usual_spread_;
  if (evidence_.knows_changes)
    share =
        std::min(share, changing_chance_gain * evidence_.sum_spread / static_cast<double>(evidence_.n_ranks));
  return share * evidence_.max_typical_s;
}

bool BenefitRule::worth_moving(double predicted_gain_s, const MigrationVolume& volume) {
  // Among many placements, a strategy selects one that looks better than it is, by about the noise.
  const double expected_gain_s = predicted_gain_s - chance_gain_s();
  refusal_.gain_s = std::min(expected_gain_s, assured_gain_s_);
  refusal_.phases = phases_to_come();
  // If gains have not lasted so far, the objects of this migration will have to migrate once more.
  refusal_.price_s = (lifetimes_.empty() ? 1 : 2) * (decision_s_ + migration_s(volume));
  refusal_.budget_s = budget_s();
  refusal_.elapsed_s = elapsed_s_;
  refusal_.volume = volume;
  using enum Refusal::Reason;
  if (volume.objects <= 0 || expected_gain_s <= 0)
    refuse(no_placement);
  else if (refusal_.gain_s * refusal_.phases <= refusal_.price_s)
    refuse(price);
  else if (!is_allowed(refusal_.price_s))
    refuse(budget);
  else {
    promised_gain_s_ = predicted_gain_s;
    return true;
  }
  // A part of a plan may have been refused in the same phase.
  if (refused_phase_ < n_phases_) longest_wait_ = std::max(1.0, 2 * longest_wait_);
  wait_phases_ = longest_wait_;
  const bool pays_later = refusal_.reason == price || refusal_.reason == budget;
  if (pays_later && refusal_.gain_s > 0) {  // a gain that lasts counts one phase more in each phase
    const double paying_phases = std::ceil(ample_s(refusal_.price_s) / refusal_.gain_s - refusal_.phases);
    wait_phases_ = std::clamp(paying_phases, 1.0, wait_phases_);
  }
  refused_phase_ = n_phases_;
  refusal_.phases_to_wait = wait_phases_;
  refusal_.awaited_gain_s = 2 * assured_gain_s_;
  waits_after_ = refusal_;
  return false;
}

/// Returns the gain beyond which a price does not need the budget. If the run ended now, the loss would be a
/// large part of its time if the price is.
double BenefitRule::ample_s(double price_s) const {
  return price_s * (1 + ample_gain * price_s / std::max(elapsed_s_, price_s));
}

/// Returns whether the budget, or the gain that is being compared, allows this price. A run of some phases
/// hardly notices a price of one phase; a longer migration might never pay if the run ends or changes.
bool BenefitRule::is_allowed(double price_s) const {
  const bool is_ample =
      price_s <= evidence_.max_typical_s && refusal_.gain_s * refusal_.phases > ample_s(price_s);
  return is_ample || price_s <= refusal_.budget_s;
}

std::int64_t BenefitRule::affordable_moves(std::int64_t moves) const {
  using enum Refusal::Reason;
  if (refusal_.reason != price && refusal_.reason != budget) return 0;
  const double gain_s = refusal_.gain_s * refusal_.phases;
  double affordable_s = std::min(gain_s, refusal_.price_s);
  while (!is_allowed(affordable_s)) affordable_s /= 2;
  return static_cast<std::int64_t>(static_cast<double>(moves) * affordable_s / refusal_.price_s);
}

bool BenefitRule::refuse(Refusal::Reason reason) {
  refusal_.reason = reason;
  return false;
}

void BenefitRule::moved(const MigrationVolume& volume, double migration_s) {
  price_.learn(volume, migration_s);
  unsaved_s_ += migration_s;
  wait_phases_ = longest_wait_ = 0;
  saved_.migrated(evidence_.max_typical_s, evidence_.bound_s());
  move_phase_ = n_phases_;
  // After a step towards a better placement, the rest of the gain remains.
  if (promised_gain_s_ < possible_gain_s() / 2) return;
  // If only a part of the last gain is gone, the rest is expected to go at the same pace.
  if (move_gain_s_ > 0 && possible_gain_s() > 0)
    record_lifetime((n_phases_ - gain_phase_) * move_gain_s_ / possible_gain_s());
  gain_phase_ = n_phases_;
  move_gain_s_ = possible_gain_s();
  gains_s_.clear();
}

double BenefitRule::phases_to_come() const {
  // A gain is expected to last for as long as it has lasted: what came suddenly may go suddenly.
  const auto changed = std::find_if(gains_s_.rbegin(), gains_s_.rend(),
                                    [&](double gain_s) { return gain_s < lasting_share * assured_gain_s_; });
  const auto phases = static_cast<double>(changed - gains_s_.rbegin());
  if (lifetimes_.empty()) return phases;
  std::vector<double> sorted = lifetimes_;
  std::ranges::sort(sorted);
  return std::min(phases, sorted[sorted.size() / 2]);
}

void BenefitRule::record_lifetime(double phases) {
  if (lifetimes_.size() == n_lifetimes) lifetimes_.erase(lifetimes_.begin());
  lifetimes_.push_back(phases);
}

}  // namespace plimsoll::balance
