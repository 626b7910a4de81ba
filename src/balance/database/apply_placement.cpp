#include <algorithm>

#include <plimsoll/balance/apply_placement.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/rearranged_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Inserts a record in ascending order of IDs. Replaces a record with the same ID, or an entry that lists the
/// phase as identical.
void set_record(lbdata::RankData& rank, lbdata::PhaseRecord record) {
  if (rank.metadata.phases) rank.metadata.phases->identical_to_previous.remove(record.id);
  if (lbdata::PhaseRecord* present = rank.find(record.id)) {
    *present = std::move(record);
    return;
  }
  const auto after = std::ranges::find_if(
      rank.phases, [&](const lbdata::PhaseRecord& other) { return other.id > record.id; });
  rank.phases.insert(after, std::move(record));
}

/// Returns, for each rank, whether a task leaves or reaches it; edges migrate with tasks.
std::vector<bool> changed_ranks(const DatasetPhase& phase, std::span<const std::int32_t> to_proc) {
  std::vector<bool> changed(phase.stats.procs.size(), false);
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    if (to_proc[object] == phase.stats.from_proc[object]) continue;
    changed[static_cast<std::size_t>(to_proc[object])] = true;
    changed[static_cast<std::size_t>(phase.stats.from_proc[object])] = true;
  }
  return changed;
}

}  // namespace

lbdata::Dataset apply_placement(lbdata::Dataset dataset, const DatasetPhase& phase,
                                std::span<const std::int32_t> to_proc) {
  std::vector<lbdata::PhaseRecord> arranged = rearranged_records(dataset, phase, to_proc);
  const std::vector<const lbdata::PhaseRecord*> records = phase_records(dataset, phase.phase);
  const std::vector<bool> changed = changed_ranks(phase, to_proc);

  for (std::size_t r = 0; r < dataset.ranks.size(); ++r) {
    if (!changed[r]) continue;
    lbdata::RankData& rank = dataset.ranks[r];
    const lbdata::PhaseRecord& before = *records[r];
    arranged[r].user_defined = before.user_defined;
    arranged[r].lb_iterations = before.lb_iterations;
    if (rank.metadata.phases) {
      const auto next = rank.metadata.phases->identical_to_previous.next_after(phase.phase);
      if (next && rank.resolve(*next).record == &before) {
        lbdata::PhaseRecord same = before;
        same.id = *next;
        set_record(rank, std::move(same));
      }
    }
    set_record(rank, std::move(arranged[r]));
  }
  return dataset;
}

}  // namespace plimsoll::balance
