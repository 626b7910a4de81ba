#include "balance/database/separate_record.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Inserts a record in ascending order of IDs, for a phase that is listed as identical.
void add_record(lbdata::RankData& rank, lbdata::PhaseRecord record) {
  if (rank.metadata.phases) rank.metadata.phases->identical_to_previous.remove(record.id);
  const auto after = std::ranges::find_if(
      rank.phases, [&](const lbdata::PhaseRecord& other) { return other.id > record.id; });
  rank.phases.insert(after, std::move(record));
}

void copy_record(lbdata::RankData& rank, std::int64_t from, std::int64_t to) {
  lbdata::PhaseRecord copy = *rank.resolve(from).record;
  copy.id = to;
  add_record(rank, std::move(copy));
}

}  // namespace

lbdata::PhaseRecord& separate_record(lbdata::RankData& rank, std::int64_t phase) {
  if (rank.metadata.phases) {
    const auto next = rank.metadata.phases->identical_to_previous.next_after(phase);
    if (next && rank.resolve(*next).record == rank.resolve(phase).record) copy_record(rank, phase, *next);
  }
  if (rank.find(phase) == nullptr) copy_record(rank, phase, phase);
  return *rank.find(phase);
}

}  // namespace plimsoll::balance
