#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Calendar queue: ranks in buckets of equal width by their finish time. If the times only increase, it finds
/// in O(1) some rank whose finish time is within one bucket's width of the earliest.
class FinishBuckets {
 public:
  /// Requires one or more ranks, and `finish_s` of each rank >= 0. Ranks that finish after `n_buckets *
  /// width_s` share the last bucket.
  FinishBuckets(std::vector<double> finish_s, double width_s, std::size_t n_buckets)
      : finish_s_(std::move(finish_s)),
        buckets_per_s_(1 / width_s),
        first_in_(n_buckets, none),
        next_(finish_s_.size(), none) {
    for (auto rank = static_cast<std::uint32_t>(finish_s_.size()); rank-- > 0;) insert(rank);
    advance();
  }

  /// Returns the first rank of the first non-empty bucket.
  std::uint32_t earliest() const { return first_in_[bucket_]; }
  double finish_s(std::uint32_t rank) const { return finish_s_[rank]; }

  /// Increases the finish time of the earliest() rank by `work_s`.
  void raise_earliest(double work_s) {
    const std::uint32_t rank = earliest();
    first_in_[bucket_] = next_[rank];
    finish_s_[rank] += work_s;
    insert(rank);
    advance();
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void insert(std::uint32_t rank) {
    const auto last = static_cast<double>(first_in_.size() - 1);
    std::uint32_t& first =
        first_in_[static_cast<std::size_t>(std::min(finish_s_[rank] * buckets_per_s_, last))];
    next_[rank] = first;
    first = rank;
  }
  void advance() {
    while (first_in_[bucket_] == none) ++bucket_;
  }

  std::vector<double> finish_s_;
  double buckets_per_s_;
  std::size_t bucket_ = 0;               ///< buckets before it are empty
  std::vector<std::uint32_t> first_in_;  ///< list of ranks per bucket
  std::vector<std::uint32_t> next_;      ///< rank after each rank in its list
};

}  // namespace plimsoll::balance
