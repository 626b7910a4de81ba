#include <algorithm>
#include <span>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/phase_columns.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

void add_memory(const LDStats& stats, std::span<RankOverview> ranks) {
  const MemoryUse use(stats, stats.from_proc, false);
  const auto memory_of = [&](std::size_t rank) { return use.of_rank(static_cast<std::int32_t>(rank)); };
  bool known = false;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) known = known || memory_of(rank) > 0;
  if (!known) return;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].memory_bytes = memory_of(rank);
}

}  // namespace

std::vector<RankOverview> rank_overviews(const lbdata::Dataset& dataset, std::int64_t phase) {
  const RankTraffic traffic = recorded_traffic(dataset, phase).traffic;
  const bool memory = mention_memory(phase_records(dataset, phase));
  const LDStats stats = load_phase(dataset, phase, {.loads_only = true, .memory = memory}).stats;
  const std::vector<double> loads_s = finish_times(stats, stats.from_proc);
  std::vector<RankOverview> ranks(stats.procs.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankOverview& overview = ranks[rank];
    overview.load_s = loads_s[rank];
    overview.n_objects = stats.procs[rank].n_objs;
    overview.sent_bytes = traffic.sent_bytes[rank];
    overview.received_bytes = traffic.received_bytes[rank];
    overview.sent_messages = traffic.sent_messages[rank];
    overview.received_messages = traffic.received_messages[rank];
  }
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable)
      ++ranks[static_cast<std::size_t>(stats.from_proc[object])].n_migratable;
  if (memory) add_memory(stats, ranks);
  return ranks;
}

}  // namespace plimsoll::balance
