#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Object with a copy of its load, which avoids a memory access to the object.
struct LoadedObject {
  double load;
  std::uint32_t object;
};

/// Returns the migratable objects, heaviest first. Loads that agree in the 24 bits of a float are sorted by
/// index. Cost: O(objects). The radix sort is four times as fast as std::sort for 10^6 objects.
std::vector<LoadedObject> migratable_by_descending_load(const LDStats& stats);

/// Returns the migratable objects in an order such that an object precedes all objects with less than 8/9 of
/// its load. Other objects are in the order of their indices. Takes one pass; the exact order takes three.
std::vector<LoadedObject> migratable_by_coarse_load(const LDStats& stats);

/// Sorts objects like migratable_by_descending_load; the sort is stable.
void sort_by_descending_load(std::vector<LoadedObject>& objects);

}  // namespace plimsoll::balance
