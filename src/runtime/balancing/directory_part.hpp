#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Rank of an object that no rank has.
inline constexpr int no_rank = -1;

/// Table of objects with their ranks and one more number each. All operations take amortised constant time.
class OwnerTable {
 public:
  static constexpr std::uint32_t none = support::PositionHash::none;

  struct Row {
    ObjectId id = ObjectId::none;
    int rank = no_rank;
    std::uint32_t extra = none;
  };

  /// Number of objects that have a rank.
  std::size_t size() const { return rows_.size() - n_unused_; }

  /// Returns the row of an object that has, or had until recently, a rank, or none.
  std::uint32_t find(ObjectId id) const {
    return index_.find(hash_of(id), [&](std::uint32_t row) { return rows_[row].id == id; });
  }
  /// Number of rows, including those of objects that no longer have a rank.
  std::size_t n_rows() const { return rows_.size(); }
  const Row& operator[](std::uint32_t row) const { return rows_[row]; }
  void set_extra(std::uint32_t row, std::uint32_t extra) { rows_[row].extra = extra; }

  /// Returns the rank of an object, or no_rank.
  int rank_of(ObjectId id) const {
    const std::uint32_t row = find(id);
    return row == none ? no_rank : rows_[row].rank;
  }
  /// Fetches the memory that rank_of() needs, for callers that know many objects in advance.
  void prefetch(ObjectId id) const { index_.prefetch(hash_of(id)); }

  /// Sets the rank of an object, which may be no_rank. Returns its previous rank.
  int set_rank(ObjectId id, int rank);

  /// Removes rows without a rank if they are more than half of all rows. Rows then have new numbers.
  void remove_unused();
  void clear();

 private:
  std::vector<Row> rows_;
  std::size_t n_unused_ = 0;  // rows without a rank, which the index cannot remove
  support::PositionHash index_;
};

/// The objects whose directory rank is this rank: their ranks, and the ranks that remember these.
class DirectoryPart {
 public:
  /// Returns the rank of an object, or no_rank.
  int rank_of(ObjectId id) const { return owners_.rank_of(id); }
  void prefetch(ObjectId id) const { owners_.prefetch(id); }
  /// Sets the rank of an object and returns its previous rank.
  int set_rank(ObjectId id, int rank) { return owners_.set_rank(id, rank); }

  /// Returns the rank of an object, or no_rank. Notes that the asker remembers the rank.
  int ask(ObjectId id, int asker);
  /// Notes that these ranks, in ascending order, have forgotten all that they asked.
  void remove_askers(std::span<const int> ranks) { rebuild_lists(ranks); }
  /// Calls `notify(asker)` for each rank that remembers the object. If the object has no rank any more, these
  /// ranks forget it, and so does this table.
  template <class Notify>
  void notify_askers(ObjectId id, const Notify& notify);
  /// Frees the memory of objects without a rank and of forgotten askers, if it is worth it.
  void remove_unused();

 private:
  static constexpr std::uint32_t end = OwnerTable::none;

  // Lists of askers; an owner's `extra` is the first element of its list.
  struct Asker {
    int rank = no_rank;
    std::uint32_t next = end;
  };

  void rebuild_lists(std::span<const int> without);

  OwnerTable owners_;
  std::vector<Asker> askers_;
  std::size_t n_unused_ = 0;  // elements of askers_ that are in no list
};

template <class Notify>
void DirectoryPart::notify_askers(ObjectId id, const Notify& notify) {
  const std::uint32_t row = owners_.find(id);
  if (row == OwnerTable::none) return;
  std::size_t count = 0;
  for (std::uint32_t k = owners_[row].extra; k != end; k = askers_[k].next, ++count) notify(askers_[k].rank);
  if (owners_[row].rank != no_rank) return;
  owners_.set_extra(row, end);
  n_unused_ += count;
}

}  // namespace plimsoll::runtime
