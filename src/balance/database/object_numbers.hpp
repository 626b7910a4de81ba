#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::inline v0_1::balance {

/// Map from the entities of edges to the objects of one phase.
class ObjectNumbers {
 public:
  /// Builds the map. `records` are the ranks' records of the phase. Objects are numbered in their order.
  /// Throws Error (bad_input) for an invalid duplicate number (see load_phase).
  ObjectNumbers(const lbdata::EntityTable& entities, const std::vector<const lbdata::PhaseRecord*>& records);

  /// Returns the object that `entity` refers to in an edge recorded by `rank`; empty if it is not an object
  /// with a task here.
  std::optional<std::uint32_t> find(lbdata::EntityIndex entity, std::uint32_t rank) const;

 private:
  void add(std::uint32_t object, std::uint32_t rank);
  /// Returns the lowest object with a number, or PositionHash::none.
  std::uint32_t first_with(lbdata::WideInteger number) const;

  const lbdata::EntityTable& entities_;
  std::vector<lbdata::EntityIndex> object_entities_;
  std::vector<std::uint32_t> first_object_of_rank_;
  support::PositionHash first_objects_;  ///< first object with each number
  /// Map from (object on a lower rank, own rank) to object, for non-migratable objects that share the lower
  /// object's number.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> repeats_;
};

/// Returns each rank's record of one phase. Throws Error like load_phase for missing phases.
std::vector<const lbdata::PhaseRecord*> phase_records(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
