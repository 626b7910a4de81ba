#pragma once

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/support/hash.hpp>

#include "collectives/recording/mapped_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Row passed by the caller: counts, displacements, or the addresses of a backtrace.
struct GivenRow {
  rank_log::Subject subject;
  rank_log::RowRecord record;  ///< without a number
  std::span<const std::byte> send;
  std::span<const std::byte> recv;

  GivenRow(rank_log::Subject subject, const Row& row);
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

  static std::uint64_t hash(const GivenRow& row);

  /// Returns the known row; null if unknown. `hash` is hash(row).
  const KnownRow* find(const GivenRow& row, std::uint64_t hash) const;
  /// Adds a new row. Requires space for it. Its address stays valid until the next make_room_for().
  const KnownRow& add(const GivenRow& row, std::uint64_t hash, std::uint32_t number);

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
  void forget_all(std::uint64_t bytes_needed);

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
  bool append(const KnownRow& row, std::uint64_t index, std::uint64_t id, MappedLog& log);

 private:
  struct PastCall {
    const KnownRow* row;
    MappedLog::Position run;
  };

  /// Returns the call that was `distance` calls ago.
  const PastCall& before(std::uint64_t distance) const { return past_[(calls_ - distance) % longest_period]; }
  void remember(PastCall call);
  void forget(std::uint64_t generation);
  std::uint64_t period_to_have_now(const KnownRow& row) const;
  MappedLog::Position begin_run(const KnownRow& row, std::uint64_t index, std::uint64_t id,
                                MappedLog& log) const;

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
