#include "balance/vector_loads/vector_ranks.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::balance {

VectorRanks::VectorRanks(const LDStats& stats, const ProcArray& procs, const VectorLoads& loads,
                         std::vector<std::int32_t> placement)
    : procs_(procs),
      loads_(loads),
      rank_loads_(stats.procs.size() * loads.n_dimensions()),
      placement_(std::move(placement)),
      objects_(stats.procs.size(), stats.obj_data.size()),
      by_load_(loads.n_dimensions()) {
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
