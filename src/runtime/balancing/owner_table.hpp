#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Rank of an object that no rank has.
inline constexpr int no_rank = -1;

inline std::uint64_t hash_of(ObjectId id) {
  return support::mix_bits(static_cast<std::uint64_t>(id));
}

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

}  // namespace plimsoll::runtime
