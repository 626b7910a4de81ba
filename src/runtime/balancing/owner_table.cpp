#include "runtime/balancing/owner_table.hpp"

#include <utility>

namespace plimsoll::PLIMSOLL_ABI::runtime {

int OwnerTable::set_rank(ObjectId id, int rank) {
  std::uint32_t row = find(id);
  if (row == none) {
    if (rank == no_rank) return no_rank;
    row = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.id = id});
    try {
      index_.insert(hash_of(id), row, [&](std::uint32_t other) { return hash_of(rows_[other].id); });
    } catch (...) {
      rows_.pop_back();
      throw;
    }
    ++n_unused_;
  }
  const int previous = std::exchange(rows_[row].rank, rank);
  if (previous == no_rank && rank != no_rank) --n_unused_;
  if (previous != no_rank && rank == no_rank) ++n_unused_;
  return previous;
}

void OwnerTable::remove_unused() {
  if (2 * n_unused_ <= rows_.size()) return;
  OwnerTable rest;
  rest.rows_.reserve(size());
  for (const Row& row : rows_) {
    if (row.rank == no_rank) continue;
    rest.set_rank(row.id, row.rank);
    rest.rows_.back().extra = row.extra;
  }
  *this = std::move(rest);
}

void OwnerTable::clear() {
  *this = {};
}

}  // namespace plimsoll::runtime
