#include "collectives/model/distinct_rows.hpp"

#include <algorithm>
#include <numeric>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

void DistinctRows::clear() {
  numbers_.clear();
  ranks_.clear();
  hashes_.clear();
  positions_.clear();
}

CountMatrix DistinctRows::take(std::size_t columns) {
  PLIMSOLL_EXPECT(numbers_.size() == ranks_.size() * columns);
  CountMatrix matrix{.columns = static_cast<std::uint32_t>(columns)};
  const auto lowest_rank = [](const NumberList& ranks) { return ranks.min(); };
  if (std::ranges::is_sorted(ranks_, {}, lowest_rank)) {
    matrix.counts = std::move(numbers_);
    // Many matrices stay in memory together, so none of them keeps much spare capacity.
    if (matrix.counts.capacity() > matrix.counts.size() + matrix.counts.size() / 4)
      matrix.counts.shrink_to_fit();
  } else {
    matrix.counts = sorted_numbers(columns);
    std::ranges::sort(ranks_, {}, lowest_rank);
  }
  matrix.ranks = std::move(ranks_);
  clear();
  return matrix;
}

std::vector<std::int64_t> DistinctRows::sorted_numbers(std::size_t columns) {
  std::vector<std::size_t> order(ranks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [this](std::size_t row) { return ranks_[row].min(); });
  std::vector<std::int64_t> sorted;
  sorted.reserve(numbers_.size());
  for (const std::size_t row : order) {
    const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(row * columns);
    sorted.insert(sorted.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return sorted;
}

std::uint64_t hash_of(const Signature& signature) {
  const std::uint64_t head[] = {signature.operation.index(), signature.comm_size, signature.send.type_size,
                                signature.recv.type_size};
  std::uint64_t hash = support::hash_bytes(head);
  for (const Side* side : {&signature.send, &signature.recv}) {
    hash = support::hash_bytes(side->type_sizes, hash);
    hash = support::hash_bytes(side->matrix.counts, hash);
    for (const NumberList& ranks : side->matrix.ranks) hash = support::hash_bytes(ranks.runs(), hash);
  }
  return hash;
}

std::size_t SignatureIndex::add(std::vector<Signature>& list, Signature signature) {
  const std::uint64_t hash = hash_of(signature);
  const auto [begin, end] = positions_.equal_range(hash);
  const auto present =
      std::find_if(begin, end, [&](const auto& entry) { return same_counts(list[entry.second], signature); });
  if (present == end) {
    list.push_back(std::move(signature));
    return positions_.emplace(hash, list.size() - 1)->second;
  }
  list[present->second].calls.append(signature.calls);
  return present->second;
}

}  // namespace plimsoll::collectives
