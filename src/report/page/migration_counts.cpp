#include "report/page/migration_counts.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::report {

void MigrationCounts::add(const PhaseData& data) {
  const balance::LDStats& stats = data.phase.stats;
  Places places;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable)
      places.emplace_back(stats.numbers[object], stats.from_proc[object]);
  std::ranges::sort(places);
  if (counts_.empty()) {
    counts_.emplace_back();
  } else {
    std::int64_t n_moved = 0;
    auto before = previous_.begin();
    for (const auto& [number, rank] : places) {
      while (before != previous_.end() && before->first < number) ++before;
      if (before != previous_.end() && before->first == number && before->second != rank) ++n_moved;
    }
    counts_.emplace_back(n_moved);
  }
  previous_ = std::move(places);
}

}  // namespace plimsoll::report
