#pragma once

#include <vector>

#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/search/load_sort.hpp"

namespace plimsoll::inline v0_1::balance {

/// Lets the available processors keep their heaviest objects while they finish by `latest_s`, and adds these
/// to total_load. Returns the other migratable objects, heaviest first.
std::vector<LoadedObject> keep_heaviest(const LDStats& stats, ProcArray& procs, double latest_s);

/// Whether place_greedily() is content with the coarse order of so many objects.
bool coarse_order_suffices(std::size_t n_objects, const ProcArray& procs);

/// Places objects on the available processors (there is one), the heaviest first, each to the processor that
/// finishes it first; adds them to the processors' total_load. Processors of one speed that get more than 24
/// objects each: with the heavy ones it suffices to be near, and only the last 24 a processor go exactly to
/// the first.
///
/// `objects` are sorted by load, or coarsely if coarse_order_suffices(). O(objects + processors) for
/// processors of one speed, but for those 24 a processor; for those, and for different speeds, O(objects log
/// processors).
void place_greedily(std::vector<LoadedObject> objects, ObjGraph& graph, ProcArray& procs);

}  // namespace plimsoll::balance
