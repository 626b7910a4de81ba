#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Map from an entity of an edge to the object or the rank of a phase.
class ObjectNumbers {
 public:
  /// Builds the map. `records` are the phase's records of consecutive ranks, beginning with `first_rank`.
  /// Objects are numbered in the order of the records. Throws Error (bad_input) for an invalid duplicate
  /// number (see load_phase()).
  ObjectNumbers(const lbdata::EntityTable& entities, const std::vector<const lbdata::PhaseRecord*>& records,
                std::uint32_t first_rank = 0);

  /// Returns the object that `entity` refers to in an edge of a record; empty if it is not an object with a
  /// task here.
  std::optional<std::uint32_t> find(lbdata::EntityIndex entity, std::uint32_t record) const;

  /// Returns the end that `entity` refers to in an edge of a record: an object, or the processor with the
  /// index of another record. Empty if it is neither an object with a task here nor a rank with a record
  /// here.
  std::optional<CommEnd> end(lbdata::EntityIndex entity, std::uint32_t record) const {
    if (entities_.kind(entity) != lbdata::EntityKind::node) {
      const std::optional<std::uint32_t> object = find(entity, record);
      return object ? std::optional(CommEnd::object(*object)) : std::nullopt;
    }
    const lbdata::WideInteger rank = entities_.number(entity);
    if (rank.negative || rank.bits < first_rank_ || rank.bits - first_rank_ >= first_object_.size())
      return {};
    return CommEnd::processor(static_cast<std::uint32_t>(rank.bits - first_rank_));
  }

  /// Returns the rank of an end: its processor, or the rank whose record contains its object. Cost: O(log
  /// records).
  std::uint32_t rank_of(CommEnd end) const;

 private:
  void add(std::uint32_t object, std::uint32_t record);
  /// Returns the lowest object with a number, or PositionHash::none.
  std::uint32_t first_with(lbdata::WideInteger number) const;

  const lbdata::EntityTable& entities_;
  std::vector<lbdata::EntityIndex> object_entities_;
  std::uint32_t first_rank_;
  std::vector<std::uint32_t> first_object_;  ///< first object of each record
  support::PositionHash first_objects_;      ///< first object with each number
  /// Map from (object on a lower rank, record of this object) to object, for non-migratable objects that
  /// share the lower object's number.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> repeats_;
};

/// Returns the number of tasks in all records.
std::size_t count_tasks(const std::vector<const lbdata::PhaseRecord*>& records);

/// Returns each rank's record of one phase. For missing phases, throws the same Errors as load_phase().
std::vector<const lbdata::PhaseRecord*> phase_records(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
