#include <algorithm>

#include <plimsoll/balance/benefit_rule.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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

void BenefitRule::decided(double decision_s) {
  decision_s_ = decision_s;
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
