#include "runtime/balancing/directory_part.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/contract.hpp>

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
  PLIMSOLL_ENSURE(n_unused_ == 0);
}

void OwnerTable::clear() {
  *this = {};
}

int DirectoryPart::ask(ObjectId id, int asker) {
  const std::uint32_t row = owners_.find(id);
  if (row == OwnerTable::none || owners_[row].rank == no_rank) return no_rank;
  // A rank asks again for an object that it had and gave away, because it has forgotten the answer.
  for (std::uint32_t k = owners_[row].extra; k != end; k = askers_[k].next)
    if (askers_[k].rank == asker) return owners_[row].rank;
  askers_.push_back({asker, owners_[row].extra});
  owners_.set_extra(row, static_cast<std::uint32_t>(askers_.size() - 1));
  return owners_[row].rank;
}

void DirectoryPart::remove_unused() {
  owners_.remove_unused();
  if (2 * n_unused_ > askers_.size()) rebuild_lists({});
}

void DirectoryPart::rebuild_lists(std::span<const int> without) {
  PLIMSOLL_EXPECT(std::ranges::is_sorted(without));
  std::vector<Asker> rest;
  rest.reserve(askers_.size() - n_unused_);
  for (std::uint32_t row = 0; row < owners_.n_rows(); ++row) {
    std::uint32_t first = end;
    for (std::uint32_t k = owners_[row].extra; k != end; k = askers_[k].next) {
      if (std::ranges::binary_search(without, askers_[k].rank)) continue;
      rest.push_back({askers_[k].rank, first});
      first = static_cast<std::uint32_t>(rest.size() - 1);
    }
    owners_.set_extra(row, first);
  }
  PLIMSOLL_ENSURE(!without.empty() || rest.size() + n_unused_ == askers_.size());
  askers_ = std::move(rest);
  n_unused_ = 0;
}

}  // namespace plimsoll::runtime
