#pragma once

#include <plimsoll/lbdata/converter.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases that a converted file contains in full, and its metadata.
struct PhasePlan {
  /// Record of a phase, and the id that the phase gets. A record may be written several times.
  struct Written {
    std::size_t record;  ///< position in RankData::phases
    std::int64_t id;
  };

  std::vector<Written> written;
  RankMetadata metadata;
  PhaseNumbers with_data;  ///< phases with data, in full or listed as identical
};

/// Plans the phases of one rank. `tables` are those of the rank's records; `name` is used in messages. Cost:
/// O(records + listed phases), and the size of the records if identical phases are elided.
///
/// Throws Error (bad_input) if the repeated records of an expanded file exceed the size limit, or if an id
/// exceeds 64 bits.
PhasePlan plan_phases(const RankData& rank, const RecordTables& tables, const ConvertOptions& options,
                      const std::string& name);

/// Writes the planned phases of a rank.
void write_phases(RankData& rank, const RecordTables& tables, PhasePlan plan, support::OutputFile file,
                  bool metadata_last);

}  // namespace plimsoll::lbdata
