#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/migration_price.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns what the migrations from stats.from_proc to a placement transfer on the ranks that send and
/// receive most objects, and most bytes.
inline MigrationVolume migration_volume(const LDStats& stats, std::span<const std::int32_t> placement) {
  std::vector<MigrationVolume> of_rank(stats.procs.size());
  for (std::size_t object = 0; object < placement.size(); ++object) {
    if (placement[object] == stats.from_proc[object]) continue;
    for (const std::int32_t rank : {stats.from_proc[object], placement[object]}) {
      MigrationVolume& volume = of_rank[static_cast<std::size_t>(rank)];
      ++volume.objects;
      volume.bytes += stats.migration_bytes(object);
    }
  }
  MigrationVolume busiest;
  for (const MigrationVolume& volume : of_rank) {
    busiest.objects = std::max(busiest.objects, volume.objects);
    busiest.bytes = std::max(busiest.bytes, volume.bytes);
  }
  return busiest;
}

}  // namespace plimsoll::balance
