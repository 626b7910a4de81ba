#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/record_checks.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Edge of a phase, with its resolved ends.
struct PhaseEdge {
  std::uint32_t rank;                   ///< rank whose record contains the edge
  const lbdata::Communications& edges;  ///< edges of this record
  std::size_t position;                 ///< index into `edges`
  std::optional<CommEnd> from;          ///< sender; empty if the phase has no such object or processor
  std::optional<CommEnd> to;            ///< receiver; empty if the phase has no such object or processor

  double bytes() const { return edges.bytes[position]; }
  std::int64_t messages() const { return edges.messages[position]; }
};

/// Calls `visit(const PhaseEdge&)` for each edge of the ranks' records, rank by rank. Throws Error
/// (bad_input) for negative bytes or messages, and if the sum of the bytes or messages of the phase is too
/// large.
template <class Visit>
void for_each_edge(const std::vector<const lbdata::PhaseRecord*>& records, std::int64_t phase,
                   const ObjectNumbers& numbers, Visit&& visit) {
  std::int64_t n_messages = 0;
  double sum_bytes = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    if (!records[rank]->communications) continue;
    const lbdata::Communications& edges = *records[rank]->communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      check_volume(edges, edge, rank, phase);
      if (__builtin_add_overflow(n_messages, edges.messages[edge], &n_messages))
        throw support::bad_input(fmt::format("the number of messages of phase {} exceeds 64 bits", phase));
      sum_bytes += edges.bytes[edge];
      visit(PhaseEdge{rank, edges, edge, numbers.end(edges.from[edge], rank),
                      numbers.end(edges.to[edge], rank)});
    }
  }
  if (!std::isfinite(sum_bytes))
    throw support::bad_input(fmt::format("the sum of the bytes sent in phase {} is not finite", phase));
}

}  // namespace plimsoll::balance
