#pragma once

#include <cstdint>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Random number generator splitmix64. It gives the same numbers on every machine and with every library,
/// unlike the distributions of <random>.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return support::mix_splitmix64(state_ += support::splitmix64_step); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace plimsoll::balance
