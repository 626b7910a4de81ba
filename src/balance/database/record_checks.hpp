#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plimsoll/lbdata/records.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws the Error of check_time().
[[noreturn]] void refuse_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank,
                              std::int64_t phase);
/// Throws the Error of check_volume().
[[noreturn]] void refuse_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                                std::int64_t phase);

/// Throws Error (bad_input) for a task whose time is negative or not finite.
inline void check_time(const lbdata::Tasks& tasks, std::size_t task, std::size_t rank, std::int64_t phase) {
  if (!(std::isfinite(tasks.time_s[task]) && tasks.time_s[task] >= 0)) refuse_time(tasks, task, rank, phase);
}

/// Throws Error (bad_input) for an edge with negative bytes or messages.
inline void check_volume(const lbdata::Communications& edges, std::size_t edge, std::size_t rank,
                         std::int64_t phase) {
  if (!(edges.bytes[edge] >= 0 && edges.messages[edge] >= 0)) refuse_volume(edges, edge, rank, phase);
}

}  // namespace plimsoll::balance
