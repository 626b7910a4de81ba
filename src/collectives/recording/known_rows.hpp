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

}  // namespace plimsoll::collectives
