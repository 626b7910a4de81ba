#pragma once

#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

#include "lbdata/comparing/difference_list.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Compares phase records of two data sets.
class RecordComparison {
 public:
  /// The data sets and the list must outlive the comparison.
  RecordComparison(const Dataset& first, const Dataset& second, DifferenceList& differences);

  /// Compares two records of one phase, which may have different ids if a file lists the phase as identical
  /// to an earlier one. Cost: O(n log n) for n tasks and edges.
  void compare(const PhaseRecord& first, const PhaseRecord& second);

 private:
  /// Data set, and the index of each of its entities in the common table.
  struct Side {
    const Dataset& dataset;
    std::vector<EntityIndex> common;
  };
  struct Identity;
  struct TaskRow;
  struct Edge;

  void compare_work(const WorkRecord& first, const WorkRecord& second);
  void compare_tasks(const Tasks& first, const Tasks& second);
  void compare_task(const TaskRow& first, const TaskRow& second);
  void compare_subphases(const TaskRow& first, const TaskRow& second);
  void compare_edges(const std::optional<Communications>& first, const std::optional<Communications>& second);
  void compare_entities(const std::string& field, EntityIndex first, EntityIndex second);

  Identity identity_of(EntityIndex entity) const;
  std::string name_of(const Identity& identity) const;
  std::vector<TaskRow> sorted_tasks(const Tasks& tasks, const Side& side) const;
  std::vector<Edge> summed_edges(const std::optional<Communications>& edges, const Side& side) const;

  EntityTable entities_;  ///< entities of both data sets
  Side first_;
  Side second_;
  DifferenceList& differences_;
};

}  // namespace plimsoll::lbdata
