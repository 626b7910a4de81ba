#include "collectives/model/distinct_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::collectives {

void DistinctRows::clear() {
  numbers_.clear();
  ranks_.clear();
  rows_ = {};  // clear() would go through as many buckets as the largest matrix before had rows
}

DistinctRows::Row DistinctRows::row(const Digest& content) {
  const auto [position, is_new] = rows_.try_emplace(content, ranks_.size());
  if (is_new) ranks_.emplace_back();
  return {ranks_[position->second], is_new};
}

CountMatrix DistinctRows::take(std::size_t columns) {
  CountMatrix matrix{.columns = static_cast<std::uint32_t>(columns)};
  std::vector<std::size_t> order(ranks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto lowest_rank = [this](std::size_t row) { return ranks_[row].min(); };
  if (std::ranges::is_sorted(order, {}, lowest_rank)) {
    matrix.counts = numbers_;
    matrix.ranks = std::move(ranks_);
    return matrix;
  }
  std::ranges::sort(order, {}, lowest_rank);
  matrix.counts.reserve(numbers_.size());
  for (const std::size_t row : order) {
    const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(row * columns);
    matrix.counts.insert(matrix.counts.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    matrix.ranks.push_back(std::move(ranks_[row]));
  }
  return matrix;
}

}  // namespace plimsoll::collectives
