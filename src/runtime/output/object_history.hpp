#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Loads of objects in the kept phases: those that this rank measured, and those added for objects that came
/// from other ranks or inherit from other objects. The added loads are stored separately, because records of
/// this rank contain only its own work. Nothing is stored until loads are added or read.
class ObjectHistory {
 public:
  /// Stores references to the entities and the kept phases, which must outlive this object.
  ObjectHistory(const lbdata::EntityTable& entities, const std::deque<lbdata::PhaseRecord>& phases)
      : entities_(entities), phases_(phases) {}

  /// Returns the loads of an object, oldest first. Expected O(kept phases), plus O(tasks) for the first call
  /// per phase.
  std::vector<PastLoad> loads(lbdata::EntityIndex object);
  /// Adds to the load of an object in a kept phase. Ignores phases that are not kept, and phases in which
  /// this rank measured the object itself. Same cost as loads().
  void add(lbdata::EntityIndex object, const PastLoad& load);
  /// Discards the loads that were added for an object.
  void forget(lbdata::EntityIndex object);
  /// Returns the added loads of a phase as a record. No object has tasks both here and in the kept phase.
  lbdata::PhaseRecord added(std::int64_t phase) const;

  /// Discards the data of phases that are not kept any more.
  void trim();
  /// Sets `used` for each entity that the added loads refer to.
  void mark(std::vector<bool>& used) const;
  void renumber(std::span<const lbdata::EntityIndex> new_index);

 private:
  struct AddedLoad {
    lbdata::EntityIndex entity = 0;
    PastLoad load;
  };
  struct Phase {
    std::unordered_map<std::uint64_t, AddedLoad> added;  // by the number of the object
    support::PositionHash measured;                      // tasks of the record; filled by the first search
  };
  std::uint64_t number(lbdata::EntityIndex object) const { return entities_.number(object).bits; }
  /// Returns the task of an object in a kept phase, or PositionHash::none.
  std::uint32_t find_task(const lbdata::PhaseRecord& record, std::uint64_t number);

  const lbdata::EntityTable& entities_;
  const std::deque<lbdata::PhaseRecord>& phases_;
  std::map<std::int64_t, Phase> by_phase_;
};

}  // namespace plimsoll::runtime
