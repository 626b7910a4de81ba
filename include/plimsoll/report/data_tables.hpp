#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

// Tables of phases of a data set as CSV (RFC 4180, with "\n" at line ends), for pandas, R and spreadsheets. A
// missing value is an empty cell. Phases that a file lists as identical to an earlier one have rows like any
// other. `sink` gets the text in pieces; the memory does not grow with the data. Cost: O(rows).

/// Writes one row per task of each rank and phase. Columns: phase, rank, object (the task's number: `id`,
/// else `seq_id`), type, collection, object_group, home, migratable (0 or 1), index (coordinates separated by
/// spaces), resource, load_s, subphase_loads_s (`subphase:seconds` separated by spaces), user_defined and
/// attributes (JSON as in the file).
void write_task_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                      const std::function<void(std::string_view)>& sink);

/// Writes one row per edge of each rank and phase. Columns: phase, rank (that recorded the edge), category,
/// from, from_type, to, to_type (numbers as in the task table, or of ranks if the type is node), bytes,
/// messages.
void write_edge_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                      const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::report
