#pragma once

#include <cstdint>

#include <plimsoll/support/hash.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Random numbers of one rank in one round. They depend on the seed, the rank and the round only, so that
/// every executor gives the same ones.
class RankRandom {
 public:
  RankRandom(std::uint64_t seed, std::int32_t rank, std::uint64_t round)
      : random_(support::mix_splitmix64(
            support::mix_splitmix64(support::mix_splitmix64(seed + support::splitmix64_step) ^
                                    static_cast<std::uint64_t>(rank)) +
            round)) {}

  double uniform() { return random_.uniform(); }
  /// Returns a number from 0 to n - 1.
  std::int32_t below(std::int32_t n) { return static_cast<std::int32_t>(uniform() * n); }

 private:
  Random random_;
};

}  // namespace plimsoll::balance
