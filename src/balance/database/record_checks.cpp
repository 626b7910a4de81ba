#include "balance/database/record_checks.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

void refuse_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank, std::int64_t phase) {
  throw support::bad_input(fmt::format("invalid time {} of task {} of rank {} in phase {}: must be >= 0",
                                       tasks.time_s[task], task, rank, phase));
}

void refuse_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                   std::int64_t phase) {
  throw support::bad_input(
      fmt::format("invalid communication {} of rank {} in phase {}: {} bytes, {} messages; both must be >= 0",
                  edge, rank, phase, edges.bytes[edge], edges.messages[edge]));
}

}  // namespace plimsoll::balance
