#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

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
                     const std::function<void(std::string_view)>& sink);

/// Writes one point per object, in a square (or a cube, if the grid has three axes) around the point of its
/// rank, and one line per pair of objects that communicate. Arrays of points: id, rank_id, load, migratable
/// (0 or 1), and each number in the tasks' `user_defined`, NaN where a task lacks it; the names of those that
/// would have the name of another array begin with "user_". Throws Error (bad_input) for more than 1,000.
/// Array of lines: bytes, in both directions together. Cost: expected O(tasks + edges log edges).
void write_object_mesh(const lbdata::Dataset& dataset, std::int64_t phase, const RankGrid& grid,
                       const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::report
