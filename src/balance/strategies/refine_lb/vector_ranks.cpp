#include "balance/strategies/refine_lb/vector_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

void check(const LoadDimension& dimension, std::size_t n_objects) {
  if (dimension.of_object.size() != n_objects)
    throw support::bad_input(fmt::format("LDStats has {} objects, and load \"{}\" of {}", n_objects,
                                         dimension.name, dimension.of_object.size()));
  for (std::size_t object = 0; object < n_objects; ++object) {
    const auto load = static_cast<double>(dimension.of_object[object]);
    if (!std::isfinite(load) || load < 0)
      throw support::bad_input(
          fmt::format("object {} has load {} of \"{}\", not 0 or more", object, load, dimension.name));
  }
}

}  // namespace

VectorRanks::VectorRanks(const LDStats& stats, const ProcArray& procs)
    : procs_(procs),
      n_dimensions_(1 + stats.more_loads.size()),
      object_loads_(stats.obj_data.size() * n_dimensions_, 0.0),
      rank_loads_(stats.procs.size() * n_dimensions_, 0.0),
      placement_(stats.from_proc),
      members_(stats.procs.size()),
      position_(stats.obj_data.size()),
      by_load_(n_dimensions_) {
  if (procs.average_load() > 0) {
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
      object_loads_[object * n_dimensions_] =
          static_cast<double>(stats.obj_data[object].walltime) / procs.average_load();
    for (std::size_t rank = 0; rank < stats.procs.size(); ++rank)
      rank_loads_[rank * n_dimensions_] =
          static_cast<double>(stats.procs[rank].bg_walltime) / procs.average_load();
    least_height_ = lower_bound(stats, procs).time_s / procs.average_load();
  }
  for (std::size_t d = 1; d < n_dimensions_; ++d) {
    check(stats.more_loads[d - 1], stats.obj_data.size());
    add_dimension(d, stats.more_loads[d - 1].of_object);
  }
  for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object) {
    const auto rank = static_cast<std::uint32_t>(placement_[object]);
    add(object, rank, 1);
    if (!stats.obj_data[object].migratable) continue;
    position_[object] = static_cast<std::uint32_t>(members_[rank].size());
    members_[rank].push_back(object);
  }
  for (std::uint32_t rank = 0; rank < n_ranks(); ++rank) enter(rank);
}

void VectorRanks::add_dimension(std::size_t dimension, std::span<const LBRealType> of_object) {
  double sum = 0;
  for (const LBRealType load : of_object) sum += static_cast<double>(load);
  if (sum == 0 || procs_.n_available() == 0) return;
  for (std::size_t object = 0; object < of_object.size(); ++object) {
    const double load = static_cast<double>(of_object[object]) / sum * procs_.n_available();
    object_loads_[object * n_dimensions_ + dimension] = load;
    least_height_ = std::max(least_height_, load);
  }
}

double VectorRanks::height(std::uint32_t rank) const {
  return std::ranges::max(rank_loads(rank));
}

void VectorRanks::move(std::uint32_t object, std::uint32_t to) {
  const auto from = static_cast<std::uint32_t>(placement_[object]);
  leave(from);
  leave(to);
  add(object, from, -1);
  add(object, to, 1);
  std::vector<std::uint32_t>& left = members_[from];
  left[position_[object]] = left.back();
  position_[left.back()] = position_[object];
  left.pop_back();
  position_[object] = static_cast<std::uint32_t>(members_[to].size());
  members_[to].push_back(object);
  placement_[object] = static_cast<std::int32_t>(to);
  enter(from);
  enter(to);
}

void VectorRanks::add(std::uint32_t object, std::uint32_t rank, double sign) {
  for (std::size_t d = 0; d < n_dimensions_; ++d)
    rank_loads_[rank * n_dimensions_ + d] += sign * object_loads(object)[d] / divisor(rank, d);
}

void VectorRanks::enter(std::uint32_t rank) {
  if (!available(rank)) return;
  by_height_.insert({height(rank), rank});
  for (std::size_t d = 0; d < n_dimensions_; ++d) by_load_[d].insert({rank_loads(rank)[d], rank});
}

void VectorRanks::leave(std::uint32_t rank) {
  if (!available(rank)) return;
  by_height_.erase({height(rank), rank});
  for (std::size_t d = 0; d < n_dimensions_; ++d) by_load_[d].erase({rank_loads(rank)[d], rank});
}

}  // namespace plimsoll::balance
