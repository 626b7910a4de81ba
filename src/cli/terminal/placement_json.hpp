#pragma once

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

// JSON output of `balance` and `compare` for placements and strategies; each function adds members to an
// object.

/// Writes max_load_s, mean_load_s, imbalance, work_sum_s, work_max_s, max_memory_bytes,
/// max_node_memory_bytes, off_rank_bytes, off_rank_messages.
void write_quality(support::JsonWriter& json, const balance::Quality& quality);
/// Writes moved_objects, moved_load_s, moved_bytes.
void write_moves(support::JsonWriter& json, const balance::Quality& quality);
/// Writes strategy and parameters.
void write_strategy(support::JsonWriter& json, const balance::StrategyResult& result);
/// Writes remarks: an object with the value of each remark.
void write_remarks(support::JsonWriter& json, const balance::StrategyResult& result);

}  // namespace plimsoll::cli
