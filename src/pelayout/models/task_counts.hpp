#pragma once

#include <plimsoll/pelayout/layout.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the task counts up to `max_tasks` that a rule allows and that are multiples of a block size,
/// ascending. Time and memory depend only on the number of counts returned. Throws Error (bad_input) for more
/// than max_table_entries counts.
std::vector<std::int64_t> admitted_task_counts(const ComponentRule& rule, std::int64_t block_size,
                                               std::int64_t max_tasks);

/// Returns the minimum count that a rule allows, however large. Empty if the rule contradicts itself or the
/// block size.
std::optional<std::int64_t> minimum_admitted_task_count(const ComponentRule& rule, std::int64_t block_size);

}  // namespace plimsoll::pelayout
