#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Memory of a task, from the members of its `user_defined` that vt's users know. Missing sizes are 0.
struct TaskMemory {
  /// Shared block of memory that the task uses.
  struct Block {
    std::int64_t id = 0;               ///< member `shared_id`, >= 0
    double bytes = 0;                  ///< member `shared_bytes`
    std::optional<std::int64_t> home;  ///< member `home_rank`; by default, the rank that recorded the task
  };
  double footprint_bytes = 0;     ///< member `task_footprint_bytes`
  double working_bytes = 0;       ///< member `task_working_bytes`
  double serialized_bytes = 0;    ///< member `task_serialized_bytes`
  double rank_working_bytes = 0;  ///< member `rank_working_bytes`
  std::optional<Block> block;     ///< empty if `shared_id` is missing or negative
};

/// Reads the members. Throws Error (bad_input) for a size that is not a finite number >= 0, and for a number
/// of a block or rank that is not an integer below 2^53.
TaskMemory task_memory(const support::JsonView& user_defined);

}  // namespace plimsoll::balance
