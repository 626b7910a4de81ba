#include "balance/strategies/refine_lb/vector_refine.hpp"

#include <algorithm>
#include <optional>

#include "balance/random.hpp"
#include "balance/strategies/refine_lb/vector_ranks.hpp"

namespace plimsoll::balance {

namespace {

// Less than this is rounding, not improvement.
constexpr double least_gain = 1e-12;
// For moves: partners, and objects of the highest rank.
constexpr std::size_t move_partners = 8;
constexpr std::size_t max_given = 64;
// For exchanges: partners, and objects of each of two ranks.
constexpr std::size_t exchange_partners = 32;
constexpr std::size_t max_exchanged = 32;
constexpr std::size_t max_steps_per_object = 16;
constexpr double excess_weight = 100;

/// An object for another one, or for none.
struct Step {
  std::uint32_t partner = 0;
  std::uint32_t given = 0;
  std::optional<std::uint32_t> taken;
  double gain = 0;  ///< by which the ranks' penalties fall
};

class VectorRefiner {
 public:
  VectorRefiner(const LDStats& stats, const ProcArray& procs, double tolerance)
      : ranks_(stats, procs),
        target_(std::max(tolerance, ranks_.least_height()) * (1 + least_gain)),
        steps_left_(max_steps_per_object * stats.obj_data.size()) {}

  void evacuate() {
    for (std::uint32_t rank = 0; rank < ranks_.n_ranks(); ++rank)
      while (!ranks_.available(rank) && !ranks_.objects(rank).empty())
        ranks_.move(ranks_.objects(rank).back(), lowest_with(ranks_.objects(rank).back()));
  }

  void refine() {
    for (; steps_left_ > 0 && ranks_.height(ranks_.highest()) > target_; --steps_left_) {
      Step step = best_move();
      if (step.gain <= 0) step = best_exchange();
      if (step.gain <= 0) return;
      const std::uint32_t highest = ranks_.highest();
      ranks_.move(step.given, step.partner);
      if (step.taken) ranks_.move(*step.taken, highest);
    }
  }

  std::vector<std::int32_t> take_placement() { return ranks_.take_placement(); }

 private:
  /// The rank that would be the lowest with this object.
  std::uint32_t lowest_with(std::uint32_t object) const {
    std::uint32_t lowest = 0;
    double least = 0;
    bool found = false;
    for (std::uint32_t rank = 0; rank < ranks_.n_ranks(); ++rank) {
      if (!ranks_.available(rank)) continue;
      const double height = after(rank, &object, nullptr).height;
      if (found && height >= least) continue;
      found = true;
      lowest = rank;
      least = height;
    }
    return lowest;
  }

  struct Outcome {
    double height = 0;
    double penalty = 0;
  };

  /// What a rank would have with one object more and one less.
  Outcome after(std::uint32_t rank, const std::uint32_t* arriving, const std::uint32_t* leaving) const {
    Outcome outcome;
    for (std::size_t d = 0; d < ranks_.n_dimensions(); ++d) {
      const double change = (arriving ? ranks_.object_loads(*arriving)[d] : 0) -
                            (leaving ? ranks_.object_loads(*leaving)[d] : 0);
      const double load = ranks_.rank_loads(rank)[d] + change / ranks_.divisor(rank, d);
      const double excess = std::max(0.0, load - target_);
      outcome.height = std::max(outcome.height, load);
      outcome.penalty += (load - 1) * (load - 1) + excess_weight * excess * excess;
    }
    return outcome;
  }

  /// Takes the step for the best if it lowers the greater of the two heights and gains more than the best.
  void consider(Step& best, std::uint32_t partner, std::uint32_t given, const std::uint32_t* taken) const {
    const std::uint32_t highest = ranks_.highest();
    const Outcome ours = after(highest, taken, &given);
    const Outcome theirs = after(partner, &given, taken);
    if (std::max(ours.height, theirs.height) >= ranks_.height(highest) * (1 - least_gain)) return;
    const double gain = after(highest, nullptr, nullptr).penalty - ours.penalty +
                        after(partner, nullptr, nullptr).penalty - theirs.penalty;
    if (gain > best.gain) best = {partner, given, taken ? std::optional(*taken) : std::nullopt, gain};
  }

  /// Those that have least of what the highest has most.
  std::vector<std::uint32_t> partners(std::size_t count) const {
    const auto loads = ranks_.rank_loads(ranks_.highest());
    const auto dimension = static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin());
    std::vector<std::uint32_t> least;
    for (const auto& [load, rank] : ranks_.by_load(dimension)) {
      if (rank == ranks_.highest() || least.size() == count) break;
      least.push_back(rank);
    }
    return least;
  }

  /// Objects of a rank: all, or as many as `count`, at random.
  std::vector<std::uint32_t> some_objects(std::uint32_t rank, std::size_t count) {
    std::vector<std::uint32_t> objects = ranks_.objects(rank);
    if (objects.size() <= count) return objects;
    for (std::size_t i = 0; i < count; ++i)
      std::swap(objects[i], objects[i + random_.next() % (objects.size() - i)]);
    objects.resize(count);
    return objects;
  }

  Step best_move() {
    Step best;
    const std::vector<std::uint32_t> givable = some_objects(ranks_.highest(), max_given);
    for (const std::uint32_t partner : partners(move_partners))
      for (const std::uint32_t given : givable) consider(best, partner, given, nullptr);
    return best;
  }

  Step best_exchange() {
    Step best;
    const std::vector<std::uint32_t> givable = some_objects(ranks_.highest(), max_exchanged);
    for (const std::uint32_t partner : partners(exchange_partners))
      for (const std::uint32_t taken : some_objects(partner, max_exchanged))
        for (const std::uint32_t given : givable) consider(best, partner, given, &taken);
    return best;
  }

  VectorRanks ranks_;
  double target_;
  std::size_t steps_left_;
  Random random_{1};
};

}  // namespace

std::vector<std::int32_t> refine_vectors(const LDStats& stats, const ProcArray& procs, double tolerance) {
  VectorRefiner refiner(stats, procs, tolerance);
  if (procs.n_available() > 0) {
    refiner.evacuate();
    refiner.refine();
  }
  return refiner.take_placement();
}

}  // namespace plimsoll::balance
