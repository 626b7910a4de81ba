#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/reorder.hpp>

namespace plimsoll::testing {

/// Returns random bytes between pairs of ranks. About one in `sparsity` pairs communicates.
inline collectives::TrafficMatrix random_traffic(std::uint32_t ranks, unsigned sparsity, unsigned seed) {
  std::mt19937 random(seed);
  collectives::TrafficMatrix bytes(ranks);
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t to = 0; to < ranks; ++to)
      if (random() % sparsity == 0) bytes(from, to) = static_cast<double>(random() % 1000);
  return bytes;
}

inline std::vector<std::uint32_t> permutation(std::uint32_t size, unsigned seed) {
  std::vector<std::uint32_t> numbers(size);
  for (std::uint32_t k = 0; k < size; ++k) numbers[k] = k;
  std::mt19937 random(seed);
  for (std::uint32_t k = size; k > 1; --k) std::swap(numbers[k - 1], numbers[random() % k]);
  return numbers;
}

/// Returns traffic in which ranks send 1000 bytes to ranks of the same group (of `group` ranks) and 1 byte to
/// others. Groups are scrambled.
inline collectives::TrafficMatrix scrambled_groups(std::uint32_t ranks, std::uint32_t group, unsigned seed) {
  const std::vector<std::uint32_t> place = permutation(ranks, seed);
  collectives::TrafficMatrix bytes(ranks);
  for (std::uint32_t a = 0; a < ranks; ++a)
    for (std::uint32_t b = 0; b < ranks; ++b)
      if (a != b) bytes(place[a], place[b]) = a / group == b / group ? 1000 : 1;
  return bytes;
}

inline bool fits(const placement::Placement& placement, std::span<const placement::Node> nodes) {
  std::vector<std::uint32_t> ranks_on(nodes.size());
  return std::ranges::all_of(placement, [&](std::uint32_t node) {
    return node < nodes.size() && ++ranks_on[node] <= nodes[node].slots;
  });
}

/// Returns the minimum number of bytes between nodes over all placements that fit the slots, by exhaustive
/// search.
inline double minimum_inter_node_bytes(const collectives::TrafficMatrix& bytes,
                                       std::span<const placement::Node> nodes) {
  placement::Placement placement(bytes.size());
  double minimum = std::numeric_limits<double>::infinity();
  for (;;) {
    if (fits(placement, nodes)) minimum = std::min(minimum, placement::inter_node_bytes(bytes, placement));
    std::size_t rank = 0;
    while (rank < placement.size() && ++placement[rank] == nodes.size()) placement[rank++] = 0;
    if (rank == placement.size()) return minimum;
  }
}

}  // namespace plimsoll::testing
