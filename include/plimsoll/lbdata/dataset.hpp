#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/lbdata/records.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Why a rank has, or has no, record of a phase.
enum class PhaseState {
  recorded,   ///< the file has it
  identical,  ///< the file says it is as the last phase before that has data
  skipped,    ///< the file says there is no information
  absent,     ///< the file does not mention it
};

/// What a rank did in a phase. `record` is null if skipped or absent, which is not the same as
/// a record without tasks.
struct ResolvedPhase {
  PhaseState state = PhaseState::absent;
  const PhaseRecord* record = nullptr;  ///< valid as long as the RankData is unchanged
};

/// One rank: one file.
struct RankData {
  RankMetadata metadata;
  std::vector<PhaseRecord> phases;  ///< ascending by id, each once

  /// The record of a phase, following `identical_to_previous`. O(log phases + listed ranges).
  ResolvedPhase resolve(std::int64_t phase) const;
  /// The record of a phase if the file has it, else null. O(log phases).
  const PhaseRecord* find(std::int64_t phase) const;
  PhaseRecord* find(std::int64_t phase);
};

/// Short texts that recur (communication types, resources), numbered in order of appearance.
class NameTable {
 public:
  NameTable() = default;
  explicit NameTable(std::vector<std::string> names) : names_(std::move(names)) {}
  /// Number of a name, added if new. Throws Error (bad_input) beyond 256 names.
  std::uint8_t intern(std::string_view name);
  const std::string& operator[](std::uint8_t number) const { return names_[number]; }
  std::size_t size() const { return names_.size(); }
  friend bool operator==(const NameTable&, const NameTable&) = default;

 private:
  std::vector<std::string> names_;
};

/// A set of LB data files in memory: ranks x phases. Nothing that the files say is lost.
/// Columnar: at most 64 bytes a task (its share of the entity table included) and 40 an edge.
struct Dataset {
  EntityTable entities;                       ///< all entities of all ranks
  NameTable resources;                        ///< names for Tasks::resource, such as "cpu"
  NameTable categories = known_categories();  ///< names for Communications::category
  std::vector<RankData> ranks;                ///< by rank number

  /// Ids of all phases that any rank has, lists as identical or as skipped, ascending.
  std::vector<std::int64_t> phase_ids() const;

  /// The ten documented category names in the order of their values.
  static NameTable known_categories();
};

/// Equal as data: the same ranks, phases and records in the same order, whatever the numbering in the
/// tables. O(size).
bool operator==(const Dataset& left, const Dataset& right);

}  // namespace plimsoll::lbdata
