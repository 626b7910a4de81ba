#include "balance/vector_loads/vector_loads.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

VectorLoads::VectorLoads(const LDStats& stats, const ProcArray& procs)
    : n_times_(std::max(stats.subphases.count, 1U)),
      n_dimensions_(n_times_ + stats.more_loads.size()),
      n_ranks_(stats.procs.size()),
      object_loads_(stats.obj_data.size() * n_dimensions_, 0.0),
      processors_(n_ranks_ * n_dimensions_) {
  const double average_s = procs.average_load();
  if (average_s > 0) add_times(stats, average_s);
  add_more_loads(stats, procs.n_available());
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) find_level(stats, procs, dimension);
  if (average_s > 0 && !stats.subphases.empty())
    for (std::uint32_t subphase = 0; subphase < n_times_; ++subphase)
      bounds_[subphase] =
          std::max(bounds_[subphase], lower_bound(subphase_stats(stats, subphase)).time_s / average_s);
  bound_ = cost(bounds_);
  if (average_s > 0) bound_ = std::max(bound_, finish_time_bound(stats, procs).time_s / average_s);
}

template <class LoadOf>
void VectorLoads::set_loads(const LDStats& stats, std::size_t dimension, LoadOf&& load_of) {
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const double load = load_of(object);
    object_loads_[object * n_dimensions_ + dimension] = load;
    if (stats.obj_data[object].migratable) continue;
    Processor& processor = processors_[dimension * n_ranks_ + at(stats.from_proc[object])];
    processor.overhead += load / processor.speed;
  }
}

void VectorLoads::add_times(const LDStats& stats, double average_s) {
  for (std::uint32_t dimension = 0; dimension < n_times_; ++dimension) {
    for (std::size_t rank = 0; rank < n_ranks_; ++rank) {
      const double fixed_s =
          dimension == SubphaseLoads::outside ? static_cast<double>(stats.procs[rank].bg_walltime) : 0;
      processors_[dimension * n_ranks_ + rank] = {fixed_s / average_s, stats.procs[rank].pe_speed};
    }
    set_loads(stats, dimension, [&](std::size_t object) {
      return (stats.subphases.empty() ? stats.load_s(object) : stats.subphases.load_s(object, dimension)) /
             average_s;
    });
  }
}

void VectorLoads::add_more_loads(const LDStats& stats, std::int32_t n_available) {
  for (std::size_t k = 0; k < stats.more_loads.size(); ++k) {
    const std::vector<LBRealType>& column = stats.more_loads[k].of_object;
    const double sum = std::accumulate(column.begin(), column.end(), 0.0);
    if (sum == 0 || n_available == 0) continue;
    set_loads(stats, n_times_ + k,
              [&](std::size_t object) { return static_cast<double>(column[object]) / sum * n_available; });
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
  double bound = 0;
  double earliest = std::numeric_limits<double>::infinity();  // earliest finish time of the heaviest object
  for (std::uint32_t rank = 0; rank < n_ranks_; ++rank) {
    bound = std::max(bound, processor(rank, dimension).overhead);
    if (!procs.procs[rank].available) continue;
    available.push_back(processor(rank, dimension));
    earliest = std::min(earliest, available.back().overhead + heaviest / available.back().speed);
  }
  levels_.push_back(fair_level(available, movable));
  if (!available.empty()) bound = std::max({bound, levels_.back(), earliest});
  bounds_.push_back(bound);
}

double VectorLoads::cost(std::span<const double> maxima) const {
  double cost = 0;
  for (std::size_t dimension = 0; dimension < n_times_; ++dimension) cost += maxima[dimension];
  for (std::size_t dimension = n_times_; dimension < n_dimensions_; ++dimension)
    cost = std::max(cost, maxima[dimension]);
  return cost;
}

std::vector<double> VectorLoads::limits(double cost) const {
  std::vector<double> limits(n_dimensions_, cost);
  const double sum =
      std::accumulate(bounds_.begin(), bounds_.begin() + static_cast<std::ptrdiff_t>(n_times_), 0.0);
  const double slack = std::max(0.0, cost - sum);
  for (std::size_t dimension = 0; dimension < n_times_; ++dimension) {
    const double even = 1 / static_cast<double>(n_times_);
    const double share = sum > 0 ? bounds_[dimension] / sum : even;
    limits[dimension] = bounds_[dimension] + slack * (even + share) / 2;
  }
  return limits;
}

VectorRanks::VectorRanks(const LDStats& stats, const ProcArray& procs, const VectorLoads& loads,
                         std::vector<std::int32_t> placement)
    : procs_(procs),
      loads_(loads),
      rank_loads_(stats.procs.size() * loads.n_dimensions()),
      placement_(std::move(placement)),
      objects_(stats.procs.size(), stats.obj_data.size()),
      by_load_(loads.n_dimensions()),
      fixed_maxima_(loads.n_dimensions(), 0.0) {
  PLIMSOLL_EXPECT(placement_.size() == stats.obj_data.size());
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank)
    for (std::size_t d = 0; d < loads.n_dimensions(); ++d) {
      const double fixed = loads.processor(rank, d).overhead;
      rank_loads_[rank * loads.n_dimensions() + d] = fixed;
      if (!available(rank)) fixed_maxima_[d] = std::max(fixed_maxima_[d], fixed);
    }
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    if (!stats.obj_data[object].migratable) continue;
    const auto rank = static_cast<std::uint32_t>(placement_[object]);
    add(object, rank, 1);
    objects_.add(object, rank);
  }
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank) enter(rank);
}

std::vector<double> VectorRanks::maxima() const {
  std::vector<double> maxima = fixed_maxima_;
  for (std::size_t d = 0; d < maxima.size(); ++d)
    if (!by_load_[d].empty()) maxima[d] = std::max(maxima[d], by_load_[d].rbegin()->first);
  return maxima;
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
  for (std::size_t d = 0; d < by_load_.size(); ++d) by_load_[d].insert({of_rank(rank)[d], rank});
}

void VectorRanks::leave(std::uint32_t rank) {
  if (!available(rank)) return;
  for (std::size_t d = 0; d < by_load_.size(); ++d) by_load_[d].erase({of_rank(rank)[d], rank});
}

namespace {

// Candidates for objects that must leave their rank: ranks with the lowest load in one dimension.
constexpr std::size_t lowest_ranks = 4;

/// Returns by how much the sum of squared loads of a rank grows with another object.
double growth_with(const VectorRanks& ranks, std::uint32_t rank, std::uint32_t object) {
  double growth = 0;
  for (std::size_t d = 0; d < ranks.loads().n_dimensions(); ++d) {
    const double load = ranks.loads().of_object(object)[d] / ranks.loads().processor(rank, d).speed;
    growth += load * (2 * ranks.of_rank(rank)[d] + load);
  }
  return growth;
}

std::uint32_t best_rank_for(const VectorRanks& ranks, std::uint32_t object) {
  std::uint32_t best = ranks.by_load(0).begin()->second;
  for (std::size_t d = 0; d < ranks.loads().n_dimensions(); ++d) {
    std::size_t seen = 0;
    for (auto entry = ranks.by_load(d).begin(); entry != ranks.by_load(d).end() && seen < lowest_ranks;
         ++entry, ++seen)
      if (growth_with(ranks, entry->second, object) < growth_with(ranks, best, object)) best = entry->second;
  }
  return best;
}

}  // namespace

void evacuate_vectors(VectorRanks& ranks) {
  std::vector<std::uint32_t> to_evacuate;
  for (std::uint32_t rank = 0; rank < ranks.n_ranks(); ++rank)
    if (!ranks.available(rank))
      to_evacuate.insert(to_evacuate.end(), ranks.objects(rank).begin(), ranks.objects(rank).end());
  std::ranges::stable_sort(to_evacuate, std::greater(), [&](std::uint32_t object) {
    return std::ranges::max(ranks.loads().of_object(object));
  });
  for (const std::uint32_t object : to_evacuate) ranks.move(object, best_rank_for(ranks, object));
}

}  // namespace plimsoll::balance
