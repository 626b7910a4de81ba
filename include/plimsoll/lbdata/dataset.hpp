#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phase numbers as listed in metadata: single numbers and ranges that include both ends.
struct PhaseNumbers {
  std::vector<std::int64_t> list;                ///< ascending numbers
  std::vector<std::vector<std::int64_t>> range;  ///< pairs [first, last]; the schema allows any length

  /// Returns whether the list or a range contains `phase`. Cost: O(log list + ranges).
  bool contains(std::int64_t phase) const;
  bool empty() const { return list.empty() && range.empty(); }
  /// Returns the phases of the list and of valid ranges, ascending and without overlaps.
  std::vector<PhaseRange> ranges() const;
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

/// State of one phase in the file of one rank.
enum class PhaseState {
  recorded,   ///< phase with a record in the file
  identical,  ///< phase listed as identical to the last earlier phase with data
  skipped,    ///< phase listed as having no information
  absent,     ///< phase that the file does not mention
};

/// Record of one rank in one phase. `record` is null if the phase is skipped or absent. This differs from a
/// record without tasks.
struct ResolvedPhase {
  PhaseState state = PhaseState::absent;
  const PhaseRecord* record = nullptr;  ///< valid as long as the RankData is unchanged
};

/// Data of one rank, from one file.
struct RankData {
  RankMetadata metadata;
  std::vector<PhaseRecord> phases;  ///< ascending by id, without duplicates

  /// Returns the record of `phase`. If the phase is listed as identical to the previous one, returns the
  /// record of the earlier phase. Cost: O(log phases + listed ranges).
  ResolvedPhase resolve(std::int64_t phase) const;
  /// Returns the record of `phase` if the file contains it, else null. Cost: O(log phases).
  const PhaseRecord* find(std::int64_t phase) const;
  PhaseRecord* find(std::int64_t phase);
};

/// Table of short recurring strings (communication types, resources), numbered in order of appearance.
class NameTable {
 public:
  NameTable() = default;
  explicit NameTable(std::vector<std::string> names) : names_(std::move(names)) {}
  /// Returns the number of a name. Adds the name if it is new. Throws Error (bad_input) beyond 256 names.
  std::uint8_t intern(std::string_view name);
  const std::string& operator[](std::uint8_t number) const {
    PLIMSOLL_EXPECT(number < size());
    return names_[number];
  }
  std::size_t size() const { return names_.size(); }
  friend bool operator==(const NameTable&, const NameTable&) = default;

 private:
  std::vector<std::string> names_;
};

/// Set of LB data files in memory: ranks x phases. It contains all data of the files. The columnar layout
/// takes up to 64 bytes per task (including its share of the entity table) and 40 per edge.
struct Dataset {
  EntityTable entities;                       ///< entities of all ranks
  NameTable resources;                        ///< names for Tasks::resource, such as "cpu"
  NameTable categories = known_categories();  ///< names for Communications::category
  std::vector<RankData> ranks;                ///< ranks by number

  /// Returns the ids of all phases that any rank contains or lists as identical or skipped, ascending. Throws
  /// Error (bad_input) for more than max_phases phases.
  std::vector<std::int64_t> phase_ids() const;

  /// Returns the ten documented category names in the order of their values.
  static NameTable known_categories();
};

/// Compares the data: the same ranks, phases and records in the same order, regardless of the numbering in
/// the tables. Cost: O(size).
bool operator==(const Dataset& left, const Dataset& right);

/// Phases with data in a data set, ascending. Phases that a file lists as identical to an earlier phase are
/// included.
struct PhaseCoverage {
  std::vector<std::int64_t> complete;  ///< phases with data on all ranks
  /// Phases with data on some ranks only, for example because the program was killed.
  std::vector<std::int64_t> partial;
  /// For each complete phase: an earlier complete phase with the same data on all ranks, or the phase itself.
  std::vector<std::int64_t> first_alike;
};

/// Phases in the file of one rank.
struct RankPhases {
  std::vector<std::int64_t> recorded;     ///< phases with a record, ascending
  const PhaseMetadata* listed = nullptr;  ///< phases that the file lists; null if it lists none
};

/// Maximum number of phases of a data set. The limit is necessary because a few bytes of a file can list many
/// phases.
inline constexpr std::uint64_t max_phases = 1'000'000;

/// Computes the phase coverage. Cost: O(ranks x changes + phases), where consecutive phases that all ranks
/// list as identical are one change. Throws Error (bad_input) for more than max_phases phases with data.
PhaseCoverage phase_coverage(std::span<const RankPhases> ranks);
PhaseCoverage phase_coverage(const Dataset& dataset);

}  // namespace plimsoll::lbdata
