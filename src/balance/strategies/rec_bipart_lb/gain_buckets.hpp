#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Buckets of vertices, sorted by gain. Finds the vertex with the maximum gain in O(1); gains in the same
/// bucket count as equal. Each bucket is a ring of vertices with a sentinel node as its end. Source: Fiduccia
/// and Mattheyses, "A linear-time heuristic for improving network partitions", 1982.
class GainBuckets {
 public:
  enum class Among { first_come, last_come };  ///< which of several vertices with equal gains comes first

  /// Gains are between -`maximum_gain` and `maximum_gain`. Cost: O(vertices).
  GainBuckets(std::int32_t n_vertices, std::int64_t maximum_gain, Among equals)
      : n_vertices_(n_vertices),
        scale_(static_cast<double>(half_buckets) / static_cast<double>(maximum_gain > 0 ? maximum_gain : 1)),
        equals_(equals),
        next_(at(n_vertices + n_buckets)),
        previous_(next_.size()) {
    for (std::int32_t node = 0; node < n_vertices + n_buckets; ++node)
      next_[at(node)] = previous_[at(node)] = node;
  }

  bool contains(std::int32_t vertex) const { return next_[at(vertex)] != vertex; }

  /// Inserts a vertex, or changes the gain of an existing one.
  void put(std::int32_t vertex, std::int64_t gain) {
    remove(vertex);
    const auto bucket = half_buckets + static_cast<std::int32_t>(static_cast<double>(gain) * scale_);
    PLIMSOLL_EXPECT(bucket >= 0 && bucket < n_buckets);
    const std::int32_t end = n_vertices_ + bucket;
    const std::int32_t after = equals_ == Among::first_come ? previous_[at(end)] : end;
    const std::int32_t before = next_[at(after)];
    link(after, vertex);
    link(vertex, before);
    if (bucket > top_) top_ = bucket;
  }

  void remove(std::int32_t vertex) {
    link(previous_[at(vertex)], next_[at(vertex)]);
    link(vertex, vertex);
  }

  /// Returns the vertex with the maximum gain, or -1 if all buckets are empty.
  std::int32_t best() {
    for (; top_ >= 0; --top_)
      if (const std::int32_t vertex = next_[at(n_vertices_ + top_)]; vertex < n_vertices_) return vertex;
    return -1;
  }

 private:
  static constexpr std::int32_t half_buckets = 1024;
  static constexpr std::int32_t n_buckets = 2 * half_buckets + 1;

  void link(std::int32_t node, std::int32_t after) {
    next_[at(node)] = after;
    previous_[at(after)] = node;
  }

  std::int32_t n_vertices_;
  double scale_;
  Among equals_;
  std::int32_t top_ = -1;  ///< all buckets above this one are empty
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
};

}  // namespace plimsoll::balance
