#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>

namespace plimsoll::pelayout {

/// The task counts up to `most` that a rule admits and that are multiples of a block size; ascending. Takes
/// time and memory for these only, not for those that the rule leaves out.
/// Throws Error (bad_input) if there are more than 100 million.
std::vector<std::int64_t> admitted_task_counts(const ComponentRule& rule, std::int64_t block_size,
                                               std::int64_t most);

}  // namespace plimsoll::pelayout
