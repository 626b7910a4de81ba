#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Receives a text in pieces.
using Sink = std::function<void(std::string_view)>;

// Tables of phases of a data set as CSV (RFC 4180, with "\n" at line ends), for pandas, R and spreadsheets. A
// missing value is an empty cell. Phases that a file lists as identical to an earlier one have rows like any
// other. `sink` gets the text in pieces; the memory does not grow with the data. Cost: O(rows).

/// Writes one row per task of each rank and phase. Columns: phase, rank, object (the task's number: `id`,
/// else `seq_id`), type, collection, object_group, home, migratable (0 or 1), index (coordinates separated by
/// spaces), resource, load_s, subphase_loads_s (`subphase:seconds` separated by spaces), user_defined and
/// attributes (JSON as in the file).
void write_task_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases, const Sink& sink);

/// Writes one row per edge of each rank and phase. Columns: phase, rank (that recorded the edge), category,
/// from, from_type, to, to_type (numbers as in the task table, or of ranks if the type is node), bytes,
/// messages.
void write_edge_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases, const Sink& sink);

/// Writes the tasks of phases of a data set in the Trace Event Format (JSON array), which
/// https://ui.perfetto.dev and chrome://tracing display. A process of the trace is a rank, with two threads:
/// its phases and its tasks.
///
/// LB data contain loads, but no points in time. The trace therefore shows the run without waiting inside a
/// phase: a phase begins when the rank with the maximum load has finished the previous one, and the tasks of
/// a rank follow each other in the order of the file. Subphases are not shown.
///
/// Returns the number of tasks. Cost: O(tasks); memory does not grow with the tasks. Source: "Trace Event
/// Format" (Google), complete events "X" and metadata events "M". Throws Error (bad_input) if a load is
/// negative or not finite.
std::uint64_t write_phase_trace(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                                const Sink& sink);

/// Grid on which the ranks are drawn. Rank i + x * j + x * y * k is at the point (i, j, k), as in vt-tv.
struct RankGrid {
  std::int32_t x = 0;
  std::int32_t y = 1;
  std::int32_t z = 1;

  /// Returns the smallest grid with two axes, as square as possible, that has room for all ranks.
  static RankGrid for_ranks(std::size_t n_ranks);
};

/// Throws Error (usage) unless all axes of the grid are at least 1 and it has room for all ranks.
void check_grid(const RankGrid& grid, std::size_t n_ranks);

// Meshes of one phase as VTK XML PolyData (`.vtp`, ASCII), with the names and arrays of vt-tv. `phase` must
// have data on all ranks; errors are those of balance::load_phase(). `sink` gets the text in pieces.

/// Writes one point per rank, with the arrays id, load (seconds), number_of_objects,
/// number_of_migratable_objects, migratable_load, sentinel_load, sent_volume and received_volume (bytes that
/// other ranks receive and send). Cost: expected O(tasks + edges).
void write_rank_mesh(const lbdata::Dataset& dataset, std::int64_t phase, const RankGrid& grid,
                     const Sink& sink);

/// Writes one point per object, in a square (or a cube, if the grid has three axes) around the point of its
/// rank, and one line per pair of objects that communicate. Arrays of points: id, rank_id, load, migratable
/// (0 or 1), and each number in the tasks' `user_defined`, NaN where a task lacks it; the names of those that
/// would have the name of another array begin with "user_". Throws Error (bad_input) for more than 1,000.
/// Array of lines: bytes, in both directions together. Cost: expected O(tasks + edges log edges).
void write_object_mesh(const lbdata::Dataset& dataset, std::int64_t phase, const RankGrid& grid,
                       const Sink& sink);

}  // namespace plimsoll::report
