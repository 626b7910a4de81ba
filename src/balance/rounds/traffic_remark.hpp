#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns what the rounds of a strategy have cost each of the ranks on average.
inline Remark traffic_remark(const RoundTraffic& traffic, std::int32_t n_ranks) {
  const double ranks = std::max(1, n_ranks);
  return {"rounds", static_cast<double>(traffic.rounds),
          fmt::format("{} rounds with {:.1f} messages and {:.0f} bytes per rank, and {} reductions",
                      traffic.rounds, static_cast<double>(traffic.messages) / ranks,
                      static_cast<double>(traffic.bytes) / ranks, traffic.reductions)};
}

}  // namespace plimsoll::balance
