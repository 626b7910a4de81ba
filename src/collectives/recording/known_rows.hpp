#pragma once

#include <algorithm>
#include <cstring>
#include <new>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/hash.hpp>

#include "collectives/recording/mapped_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Row passed by the caller: counts, displacements, or the addresses of a backtrace.
struct GivenRow {
  rank_log::Subject subject;
  rank_log::RowRecord record;  ///< without a number
  std::span<const std::byte> send;
  std::span<const std::byte> recv;

  GivenRow(rank_log::Subject of, const Row& row)
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

 private:
  static std::span<const std::byte> bytes_of(const IntegerSpan& numbers) {
    return {static_cast<const std::byte*>(numbers.data()), numbers.bytes()};
  }
};

/// Row in the log, where a number identifies it.
struct KnownRow {
  rank_log::Subject subject;
  rank_log::RowRecord record;  ///< without a number
  std::uint32_t number = 0;
  const std::byte* send = nullptr;  ///< send numbers, followed by the receive numbers

  bool equals(const GivenRow& given) const {
    return subject == given.subject && record == given.record && same(send, given.send) &&
           same(send + given.send.size(), given.recv);
  }

 private:
  static bool same(const std::byte* bytes, std::span<const std::byte> given) {
    return given.empty() || std::memcmp(bytes, given.data(), given.size()) == 0;
  }
};

/// Hash table with copies of recent rows, for finding equal ones. Its memory is bounded.
class KnownRows {
 public:
  explicit KnownRows(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  static std::uint64_t hash(const GivenRow& row) {
    const std::uint64_t seed = row.record.send_type_size + 31 * row.record.recv_type_size +
                               961 * static_cast<std::uint64_t>(row.subject);
    return support::hash_bytes(row.recv, support::hash_bytes(row.send, seed));
  }

  /// Returns the known row; null if unknown. `hash` is hash(row).
  const KnownRow* find(const GivenRow& row, std::uint64_t hash) const {
    const std::uint32_t found = positions_.find(hash, [&](std::uint32_t position) {
      return entries_[position].hash == hash && entries_[position].row->equals(row);
    });
    return found == support::PositionHash::none ? nullptr : entries_[found].row;
  }

  /// Adds a new row. Requires space for it. Its address stays valid until the next make_room_for().
  const KnownRow& add(const GivenRow& row, std::uint64_t hash, std::uint32_t number) {
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

  /// Discards all rows if one more row may not fit.
  void make_room_for(const GivenRow& row) {
    if (used_bytes_ + cost(row) > memory_bytes_) forget_all(cost(row));
  }
  /// Returns the number of times that all rows were discarded.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Entry {
    std::uint64_t hash;
    const KnownRow* row;
  };
  /// Returns the maximum memory of one row in bytes, including its share of the hash table and of spare
  /// capacity.
  static std::uint64_t cost(const GivenRow& row) {
    return sizeof(KnownRow) + row.send.size() + row.recv.size() + 8 + 4 * sizeof(Entry);
  }
  void forget_all(std::uint64_t bytes_needed) {
    if (bytes_needed > memory_bytes_) {
      memory_bytes_ = bytes_needed;
      memory_.reset();
    }
    entries_ = {};
    positions_.clear();
    used_bytes_ = 0;
    ++generation_;
  }

  std::uint64_t memory_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t generation_ = 0;
  std::vector<Entry> entries_;
  support::PositionHash positions_;      // positions of entries
  std::unique_ptr<std::byte[]> memory_;  // memory_bytes_ bytes; the system allocates pages on first access
  std::byte* free_ = nullptr;
};

/// The rows (or backtraces) of the calls of one operation on one communicator, in order, written to the log
/// as runs. Programs repeat sequences of calls, so the stream predicts that the next row equals the row
/// `period` calls ago. The prediction selects the row to compare first and the run to extend. For example, a
/// program repeats calls with the rows A, B, B. They become three runs, one for A and one for each B,
/// regardless of the number of repetitions.
class CallStream {
 public:
  CallStream(std::uint32_t communicator, Operation operation, rank_log::Subject subject)
      : communicator_(communicator),
        operation_(static_cast<std::uint8_t>(operation.index())),
        subject_(subject) {}

  /// Returns the predicted row of the next call; null without a prediction. `generation` is the generation of
  /// the known rows.
  const KnownRow* expected(std::uint64_t generation) {
    if (generation != generation_) forget(generation);
    return period_ > 0 ? before(period_).row : nullptr;
  }

  /// Discards the past calls: the next call begins a new run.
  void free_memory() {
    forget(generation_);
    past_.shrink_to_fit();
  }

  /// Appends one call. Returns false if the log is full.
  bool append(const KnownRow& row, std::uint64_t index, std::uint64_t id, MappedLog& log) {
    if (period_ == 0 || before(period_).row != &row) {
      const std::uint64_t period = period_to_have_now(row);
      if (period > 0) period_ = period;
    }
    MappedLog::Position run = MappedLog::nowhere;
    if (period_ > 0 && before(period_).row == &row &&
        extend(log.find<rank_log::CallRun>(before(period_).run), index, id))
      run = before(period_).run;
    else
      run = begin_run(row, index, id, log);
    remember({&row, run});
    return run != MappedLog::nowhere;
  }

 private:
  struct PastCall {
    const KnownRow* row;
    MappedLog::Position run;
  };

  /// Appends the call to a run if the call continues it. The second call of a run determines its steps.
  static bool extend(rank_log::CallRun* run, std::uint64_t index, std::uint64_t id) {
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

  /// Returns the call that was `distance` calls ago.
  const PastCall& before(std::uint64_t distance) const { return past_[(calls_ - distance) % longest_period]; }
  void remember(PastCall call) {
    if (past_.size() < longest_period)
      past_.push_back(call);
    else
      past_[calls_ % longest_period] = call;
    ++calls_;
  }

  void forget(std::uint64_t generation) {
    past_.clear();
    calls_ = 0;
    period_ = 0;
    generation_ = generation;
  }

  /// Returns how many calls ago the row was used; 0 if never. Chooses the use that follows the longest
  /// sequence of calls equal to the latest ones.
  std::uint64_t period_to_have_now(const KnownRow& row) const {
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

  MappedLog::Position begin_run(const KnownRow& row, std::uint64_t index, std::uint64_t id,
                                MappedLog& log) const {
    return log.append(rank_log::Kind::run, rank_log::CallRun{.communicator = communicator_,
                                                             .operation = operation_,
                                                             .subject = subject_,
                                                             .item = row.number,
                                                             .first_index = index,
                                                             .first_id = id,
                                                             .count = 1});
  }

  static constexpr std::uint64_t longest_period = 128;

  std::uint32_t communicator_;
  std::uint8_t operation_;
  rank_log::Subject subject_;
  std::uint64_t generation_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t period_ = 0;
  std::vector<PastCall> past_;  // becomes a ring after longest_period calls
};

}  // namespace plimsoll::collectives
