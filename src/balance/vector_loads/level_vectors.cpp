#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "balance/search/random.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t lowest_partners = 6;  // ranks with the lowest load, per dimension above its limit
constexpr std::size_t random_partners = 6;
constexpr std::size_t more_partners = 512;   // random partners of swaps, if no other partner helps
constexpr std::size_t enough_partners = 4;   // partners of swaps after which the first cure is good enough
constexpr std::size_t max_inspected = 64;    // objects of the rank that gives
constexpr std::size_t max_given = 16;        // inspected objects that relieve it most
constexpr std::size_t max_swapped = 48;      // objects of each of the two ranks
constexpr double good_share = 0.5;           // of the possible gain, with which a migration needs no swap
constexpr double min_shares[] = {0.2, 0.0};  // of the possible gain, per pass
constexpr double tie = 1e-9;                 // relative difference of gains that count as equal
// Limits for all steps together.
constexpr std::size_t steps_per_object = 16;
constexpr std::size_t swaps_per_load = 1024;  // of an object in a dimension
constexpr std::size_t most_swaps = std::size_t{1} << 23;
constexpr std::size_t more_swaps_per_object = 8;
// Part of the way from the current cost to the bound that the search aims at, at first and at last.
constexpr double first_part = 0.5;
constexpr double last_part = 0.1;

/// Step in which a rank gives an object away, and takes another object or none.
struct Step {
  std::uint32_t partner = 0;
  std::uint32_t given = 0;
  std::optional<std::uint32_t> taken = {};
  double gain = 0;      ///< load above the limits that disappears
  double evenness = 0;  ///< by how much the sum of squared deviations from the level decreases

  double gain_per_migration() const { return taken ? gain / 2 : gain; }
};

class Leveller {
 public:
  explicit Leveller(VectorRanks& ranks)
      : ranks_(ranks), loads_(ranks.loads()), excess_(ranks.n_ranks(), 0.0) {
    std::size_t n_objects = 0;
    for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) n_objects += ranks.objects(rank).size();
    steps_left_ = steps_per_object * n_objects;
    swaps_left_ = std::min(most_swaps, swaps_per_load * n_objects * loads_.n_dimensions()) +
                  more_swaps_per_object * n_objects;
  }

  bool has_steps() const { return steps_left_ > 0; }

  /// Migrates objects until no rank is above a limit, or no step helps.
  void run(std::vector<double> limits) {
    limits_ = std::move(limits);
    for (const double min_share : min_shares) {
      overloaded_.clear();
      for (std::uint32_t rank = 0; rank < ranks_.n_ranks(); ++rank) update(rank);
      if (overloaded_.empty()) return;
      for (; !overloaded_.empty() && steps_left_ > 0; --steps_left_) {
        donor_ = overloaded_.rbegin()->second;
        const std::optional<Step> step = best_step(min_share);
        if (step)
          apply(*step);
        else
          overloaded_.erase({excess_[donor_], donor_});
      }
    }
  }

 private:
  double over(double load, std::size_t dimension) const { return std::max(0.0, load - limits_[dimension]); }

  void update(std::uint32_t rank) {
    if (!ranks_.available(rank)) return;
    overloaded_.erase({excess_[rank], rank});
    excess_[rank] = 0;
    for (std::size_t d = 0; d < limits_.size(); ++d) excess_[rank] += over(ranks_.of_rank(rank)[d], d);
    if (excess_[rank] > rounding_error) overloaded_.insert({excess_[rank], rank});
  }

  void apply(const Step& step) {
    ranks_.move(step.given, step.partner);
    if (step.taken) ranks_.move(*step.taken, donor_);
    update(donor_);
    update(step.partner);
  }

  /// Returns the load above the limits of a rank after it has gained an object and lost another, if any.
  /// Stops at `enough`.
  double excess_after(std::uint32_t rank, std::optional<std::uint32_t> gained,
                      std::optional<std::uint32_t> lost,
                      double enough = std::numeric_limits<double>::infinity()) const {
    double excess = 0;
    for (std::size_t d = 0; d < limits_.size() && excess < enough; ++d) {
      const double change =
          (gained ? loads_.of_object(*gained)[d] : 0) - (lost ? loads_.of_object(*lost)[d] : 0);
      excess += over(ranks_.of_rank(rank)[d] + change / loads_.processor(rank, d).speed, d);
    }
    return excess;
  }

  double evenness(std::uint32_t given, std::uint32_t partner) const {
    double gain = 0;
    for (std::size_t d = 0; d < limits_.size(); ++d) {
      const double load = loads_.of_object(given)[d];
      const double level = loads_.level(d);
      const double here = ranks_.of_rank(donor_)[d] - level;
      const double there = ranks_.of_rank(partner)[d] - level;
      const double here_after = here - load / loads_.processor(donor_, d).speed;
      const double there_after = there + load / loads_.processor(partner, d).speed;
      gain += here * here + there * there - here_after * here_after - there_after * there_after;
    }
    return gain;
  }

  std::vector<std::uint32_t> some_objects(std::uint32_t rank, std::size_t count) {
    const std::vector<std::uint32_t>& objects = ranks_.objects(rank);
    if (objects.size() <= count) return objects;
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(objects[random_.next() % objects.size()]);
    return chosen;
  }

  std::optional<std::uint32_t> random_partner() {
    const auto partner = static_cast<std::uint32_t>(random_.next() % ranks_.n_ranks());
    return partner != donor_ && ranks_.available(partner) ? std::optional(partner) : std::nullopt;
  }

  /// Returns ranks with the lowest loads in the dimensions in which the donor is above the limits, and some
  /// random ones.
  std::vector<std::uint32_t> partners() {
    std::vector<std::uint32_t> partners;
    for (std::size_t d = 0; d < limits_.size(); ++d) {
      if (over(ranks_.of_rank(donor_)[d], d) <= rounding_error) continue;
      std::size_t seen = 0;
      for (auto entry = ranks_.by_load(d).begin(); entry != ranks_.by_load(d).end() && seen < lowest_partners;
           ++entry, ++seen)
        if (entry->second != donor_) partners.push_back(entry->second);
    }
    for (std::size_t i = 0; i < random_partners; ++i)
      if (const auto partner = random_partner()) partners.push_back(*partner);
    return partners;
  }

  std::optional<Step> best_step(double min_share) {
    const std::vector<std::uint32_t> partners = this->partners();
    const std::optional<Step> move = best_move(partners);
    const double possible = std::min(excess_[donor_], best_relief_);
    if (move && move->gain >= good_share * possible) return move;
    const std::optional<Step> swap = best_swap(partners);
    const bool swaps = swap && (!move || swap->gain_per_migration() > move->gain_per_migration());
    const std::optional<Step>& best = swaps ? swap : move;
    return best && best->gain > min_share * possible ? best : std::nullopt;
  }

  std::optional<Step> best_move(std::span<const std::uint32_t> partners) {
    std::vector<std::pair<double, std::uint32_t>> givable;  // relief of the donor, and object
    for (const std::uint32_t object : some_objects(donor_, max_inspected))
      givable.emplace_back(excess_[donor_] - excess_after(donor_, {}, object), object);
    const std::size_t n_given = std::min(max_given, givable.size());
    std::ranges::partial_sort(givable, givable.begin() + static_cast<std::ptrdiff_t>(n_given),
                              std::greater());
    givable.resize(n_given);
    best_relief_ = givable.empty() ? 0 : givable.front().first;
    std::optional<Step> best;
    double best_gain = rounding_error;
    for (const std::uint32_t partner : partners)
      for (const auto& [relief, given] : givable) {
        if (relief < best_gain * (1 - tie)) break;
        const double gain = relief + excess_[partner] - excess_after(partner, given, {});
        if (gain < best_gain * (1 - tie)) continue;
        const double even = evenness(given, partner);
        if (best && gain <= best_gain * (1 + tie) && even <= best->evenness) continue;
        best_gain = gain;
        best = {partner, given, {}, gain, even};
      }
    return best;
  }

  /// Returns the swap with the most gain, or one that relieves the donor completely.
  std::optional<Step> best_swap(std::span<const std::uint32_t> partners) {
    std::optional<Step> best;
    double best_gain = rounding_error;
    const std::vector<std::uint32_t> givable = some_objects(donor_, max_swapped);
    std::size_t n_seen = 0;
    const auto is_enough_with = [&](std::uint32_t partner) {
      ++n_seen;
      const double before = excess_[donor_] + excess_[partner];
      for (const std::uint32_t taken : some_objects(partner, max_swapped)) {
        swaps_left_ -= std::min(swaps_left_, givable.size());
        for (const std::uint32_t given : givable) {
          const double most = before - best_gain;
          const double here = excess_after(donor_, taken, given, most);
          if (here >= most) continue;
          const double after = here + excess_after(partner, given, taken, most - here);
          if (after >= most) continue;
          best_gain = before - after;
          best = {partner, given, taken, best_gain};
        }
      }
      return swaps_left_ == 0 ||
             (best && n_seen >= enough_partners && best_gain >= excess_[donor_] * (1 - tie));
    };
    for (const std::uint32_t partner : partners)
      if (is_enough_with(partner)) return best;
    for (std::size_t i = 0; i < more_partners && !best; ++i)
      if (const auto partner = random_partner(); partner && is_enough_with(*partner)) return best;
    return best;
  }

  VectorRanks& ranks_;
  const VectorLoads& loads_;
  std::vector<double> limits_;
  std::vector<double> excess_;  ///< load of each rank above the limits
  VectorRanks::RanksByLoad overloaded_;
  std::uint32_t donor_ = 0;
  double best_relief_ = 0;  ///< relief of the donor by its best object
  std::size_t steps_left_ = 0;
  std::size_t swaps_left_ = 0;  ///< number of swaps that may still be inspected
  Random random_{1};
};

void restore(VectorRanks& ranks, const std::vector<std::int32_t>& placement) {
  for (std::uint32_t object = 0; object < placement.size(); ++object)
    if (ranks.placement()[object] != placement[object])
      ranks.move(object, static_cast<std::uint32_t>(placement[object]));
}

/// Returns objects to their ranks, lightest first, as long as the cost is at most `allowed`.
void return_objects(VectorRanks& ranks, const std::vector<std::int32_t>& start, double allowed) {
  std::vector<std::uint32_t> moved;
  for (std::uint32_t object = 0; object < start.size(); ++object)
    if (ranks.placement()[object] != start[object]) moved.push_back(object);
  std::ranges::stable_sort(
      moved, {}, [&](std::uint32_t object) { return std::ranges::max(ranks.loads().of_object(object)); });
  const VectorLoads& loads = ranks.loads();
  const auto returns = [&](std::uint32_t object) {
    const auto there = static_cast<std::uint32_t>(ranks.placement()[object]);
    const auto back = static_cast<std::uint32_t>(start[object]);
    std::vector<double> maxima = ranks.maxima();
    bool lowers_maximum = false;
    for (std::size_t d = 0; d < maxima.size(); ++d) {
      lowers_maximum = lowers_maximum || ranks.of_rank(there)[d] == maxima[d];
      maxima[d] = std::max(
          maxima[d], ranks.of_rank(back)[d] + loads.of_object(object)[d] / loads.processor(back, d).speed);
    }
    const bool fits = loads.cost(maxima) <= allowed;
    if (!fits && !lowers_maximum) return false;
    ranks.move(object, back);
    if (fits || ranks.cost() <= allowed) return true;
    ranks.move(object, there);
    return false;
  };
  while (std::erase_if(moved, returns) > 0) {
  }
}

}  // namespace

void level_vectors(VectorRanks& ranks, double target) {
  const std::vector<std::int32_t> start = ranks.placement();
  const double allowed = target * (1 + rounding_error);
  const VectorLoads& loads = ranks.loads();
  double best_cost = ranks.cost();
  if (ranks.by_load(0).size() < 2 || best_cost <= allowed) return;

  Leveller leveller(ranks);
  std::vector<std::int32_t> best = start;
  const auto aim_at = [&](double cost) {
    leveller.run(loads.limits(cost));
    if (ranks.cost() < best_cost) {
      best_cost = ranks.cost();
      best = ranks.placement();
    }
    return best_cost <= cost * (1 + rounding_error);
  };
  bool reached = aim_at(target);
  for (double part = first_part; !reached && part >= last_part && leveller.has_steps();) {
    const double cost = best_cost - part * (best_cost - loads.bound());
    if (!aim_at(std::max(cost, target))) part /= 2;
    reached = best_cost <= allowed;
  }
  restore(ranks, best);
  return_objects(ranks, start, std::max(allowed, best_cost));
}

}  // namespace plimsoll::balance
