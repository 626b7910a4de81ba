#include "balance/search/hill_climbing.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "balance/search/loads.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Move = CommPlacement::Move;

class HillClimber {
 public:
  explicit HillClimber(CommPlacement& placement)
      : placement_(placement),
        cost_(placement.score().second),
        locked_in_(placement.n_objects(), 0),
        changed_in_(placement.n_objects(), 0),
        queued_in_(placement.n_objects(), 0),
        queued_gain_(placement.n_objects(), 0) {}

  /// Returns the saved cost.
  double climb() {
    double saved = 0;
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
      const double more = saved_by_sweep();
      saved += more;
      if (more <= worthwhile_sweep * cost_) break;
    }
    return saved;
  }

 private:
  // Migrations of a chain after the lowest costs so far. Longer chains lock more objects in vain; shorter
  // ones do not cross the layer of objects that separates two ranks in a mesh.
  static constexpr std::size_t patience = 64;
  // Neighbouring objects whose chains start one after the other, because their data are close in memory.
  static constexpr std::size_t group_size = 64;
  static constexpr int max_rounds = 50;
  // Saving of a round or a sweep, relative to the costs, that justifies another one.
  static constexpr double worthwhile_round = 0.0002;
  static constexpr double worthwhile_sweep = 0.002;
  static constexpr int max_sweeps = 10;

  struct Candidate {
    double gain;
    std::uint32_t object;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };
  struct Step {
    std::uint32_t object;
    std::uint32_t from;
  };

  /// Runs rounds until one saves little.
  double saved_by_sweep() {
    double saved = round([](std::uint32_t) { return true; });
    for (int repeat = 1; repeat < max_rounds; ++repeat) {
      const double more = round([&](std::uint32_t object) { return changed_in_[object] + 1 == round_; });
      saved += more;
      if (more <= worthwhile_round * cost_) break;
    }
    return saved;
  }

  /// Starts chains at the objects with `starts(object)`, in groups in random order.
  template <typename Starts>
  double round(const Starts& starts) {
    ++round_;
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t object = 0; object < placement_.n_objects(); ++object)
      if (placement_.migratable(object) && starts(object) && has_remote_partner(object))
        seeds.push_back(object);
    std::vector<std::size_t> groups((seeds.size() + group_size - 1) / group_size);
    std::iota(groups.begin(), groups.end(), std::size_t{0});
    for (std::size_t left = groups.size(); left > 1; --left)
      std::swap(groups[left - 1], groups[random_.next() % left]);

    double saved = 0;
    for (const std::size_t group : groups) {
      const std::size_t end = std::min(seeds.size(), (group + 1) * group_size);
      for (std::size_t seed = group * group_size; seed < end; ++seed)
        if (locked_in_[seeds[seed]] != round_) saved += climb_from(seeds[seed]);
    }
    return saved;
  }

  bool has_remote_partner(std::uint32_t object) const {
    const std::uint32_t here = placement_.rank(object);
    return here != placement_.home(object) ||
           std::ranges::any_of(placement_.partners(object), [&](const Affinity::Partner& partner) {
             return placement_.rank(partner) != here;
           });
  }

  /// Queues an object unless it has no destination or is queued with the same gain.
  void consider(std::uint32_t object) {
    if (!placement_.migratable(object) || locked_in_[object] == round_) return;
    const Move move = placement_.to_partners(object);
    if (move.to == CommPlacement::nowhere) return;
    if (queued_in_[object] == chain_ && queued_gain_[object] == move.gain) return;
    queued_in_[object] = chain_;
    queued_gain_[object] = move.gain;
    candidates_.push_back({move.gain, object});
    std::ranges::push_heap(candidates_);
  }

  /// Returns whether the best candidate was still up to date, and migrates it if so.
  bool take_best(double& gain) {
    std::ranges::pop_heap(candidates_);
    const auto [expected_gain, object] = candidates_.back();
    candidates_.pop_back();
    if (locked_in_[object] == round_ || queued_gain_[object] != expected_gain) return false;
    queued_in_[object] = 0;
    const Move move = placement_.to_partners(object);
    if (move.to == CommPlacement::nowhere) return false;
    if (!candidates_.empty() && move.gain < candidates_.front().gain) {
      consider(object);
      return false;
    }
    chain_steps_.push_back({object, placement_.rank(object)});
    placement_.apply(object, move.to);
    locked_in_[object] = round_;
    gain += move.gain;
    for_each_partner(object, [&](std::uint32_t partner) {
      if (placement_.partners(partner).size() <= many_partners) consider(partner);
    });
    return true;
  }

  /// Runs a chain of migrations. Returns the saved cost.
  double climb_from(std::uint32_t seed) {
    ++chain_;
    candidates_.clear();
    chain_steps_.clear();
    consider(seed);
    double gain = 0;
    double best_gain = 0;
    std::size_t best_length = 0;
    while (!candidates_.empty() && chain_steps_.size() < best_length + patience)
      if (take_best(gain) && gain > best_gain + rounding_error * cost_) {
        best_gain = gain;
        best_length = chain_steps_.size();
      }
    for (; chain_steps_.size() > best_length; chain_steps_.pop_back())
      placement_.apply(chain_steps_.back().object, chain_steps_.back().from);
    for (const Step& step : chain_steps_) {
      changed_in_[step.object] = round_;
      for_each_partner(step.object, [&](std::uint32_t partner) { changed_in_[partner] = round_; });
    }
    return best_gain;
  }

  template <typename Visit>
  void for_each_partner(std::uint32_t object, const Visit& visit) const {
    for (const Affinity::Partner& partner : placement_.partners(object))
      if (partner.end.is_object()) visit(partner.end.index());
  }

  CommPlacement& placement_;
  double cost_;  ///< costs at the start
  Random random_{1};
  std::uint32_t round_ = 0;
  std::uint64_t chain_ = 0;
  std::vector<std::uint32_t> locked_in_;   ///< round in which each object migrated last, or was undone
  std::vector<std::uint32_t> changed_in_;  ///< round in which each object or a partner migrated last
  std::vector<std::uint64_t> queued_in_;   ///< chain for which each object is queued
  std::vector<double> queued_gain_;
  std::vector<Candidate> candidates_;  ///< heap of the current chain
  std::vector<Step> chain_steps_;
};

}  // namespace

double climb_hills(CommPlacement& placement) {
  return HillClimber(placement).climb();
}

}  // namespace plimsoll::balance
