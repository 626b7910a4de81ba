#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phase numbers as listed in metadata: single numbers and ranges that include both ends.
struct PhaseNumbers {
  std::vector<std::int64_t> list;                ///< ascending numbers
  std::vector<std::vector<std::int64_t>> range;  ///< pairs [first, last]; the schema allows any length

  /// Returns whether the list or a range contains `phase`. Cost: O(log list + ranges).
  bool contains(std::int64_t phase) const;
  bool empty() const { return list.empty() && range.empty(); }
  /// Adds the next phase in ascending order. Consecutive phases become a range.
  void append(std::int64_t phase);
  /// Removes `phase` from the list and the ranges.
  void remove(std::int64_t phase);
  /// Returns the first listed phase after `phase`; empty if none follows.
  std::optional<std::int64_t> next_after(std::int64_t phase) const;
  friend bool operator==(const PhaseNumbers&, const PhaseNumbers&) = default;
};

/// Contents of `metadata.phases`: the number of phases, and the phases that are not written in full.
struct PhaseMetadata {
  std::optional<std::int64_t> count;   ///< number of phases that the program ran, written or not
  PhaseNumbers skipped;                ///< phases without information
  PhaseNumbers identical_to_previous;  ///< phases identical to the last earlier phase with data
  friend bool operator==(const PhaseMetadata&, const PhaseMetadata&) = default;
};

/// Contents of `metadata.shared_node`: position of this rank in its shared-memory node.
struct SharedNode {
  std::int64_t id = 0;         ///< number of the node
  std::int64_t size = 0;       ///< number of ranks on the node
  std::int64_t rank = 0;       ///< number of this rank on the node
  std::int64_t num_nodes = 0;  ///< total number of nodes
  friend bool operator==(const SharedNode&, const SharedNode&) = default;
};

/// Metadata of a file: `metadata` and the top-level `type`. Absent members are absent in the file.
struct RankMetadata {
  std::optional<std::string> top_level_type;  ///< "LBDatafile", outside `metadata`
  bool present = false;                       ///< whether the file has a `metadata` object
  std::optional<std::string> type;            ///< "LBDatafile", inside `metadata`
  std::optional<std::int64_t> rank;           ///< rank of this file, from 0
  std::optional<double> rank_alpha;
  std::optional<SharedNode> shared_node;
  std::optional<PhaseMetadata> phases;
  std::optional<std::string> attributes;  ///< original JSON text
  friend bool operator==(const RankMetadata&, const RankMetadata&) = default;
};

}  // namespace plimsoll::lbdata
