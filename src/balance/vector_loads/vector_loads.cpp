#include "balance/vector_loads/vector_loads.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/contract.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

VectorLoads::VectorLoads(const LDStats& stats, const ProcArray& procs)
    : n_dimensions_(1 + stats.more_loads.size()),
      n_ranks_(stats.procs.size()),
      object_loads_(stats.obj_data.size() * n_dimensions_, 0.0),
      processors_(n_ranks_ * n_dimensions_) {
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
    add_dimension(stats, procs, dimension);
    find_level(stats, procs, dimension);
  }
  if (procs.average_load() > 0)
    bound_ = std::max(bound_, lower_bound(stats, procs).time_s / procs.average_load());
}

void VectorLoads::add_dimension(const LDStats& stats, const ProcArray& procs, std::size_t dimension) {
  const std::span processors = std::span(processors_).subspan(dimension * n_ranks_, n_ranks_);
  const auto load = [&](std::size_t object) -> double& {
    return object_loads_[object * n_dimensions_ + dimension];
  };
  if (dimension == 0) {
    const double average = procs.average_load();
    for (std::size_t rank = 0; rank < n_ranks_; ++rank)
      processors[rank] = {average > 0 ? procs.procs[rank].overhead / average : 0, procs.procs[rank].pe_speed};
    if (average == 0) return;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
      load(object) = stats.load_s(object) / average;
    return;
  }
  const LoadDimension& column = stats.more_loads[dimension - 1];
  const double sum = std::accumulate(column.of_object.begin(), column.of_object.end(), 0.0);
  if (sum == 0 || procs.n_available() == 0) return;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    load(object) = static_cast<double>(column.of_object[object]) / sum * procs.n_available();
    if (!stats.obj_data[object].migratable)
      processors[static_cast<std::size_t>(stats.from_proc[object])].overhead += load(object);
  }
}

void VectorLoads::find_level(const LDStats& stats, const ProcArray& procs, std::size_t dimension) {
  double movable = 0;
  double heaviest = 0;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    const double load = object_loads_[object * n_dimensions_ + dimension];
    movable += load;
    heaviest = std::max(heaviest, load);
  }
  std::vector<Processor> available;
  double earliest = std::numeric_limits<double>::infinity();  // earliest finish time of the heaviest object
  for (std::uint32_t rank = 0; rank < n_ranks_; ++rank) {
    bound_ = std::max(bound_, processor(rank, dimension).overhead);
    if (!procs.procs[rank].available) continue;
    available.push_back(processor(rank, dimension));
    earliest = std::min(earliest, available.back().overhead + heaviest / available.back().speed);
  }
  levels_.push_back(fair_level(available, movable));
  if (!available.empty()) bound_ = std::max({bound_, levels_.back(), earliest});
}

VectorRanks::VectorRanks(const LDStats& stats, const ProcArray& procs, const VectorLoads& loads,
                         std::vector<std::int32_t> placement)
    : procs_(procs),
      loads_(loads),
      rank_loads_(stats.procs.size() * loads.n_dimensions()),
      placement_(std::move(placement)),
      objects_(stats.procs.size(), stats.obj_data.size()),
      by_load_(loads.n_dimensions()) {
  PLIMSOLL_EXPECT(placement_.size() == stats.obj_data.size());
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    for (std::size_t d = 0; d < loads.n_dimensions(); ++d)
      rank_loads_[rank * loads.n_dimensions() + d] = loads.processor(rank, d).overhead;
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    const auto rank = static_cast<std::uint32_t>(placement_[object]);
    add(object, rank, 1);
    objects_.add(object, rank);
  }
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank) enter(rank);
}

void VectorRanks::move(std::uint32_t object, std::uint32_t to) {
  const auto from = static_cast<std::uint32_t>(placement_[object]);
  leave(from);
  leave(to);
  add(object, from, -1);
  add(object, to, 1);
  objects_.move(object, from, to);
  placement_[object] = static_cast<std::int32_t>(to);
  enter(from);
  enter(to);
}

void VectorRanks::add(std::uint32_t object, std::uint32_t rank, double sign) {
  for (std::size_t d = 0; d < loads_.n_dimensions(); ++d)
    rank_loads_[rank * loads_.n_dimensions() + d] +=
        sign * loads_.of_object(object)[d] / loads_.processor(rank, d).speed;
}

void VectorRanks::enter(std::uint32_t rank) {
  if (!available(rank)) return;
  by_height_.insert({height(rank), rank});
  for (std::size_t d = 0; d < by_load_.size(); ++d) by_load_[d].insert({of_rank(rank)[d], rank});
}

void VectorRanks::leave(std::uint32_t rank) {
  if (!available(rank)) return;
  by_height_.erase({height(rank), rank});
  for (std::size_t d = 0; d < by_load_.size(); ++d) by_load_[d].erase({of_rank(rank)[d], rank});
}

namespace {

constexpr double excess_weight = 100;
constexpr std::size_t move_partners = 8;
constexpr std::size_t max_given = 32;          // objects of the most loaded rank
constexpr std::size_t exchange_partners = 32;  // ranks with the lowest load in the dimension of the maximum
constexpr std::size_t random_partners = 1024;
constexpr std::size_t enough_partners = 4;  // inspected partners after which any improvement is good enough
constexpr std::size_t max_exchanged = 48;   // objects of each of the two ranks
// Limit for all steps together.
constexpr std::size_t steps_per_object = 16;
constexpr std::size_t minimum_exchanges = std::size_t{1} << 24;
constexpr std::size_t exchanges_per_object = 8;
// Limit for objects that must leave their rank: ranks with the lowest load in one dimension, or in all.
constexpr std::size_t lowest_ranks = 4;

/// Step in which the most loaded rank gives an object away, and takes another object or none.
struct Step {
  std::uint32_t partner = 0;
  std::uint32_t given = 0;
  std::optional<std::uint32_t> taken;
};

class Leveller {
 public:
  Leveller(VectorRanks& ranks, double target) : ranks_(ranks), loads_(ranks.loads()), target_(target) {
    std::size_t n_objects = 0;
    for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank) n_objects += ranks.objects(rank).size();
    steps_left_ = steps_per_object * n_objects;
    exchanges_left_ = minimum_exchanges + exchanges_per_object * n_objects;
  }

  void run() {
    for (; steps_left_ > 0 && ranks_.by_height().rbegin()->first > target_; --steps_left_) {
      highest_ = ranks_.by_height().rbegin()->second;
      std::optional<Step> step = best_move();
      if (!step) step = best_exchange();
      if (!step) return;
      ranks_.move(step->given, step->partner);
      if (step->taken) ranks_.move(*step->taken, highest_);
    }
  }

 private:
  double penalty(double load) const {
    const double excess = std::max(0.0, load - target_);
    return (load - 1) * (load - 1) + excess_weight * excess * excess;
  }
  /// Returns the limit for the maximum load of both ranks after a step: only a lower value is an improvement.
  double height_to_beat() const { return ranks_.height(highest_) * (1 - rounding_error); }

  /// Returns up to `count` ranks with the lowest load in the dimension where the most loaded rank has the
  /// highest load.
  std::vector<std::uint32_t> least_loaded(std::size_t count) const {
    const auto loads = ranks_.of_rank(highest_);
    const auto dimension = static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin());
    std::vector<std::uint32_t> lowest;
    for (const auto& [load, rank] : ranks_.by_load(dimension)) {
      if (rank == highest_ || lowest.size() == count) break;
      lowest.push_back(rank);
    }
    return lowest;
  }

  std::vector<std::uint32_t> some_objects(std::uint32_t rank, std::size_t count) {
    const std::vector<std::uint32_t>& objects = ranks_.objects(rank);
    if (objects.size() <= count) return objects;
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(objects[random_.next() % objects.size()]);
    return chosen;
  }

  std::optional<Step> best_move() {
    std::optional<Step> best;
    double best_gain = 0;
    const double to_beat = height_to_beat();
    const std::vector<std::uint32_t> givable = some_objects(highest_, max_given);
    const auto look_at = [&](std::uint32_t partner) {
      for (const std::uint32_t given : givable) {
        double gain = 0;
        double height = 0;
        for (std::size_t d = 0; d < loads_.n_dimensions(); ++d) {
          const double load = loads_.of_object(given)[d];
          const double here = ranks_.of_rank(highest_)[d];
          const double there = ranks_.of_rank(partner)[d];
          const double here_after = here - load / loads_.processor(highest_, d).speed;
          const double there_after = there + load / loads_.processor(partner, d).speed;
          height = std::max(height, std::max(here_after, there_after));
          gain += penalty(here) + penalty(there) - penalty(here_after) - penalty(there_after);
        }
        if (height >= to_beat || gain <= best_gain) continue;
        best_gain = gain;
        best = {partner, given, {}};
      }
    };
    for (const std::uint32_t partner : least_loaded(move_partners)) look_at(partner);
    for (std::size_t i = 0; !best && i < move_partners; ++i)
      if (const auto partner = random_partner()) look_at(*partner);
    return best;
  }

  /// Returns the swap that minimises the maximum load of the two ranks, or the first swap that brings both to
  /// the target.
  std::optional<Step> best_exchange() {
    std::optional<Step> best;
    double best_height = height_to_beat();
    const std::vector<std::uint32_t> givable = some_objects(highest_, max_exchanged);
    std::size_t n_seen = 0;
    const auto look_at = [&](std::uint32_t partner) {
      ++n_seen;
      for (const std::uint32_t taken : some_objects(partner, max_exchanged)) {
        exchanges_left_ -= std::min(exchanges_left_, givable.size());
        for (const std::uint32_t given : givable) {
          const double height = height_after(partner, given, taken, best_height);
          if (height >= best_height) continue;
          best_height = height;
          best = {partner, given, taken};
        }
      }
      return exchanges_left_ == 0 || (best && (best_height <= target_ || n_seen >= enough_partners));
    };
    for (const std::uint32_t partner : least_loaded(exchange_partners))
      if (look_at(partner)) return best;
    for (std::size_t i = 0; i < random_partners; ++i)
      if (const auto partner = random_partner(); partner && look_at(*partner)) return best;
    return best;
  }

  std::optional<std::uint32_t> random_partner() {
    const auto partner = static_cast<std::uint32_t>(random_.next() % ranks_.n_ranks());
    return partner != highest_ && ranks_.available(partner) ? std::optional(partner) : std::nullopt;
  }

  /// Returns the maximum load of the two ranks over all dimensions after the swap. If that maximum is >=
  /// `limit`, the result may be any value >= `limit`.
  double height_after(std::uint32_t partner, std::uint32_t given, std::uint32_t taken, double limit) const {
    double height = 0;
    for (std::size_t d = 0; d < loads_.n_dimensions() && height < limit; ++d) {
      const double load = loads_.of_object(given)[d] - loads_.of_object(taken)[d];
      const double here_after = ranks_.of_rank(highest_)[d] - load / loads_.processor(highest_, d).speed;
      const double there_after = ranks_.of_rank(partner)[d] + load / loads_.processor(partner, d).speed;
      height = std::max(height, std::max(here_after, there_after));
    }
    return height;
  }

  VectorRanks& ranks_;
  const VectorLoads& loads_;
  double target_;
  std::size_t steps_left_ = 0;
  std::size_t exchanges_left_ = 0;  ///< number of swaps that may still be inspected
  std::uint32_t highest_ = 0;
  Random random_{1};
};

double height_with(const VectorRanks& ranks, std::uint32_t rank, std::uint32_t object) {
  double height = 0;
  for (std::size_t d = 0; d < ranks.loads().n_dimensions(); ++d)
    height = std::max(height, ranks.of_rank(rank)[d] + ranks.loads().of_object(object)[d] /
                                                           ranks.loads().processor(rank, d).speed);
  return height;
}

std::uint32_t lowest_with(const VectorRanks& ranks, std::uint32_t object) {
  std::uint32_t lowest = ranks.by_height().begin()->second;
  const auto look_at = [&](const VectorRanks::RanksByLoad& by_load) {
    std::size_t seen = 0;
    for (auto entry = by_load.begin(); entry != by_load.end() && seen < lowest_ranks; ++entry, ++seen)
      if (height_with(ranks, entry->second, object) < height_with(ranks, lowest, object))
        lowest = entry->second;
  };
  look_at(ranks.by_height());
  for (std::size_t d = 0; d < ranks.loads().n_dimensions(); ++d) look_at(ranks.by_load(d));
  return lowest;
}

}  // namespace

void level_vectors(VectorRanks& ranks, double target) {
  if (ranks.by_height().size() > 1) Leveller(ranks, target * (1 + rounding_error)).run();
}

void evacuate_vectors(VectorRanks& ranks) {
  std::vector<std::uint32_t> to_evacuate;
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
    if (!ranks.available(rank))
      to_evacuate.insert(to_evacuate.end(), ranks.objects(rank).begin(), ranks.objects(rank).end());
  std::ranges::stable_sort(to_evacuate, std::greater(), [&](std::uint32_t object) {
    return std::ranges::max(ranks.loads().of_object(object));
  });
  for (const std::uint32_t object : to_evacuate) ranks.move(object, lowest_with(ranks, object));
}

}  // namespace plimsoll::balance
