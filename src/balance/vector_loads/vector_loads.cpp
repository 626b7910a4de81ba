#include "balance/vector_loads/vector_loads.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/contract.hpp>

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

double VectorRanks::height(std::uint32_t rank) const {
  return std::ranges::max(of_rank(rank));
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

}  // namespace plimsoll::balance
