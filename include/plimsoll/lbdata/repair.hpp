#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Options of repair().
struct RepairOptions {
  /// File to write; all other files stay unchanged. If empty, repair() repairs in place.
  std::string output;
  bool plain = false;          ///< whether to remove `.br` from the names of files, and write plain text
  bool overwrite = false;      ///< whether an existing file may be replaced
  support::SizeLimits limits;  ///< limits for the text that is read
};

/// Result of repair(): kept and lost data.
struct RepairResult {
  std::string file;    ///< repaired file
  std::string output;  ///< written file; empty if the file is complete and stays unchanged
  /// Whether a partial output file remains after an in-place repair, because it contains more data that
  /// cannot be read.
  bool stream_stays = false;

  std::uint64_t phases = 0;                 ///< number of kept phases, including phases from `.pending`
  std::optional<std::int64_t> first_phase;  ///< id of the first kept phase, as in the file
  std::optional<std::int64_t> last_phase;
  std::uint64_t pending_phases = 0;  ///< number of phases kept from `.pending`

  /// Position and cause of the first unreadable text; empty if the file is complete. The position is a byte
  /// of the decompressed text.
  std::optional<Diagnostic> damage;
  bool cut = false;                        ///< whether the text is truncated at the damage
  bool torn = false;                       ///< whether the damage makes one phase incomplete
  std::optional<std::int64_t> torn_phase;  ///< id of this phase, if it could be read
  std::uint64_t unreadable_phases = 0;     ///< phases dropped because they violate the schema
  std::uint64_t repeated_phases = 0;       ///< phases dropped because their id duplicates a complete phase
  bool metadata_lost = false;              ///< whether `metadata` was incomplete or not yet written
  /// Whether phases were removed from the list of identical phases, because the phase that they refer to may
  /// be lost.
  bool identical_lost = false;
  std::vector<Diagnostic> findings;  ///< errors in dropped parts; up to most_findings

  static constexpr std::size_t most_findings = 20;

  /// Returns whether all data were kept.
  bool whole() const {
    return !damage && unreadable_phases == 0 && repeated_phases == 0 && !metadata_lost && findings.empty();
  }
};

/// Makes a valid LB data file from a truncated or damaged one, plain or compressed. The new file contains the
/// complete phases up to the damage. When a program is killed, support::OutputFile leaves a partial output
/// file (`NAME.partial`). From `NAME.pending`, repair() adds finished phases that had not been appended to
/// the partial output file yet. The output is compressed if its name ends in `.br`. The file
/// is processed phase by phase; the memory holds one phase and the entities.
///
/// In-place repair turns a partial output file into NAME (without `.br` if `plain`). When NAME is on the
/// disk, repair() removes the partial file and its `.pending`, unless the partial file contains parts that
/// cannot be read. Any other file stays unchanged if it is complete, and is replaced only if overwriting is
/// allowed. In every case, the new file gets its name when it is complete and on the disk. Existing files are
/// not changed before that.
///
/// Throws Error (bad_input) if the file was never an LB data file, or if its text exceeds the limits. Throws
/// Error (usage) if the output exists and may not be overwritten, if `plain` but the name of the output ends
/// in `.br`, or if a program is still writing the partial output file. Throws Error (system) if reading or
/// writing fails.
RepairResult repair(const std::string& path, const RepairOptions& options = {});

/// Returns the losses, one line per loss, such as "phase 3, which is incomplete". The list is empty if
/// RepairResult::whole().
std::vector<std::string> losses(const RepairResult& result);

/// Returns the name of the repaired file. The name of a partial output file becomes its final name. If
/// `plain`, `.br` is removed.
std::string repaired_name(const std::string& path, bool plain);

/// Returns the partial output files `*.partial` of a directory, sorted, without those of an LBStatsfile.
/// Throws Error (system) if the directory cannot be read.
std::vector<std::string> streams_of_folder(const std::string& folder);

}  // namespace plimsoll::lbdata
