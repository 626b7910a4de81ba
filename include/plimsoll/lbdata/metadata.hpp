#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::inline v0_1::lbdata {

/// Phase numbers as metadata list them: single numbers and ranges, inclusive at both ends.
struct PhaseNumbers {
  std::vector<std::int64_t> list;                ///< ascending
  std::vector<std::vector<std::int64_t>> range;  ///< [first, last] each; the schema allows any length

  /// O(log list + ranges).
  bool contains(std::int64_t phase) const;
  bool empty() const { return list.empty() && range.empty(); }
  friend bool operator==(const PhaseNumbers&, const PhaseNumbers&) = default;
};

/// `metadata.phases`: how many phases, and which are not written out.
struct PhaseMetadata {
  std::optional<std::int64_t> count;   ///< phases that the program ran, written out or not
  PhaseNumbers skipped;                ///< no information about these
  PhaseNumbers identical_to_previous;  ///< the same as the last phase before that has data
  friend bool operator==(const PhaseMetadata&, const PhaseMetadata&) = default;
};

/// `metadata.shared_node`: where a rank sits in its shared-memory node.
struct SharedNode {
  std::int64_t id = 0;         ///< number of the node
  std::int64_t size = 0;       ///< ranks on it
  std::int64_t rank = 0;       ///< this rank's number on it
  std::int64_t num_nodes = 0;  ///< nodes in all
  friend bool operator==(const SharedNode&, const SharedNode&) = default;
};

/// Metadata of a file: `metadata` and the top-level `type`. Absent members are absent in the file.
struct RankMetadata {
  std::optional<std::string> top_level_type;  ///< "LBDatafile", outside `metadata`
  bool present = false;                       ///< whether the file has a `metadata` object at all
  std::optional<std::string> type;            ///< the same inside `metadata`
  std::optional<std::int64_t> rank;           ///< the rank whose file this is, from 0
  std::optional<double> rank_alpha;
  std::optional<SharedNode> shared_node;
  std::optional<PhaseMetadata> phases;
  std::optional<std::string> attributes;  ///< original JSON text
  friend bool operator==(const RankMetadata&, const RankMetadata&) = default;
};

}  // namespace plimsoll::lbdata
