#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/lbdata/metadata.hpp>
#include <plimsoll/lbdata/records.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

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
  const std::string& operator[](std::uint8_t number) const { return names_[number]; }
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
  /// Error (bad_input) for more than max_phases phases (phase_coverage.hpp).
  std::vector<std::int64_t> phase_ids() const;

  /// Returns the ten documented category names in the order of their values.
  static NameTable known_categories();
};

/// Compares the data: the same ranks, phases and records in the same order, regardless of the numbering in
/// the tables. Cost: O(size).
bool operator==(const Dataset& left, const Dataset& right);

}  // namespace plimsoll::lbdata
