#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Phases that a running program has ended without writing them. Their lists belong to the metadata, which
/// such a program writes last. This summary has a constant size, so that the program can keep it up to date
/// on disk: together with the written phases it determines the lists, which repair() restores if the program
/// is killed.
struct ElidedPhases {
  bool identical = false;  ///< whether phases identical to the previous one are elided
  /// Selection of the phases to write; the others are skipped. Absent: no phase is skipped.
  std::optional<PhaseSpecification> specification;
  std::int64_t count = 0;  ///< number of elided phases
  std::int64_t last = -1;  ///< the last of them, -1 without any

  /// Returns the lists, given which phases are written: all other phases from 0 to `last` are elided. Returns
  /// nothing if their number is not `count`, because then written phases were lost, or if `last` is above ten
  /// million. Cost: O(last).
  std::optional<PhaseMetadata> lists(const std::function<bool(std::int64_t)>& is_written) const;
};

/// Formats the summary as one line, with which the file of pending phases (`.pending`) begins.
std::string to_line(const ElidedPhases& elided);
/// Formats `count` and `last` as in the line, always with the same length, at the position counts_offset.
std::string counts_text(const ElidedPhases& elided);
/// Position of counts_text() in the line, in bytes.
inline constexpr std::size_t counts_offset = 7;
/// Reads the line and removes it from `text`. Returns nothing, and changes nothing, if the text does not
/// begin with a complete line.
std::optional<ElidedPhases> take_line(std::string_view& text);

/// Options of repair().
struct RepairOptions {
  /// File to write; all other files stay unchanged. If empty, repair() repairs in place.
  std::string output;
  bool plain = false;          ///< whether to remove `.br` from the names of files, and write plain text
  bool overwrite = false;      ///< whether an existing file may be replaced
  support::SizeLimits limits;  ///< limits for the text that is read
  /// Number of ranks of a complete data set, for expect_valid(); 0: as the metadata of its files specify.
  std::size_t expected_ranks = 0;
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
  /// Returns whether the damaged file contains more than the kept data and the start of one phase.
  bool leaves_data() const {
    return (damage && !cut) || unreadable_phases > 0 || repeated_phases > 0 || !findings.empty();
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

/// File that repair_files() tried to repair, with the result.
struct RepairedFile {
  std::string path;
  std::optional<RepairResult> result;  ///< empty if repair() threw `error`
  std::optional<Error> error;          ///< empty if repair() succeeded
};

/// Repairs many files with repair(), `threads` at a time (0: one per processor). `paths` contains files and
/// directories. In a directory, all partial output files (`*.partial`) are repaired, and all truncated or
/// damaged files `BASE.<rank>.json` and `BASE.<rank>.json.br`. If RepairOptions::output is set, complete
/// files are written too, so that the output is a complete data set. Files of an earlier run, which partial
/// output files will replace, are skipped. For an exception, see ignored_streams().
/// RepairOptions::output, if not empty, names the output file. It names an output directory for several
/// files, for an existing directory, or if it ends with '/'; a missing directory is created. A file named
/// twice is repaired once. An error in one file does not stop the repair of other files.
///
/// Throws Error (usage) if two files would get the same name, or names that differ only in `.br`, and Error
/// (system) if a directory cannot be read or created. Both happen before anything is written.
std::vector<RepairedFile> repair_files(const std::vector<std::string>& paths,
                                       const RepairOptions& options = {}, unsigned threads = 0,
                                       support::Progress& progress = support::Progress::none());

/// Returns the partial output files in the directories among `paths` that repair_files() skips: those of a
/// later run that left them for only some ranks of a data set, if the files of all ranks are complete. Empty
/// unless RepairOptions::output is set.
std::vector<std::string> ignored_streams(const std::vector<std::string>& paths, const RepairOptions& options);

/// Checks the result of repair_files() for the directories among `paths`. Throws Error (bad_input) if a data
/// set in them, or a written data set if RepairOptions::output is set, is invalid or incomplete. If nothing
/// was repaired, also throws Error (bad_input) if a directory contains no data set, and Error (usage) if it
/// contains several, as readers do.
void expect_valid(const std::vector<std::string>& paths, const std::vector<RepairedFile>& repaired,
                  const RepairOptions& options = {}, unsigned threads = 0);

/// Completes the data sets in the directories among `paths` that killed programs were publishing (see
/// support::OutputSet). Returns them as DIR/BASE. Throws Error (usage) if a running program is publishing
/// one of them.
std::vector<std::string> complete_publications(const std::vector<std::string>& paths);

}  // namespace plimsoll::lbdata
