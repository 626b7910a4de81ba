#include "collectives/recording/known_rows.hpp"

#include <algorithm>
#include <new>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::span<const std::byte> bytes_of(const IntegerSpan& numbers) {
  return {static_cast<const std::byte*>(numbers.data()), numbers.bytes()};
}

using rank_log::CallRun;

/// Appends the call to a run if the call continues it. The second call of a run determines its steps.
bool extend(CallRun* run, std::uint64_t index, std::uint64_t id) {
  if (!run) return false;
  if (run->count == 1) {
    run->index_step = index - run->first_index;
    run->id_step = id - run->first_id;
  } else if (index != run->first_index + run->count * run->index_step ||
             id != run->first_id + run->count * run->id_step) {
    return false;
  }
  publish(run->count, run->count + 1);
  return true;
}

}  // namespace

GivenRow::GivenRow(rank_log::Subject of, const Row& row)
    : subject(of),
      record{.content = of == rank_log::Subject::displacements ? rank_log::Content::displacements
                                                               : rank_log::Content::counts,
             .wide = row.send.wide() || row.recv.wide(),
             .in_place = row.in_place,
             .send_type_size = row.send_type_size,
             .recv_type_size = row.recv_type_size,
             .send_count = row.send.size(),
             .recv_count = row.recv.size()},
      send(bytes_of(row.send)),
      recv(bytes_of(row.recv)) {}

std::uint64_t KnownRows::hash(const GivenRow& row) {
  const std::uint64_t seed = row.record.send_type_size + 31 * row.record.recv_type_size +
                             961 * static_cast<std::uint64_t>(row.subject);
  return support::hash_bytes(row.recv, support::hash_bytes(row.send, seed));
}

const KnownRow* KnownRows::find(const GivenRow& row, std::uint64_t hash) const {
  const std::uint32_t found = positions_.find(hash, [&](std::uint32_t position) {
    return entries_[position].hash == hash && entries_[position].row->equals(row);
  });
  return found == support::PositionHash::none ? nullptr : entries_[found].row;
}

const KnownRow& KnownRows::add(const GivenRow& row, std::uint64_t hash, std::uint32_t number) {
  PLIMSOLL_EXPECT(used_bytes_ + cost(row) <= memory_bytes_);
  if (!memory_) memory_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes_);
  if (entries_.empty()) free_ = memory_.get();
  std::byte* const numbers = free_ + sizeof(KnownRow);
  const auto* const known = new (free_) KnownRow{row.subject, row.record, number, numbers};
  std::ranges::copy(row.recv, std::ranges::copy(row.send, numbers).out);
  free_ = numbers + (row.send.size() + row.recv.size() + 7) / 8 * 8;
  positions_.insert(hash, static_cast<std::uint32_t>(entries_.size()),
                    [this](std::uint32_t position) { return entries_[position].hash; });
  entries_.push_back({hash, known});
  used_bytes_ += cost(row);
  return *known;
}

void KnownRows::forget_all(std::uint64_t bytes_needed) {
  if (bytes_needed > memory_bytes_) {
    memory_bytes_ = bytes_needed;
    memory_.reset();
  }
  entries_ = {};
  positions_.clear();
  used_bytes_ = 0;
  ++generation_;
}

bool CallStream::append(const KnownRow& row, std::uint64_t index, std::uint64_t id, MappedLog& log) {
  if (period_ == 0 || before(period_).row != &row) {
    const std::uint64_t period = period_to_have_now(row);
    if (period > 0) period_ = period;
  }
  MappedLog::Position run = MappedLog::nowhere;
  if (period_ > 0 && before(period_).row == &row && extend(log.find<CallRun>(before(period_).run), index, id))
    run = before(period_).run;
  else
    run = begin_run(row, index, id, log);
  remember({&row, run});
  return run != MappedLog::nowhere;
}

MappedLog::Position CallStream::begin_run(const KnownRow& row, std::uint64_t index, std::uint64_t id,
                                          MappedLog& log) const {
  return log.append(rank_log::Kind::run, CallRun{.communicator = communicator_,
                                                 .operation = operation_,
                                                 .subject = subject_,
                                                 .item = row.number,
                                                 .first_index = index,
                                                 .first_id = id,
                                                 .count = 1});
}

/// Returns how many calls ago the row was used; 0 if never. Chooses the use that follows the longest sequence
/// of calls equal to the latest ones.
std::uint64_t CallStream::period_to_have_now(const KnownRow& row) const {
  constexpr std::uint64_t enough_equal_calls = 8;
  constexpr std::uint64_t enough_choice = 8;
  std::uint64_t choice = 0;
  std::uint64_t best_period = 0;
  std::uint64_t most_equal_calls = 0;
  const std::uint64_t known_calls = past_.size();
  for (std::uint64_t period = 1; period <= known_calls && choice < enough_choice; ++period) {
    if (before(period).row != &row) continue;
    ++choice;
    std::uint64_t equal_calls = 0;
    while (equal_calls < enough_equal_calls && period + equal_calls < known_calls &&
           before(1 + equal_calls).row == before(period + 1 + equal_calls).row)
      ++equal_calls;
    if (best_period == 0 || equal_calls > most_equal_calls) {
      best_period = period;
      most_equal_calls = equal_calls;
    }
  }
  return best_period;
}

void CallStream::remember(PastCall call) {
  if (past_.size() < longest_period)
    past_.push_back(call);
  else
    past_[calls_ % longest_period] = call;
  ++calls_;
}

void CallStream::forget(std::uint64_t generation) {
  past_.clear();
  calls_ = 0;
  period_ = 0;
  generation_ = generation;
}

}  // namespace plimsoll::collectives
