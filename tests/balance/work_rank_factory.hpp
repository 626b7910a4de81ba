#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "balance/search/random.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// A rank with a fixed load and objects of the given loads, each of which is a cluster.
inline WorkRank rank_with(std::int32_t number, double overhead, const std::vector<double>& loads) {
  WorkRank rank{.number = number, .overhead = overhead};
  for (const double load : loads) {
    const auto position = static_cast<std::uint32_t>(rank.objects.size());
    rank.objects.push_back({.number = static_cast<std::uint64_t>(100 * number) + position,
                            .origin = number,
                            .position = position,
                            .load = load});
  }
  return rank;
}

/// Random ranks with edges, blocks, memory and objects that cannot migrate.
inline std::vector<WorkRank> random_ranks(std::int32_t n_ranks, std::uint64_t seed, bool with_nodes) {
  Random random(seed);
  const auto below = [&](std::uint64_t n) { return random.next() % n; };
  std::vector<WorkRank> ranks;
  for (std::int32_t number = 0; number < n_ranks; ++number) {
    std::vector<double> loads(below(6));
    for (double& load : loads) load = static_cast<double>(below(10));
    WorkRank rank = rank_with(number, static_cast<double>(below(5)), loads);
    rank.speed = 1 + static_cast<double>(below(2));
    rank.alpha = static_cast<double>(below(3));
    rank.available = number == 0 || below(8) != 0;
    rank.node = with_nodes ? number / 2 : -1;
    rank.fixed_bytes = static_cast<double>(below(5));
    rank.fixed_working_bytes = static_cast<double>(below(3));
    const auto block = [&] {
      const auto home = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(n_ranks)));
      return WorkBlock{.id = home % 2, .home = home, .bytes = 3.0 + home};
    };
    if (below(2) == 0) rank.fixed_blocks.push_back(block());
    for (WorkObject& object : rank.objects) {
      object.footprint_bytes = static_cast<double>(below(4));
      object.working_bytes = static_cast<double>(below(4));
      object.serialized_bytes = static_cast<double>(below(4));
      if (below(3) != 0) object.block = block();
    }
    ranks.push_back(std::move(rank));
  }
  // An end is an object, or the object that cannot migrate of a rank.
  struct End {
    WorkRank* rank;
    WorkObject* object;
  };
  std::vector<End> ends;
  for (WorkRank& rank : ranks) {
    ends.push_back({&rank, nullptr});
    for (WorkObject& object : rank.objects) ends.push_back({&rank, &object});
  }
  const auto add = [](const End& end, const End& other, double sent, double received) {
    WorkEdge edge{.origin = other.rank->number,
                  .rank = other.rank->number,
                  .node = other.rank->node,
                  .is_fixed = other.object == nullptr ? 1 : 0,
                  .sent = sent,
                  .received = received};
    if (other.object != nullptr) edge.other = other.object->number;
    (end.object != nullptr ? end.object->edges : end.rank->fixed_edges).push_back(edge);
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  for (std::uint64_t edge = 0; edge < 2 * ends.size(); ++edge) {
    const std::uint64_t one = below(ends.size());
    const std::uint64_t other = below(ends.size());
    if (one == other || !known.insert(std::minmax(one, other)).second) continue;
    const auto sent = static_cast<double>(below(8));
    const auto received = static_cast<double>(below(8));
    add(ends[one], ends[other], sent, received);
    add(ends[other], ends[one], received, sent);
  }
  return ranks;
}

/// Random costs and limits for random_ranks().
inline WorkRules random_rules(std::uint64_t seed) {
  WorkRules rules{.coefficients = {.beta = static_cast<double>(seed % 3), .delta = seed % 2 == 0 ? 0.5 : 0}};
  if (seed % 4 == 1) rules.coefficients.beta_node = 0.5;
  if (seed % 5 > 1) rules.limits.max_memory_bytes = 12 + static_cast<double>(seed % 11);
  rules.limits.count_serialized = seed % 7 == 0;
  return rules;
}

}  // namespace plimsoll::balance::testing
