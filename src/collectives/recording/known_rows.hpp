#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <plimsoll/collectives/rank_log.hpp>
#include <plimsoll/collectives/recorder.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::inline v0_1::collectives {

/// What tells rows apart besides their numbers.
struct RowShape {
  std::uint64_t send_type_size = 0;
  std::uint64_t recv_type_size = 0;
  std::uint64_t send_count = 0;
  std::uint64_t recv_count = 0;
  rank_log::Subject subject = rank_log::Subject::counts;
  bool wide = false;
  bool in_place = false;
  friend bool operator==(const RowShape&, const RowShape&) = default;
};

/// A row as a call gives it: counts, displacements, or the addresses of a back trace.
struct GivenRow {
  RowShape shape;
  std::span<const std::byte> send;
  std::span<const std::byte> recv;

  GivenRow(rank_log::Subject subject, const Row& row);
};

/// A row that stands in the log under a number.
struct KnownRow {
  RowShape shape;
  std::uint32_t number = 0;
  const std::byte* send = nullptr;  ///< its numbers; those received follow

  bool equals(const GivenRow& given) const {
    return shape == given.shape && same(send, given.send) && same(send + given.send.size(), given.recv);
  }

 private:
  static bool same(const std::byte* bytes, std::span<const std::byte> given) {
    return given.empty() || std::memcmp(bytes, given.data(), given.size()) == 0;
  }
};

/// The rows remembered, to find equal ones: a hash table of copies, with a bound on its memory.
class KnownRows {
 public:
  explicit KnownRows(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  static std::uint64_t hash(const GivenRow& row);

  /// Null if there is none. `hash` is hash(row).
  const KnownRow* find(const GivenRow& row, std::uint64_t hash) const;
  /// Remembers a row that it has not and has room for. It stays where it is until make_room_for() another.
  const KnownRow& add(const GivenRow& row, std::uint64_t hash, std::uint32_t number);

  /// Forgets all rows if there may be no room for one more.
  void make_room_for(const GivenRow& row) {
    if (used_bytes_ + cost(row) > memory_bytes_) forget_all(cost(row));
  }
  /// How often all was forgotten.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Entry {
    std::uint64_t hash;
    const KnownRow* row;
  };
  /// Bytes of memory that a row takes at most, with its share of the hash table and of spare capacity.
  static std::uint64_t cost(const GivenRow& row) {
    return sizeof(KnownRow) + row.send.size() + row.recv.size() + 8 + 4 * sizeof(Entry);
  }
  void forget_all(std::uint64_t bytes_needed);

  std::uint64_t memory_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t generation_ = 0;
  std::vector<Entry> entries_;
  support::PositionHash positions_;      // of entries
  std::unique_ptr<std::byte[]> memory_;  // of memory_bytes_, which the system gives as it is touched
  std::byte* free_ = nullptr;
};

}  // namespace plimsoll::collectives
