#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Collective calls of a recorder, its Balancer and an ObjectSystem that wait for all ranks.
enum class CollectiveCall : std::int32_t {
  next_phase,
  balance_at_phase_ends,
  plan,
  moved,
  migrate,
  owner,
  run_until_quiet,
  close
};

/// Returns the name of the function in C++, without parentheses.
std::string_view name_of(CollectiveCall call);

/// A collective call of one rank, and the phase in which the rank makes it.
struct Arrival {
  std::int64_t phase = 0;
  CollectiveCall call = CollectiveCall::next_phase;
  int rank = 0;

  friend auto operator<=>(const Arrival&, const Arrival&) = default;
};

/// Range of the arrivals of several ranks. Part of the reduction with which each of these calls begins, so
/// that ranks in different calls or phases find out before one of them waits for a message that the other
/// never sends.
struct Arrivals {
  Arrival first{.phase = std::numeric_limits<std::int64_t>::max()};  ///< earliest phase and call, lowest rank
  Arrival last{.phase = std::numeric_limits<std::int64_t>::min()};   ///< latest phase and call, highest rank

  void merge(const Arrivals& other);
  /// Returns whether all ranks are in the same call and phase.
  bool agree() const { return first.phase == last.phase && first.call == last.call; }
  /// Returns the error (usage) of ranks that do not agree. It is the same on all ranks.
  Error mismatch() const;
};

}  // namespace plimsoll::runtime
