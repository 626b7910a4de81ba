#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::inline v0_1::balance {

/// Which object of a phase an entity of an edge means.
class ObjectNumbers {
 public:
  /// `records` are the ranks' records of the phase. Objects are numbered in their order. Throws Error
  /// (bad_input) if a number repeats that must not (see load_phase).
  ObjectNumbers(const lbdata::EntityTable& entities, const std::vector<const lbdata::PhaseRecord*>& records);

  /// The object that `entity` means in an edge recorded by `rank`; empty if it is no object with a task here.
  std::optional<std::uint32_t> find(lbdata::EntityIndex entity, std::uint32_t rank) const;

 private:
  void add(std::uint32_t object, std::uint32_t rank);
  /// The lowest object with a number, or PositionHash::none.
  std::uint32_t first_with(lbdata::WideInteger number) const;

  const lbdata::EntityTable& entities_;
  std::vector<lbdata::EntityIndex> object_entities_;
  std::vector<std::uint32_t> first_object_of_rank_;
  support::PositionHash first_objects_;  ///< of each number
  /// Sentinels whose number is that of one on a lower rank: (object on the lower rank, own rank) to object.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> repeats_;
};

/// Each rank's record of a phase. Throws Error as load_phase does for phases that are not there.
std::vector<const lbdata::PhaseRecord*> phase_records(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
