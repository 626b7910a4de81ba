#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Where repair() writes, and how.
struct RepairOptions {
  /// The file to write; nothing else is changed then. Empty: in place, see repair().
  std::string output;
  bool plain = false;          ///< write plain text, even if the name ends in `.br`
  bool overwrite = false;      ///< whether an existing file may be replaced
  support::SizeLimits limits;  ///< of the text that is read
};

/// What repair() kept of a file, and what was lost.
struct RepairResult {
  std::string file;    ///< what was repaired
  std::string output;  ///< what was written; empty if the file is whole and stays as it is
  /// A stream repaired in place that holds more than was kept, in parts that cannot be read; it stays.
  bool stream_stays = false;

  std::uint64_t phases = 0;                 ///< kept, those of `.pending` too
  std::optional<std::int64_t> first_phase;  ///< ids as they stand in the file
  std::optional<std::int64_t> last_phase;
  std::uint64_t pending_phases = 0;  ///< kept of `.pending`

  /// Where and why the text cannot be read on; none if it is whole. Its byte is one of the text.
  std::optional<Diagnostic> damage;
  bool cut = false;                        ///< the damage is that the text ends there
  bool torn = false;                       ///< a phase had begun there
  std::optional<std::int64_t> torn_phase;  ///< its id, if that could be read
  std::uint64_t unreadable_phases = 0;     ///< left out since they hold what the schema does not allow
  std::uint64_t repeated_phases = 0;       ///< left out since a complete phase of the same id precedes
  bool metadata_lost = false;              ///< `metadata` were to come, or have not been complete
  /// Phases listed as identical to one that may be lost are not listed any more.
  bool identical_lost = false;
  std::vector<Diagnostic> findings;  ///< what was wrong with the parts left out; the first most_findings

  static constexpr std::size_t most_findings = 20;

  /// Nothing was lost.
  bool whole() const {
    return !damage && unreadable_phases == 0 && repeated_phases == 0 && !metadata_lost && findings.empty();
  }
};

/// Makes a valid LB data file of one that is cut or damaged, plain or compressed, by keeping its complete
/// phases up to the damage. Of streams (`NAME.partial`, as support::OutputFile leaves them when a program is
/// killed) the phases in `NAME.pending` are kept too: finished ones that had not been appended yet. It is
/// compressed as its name says (`.br`) unless `plain`. Phase by phase: memory for one phase and the entities.
///
/// In place, a stream becomes NAME (without `.br` if `plain`), and is removed with its `.pending` when that
/// is on the disk, unless it holds parts that cannot be read. Any other file is left alone if it is whole,
/// and replaced only if overwriting is allowed. In every case the new file gets its name when it is whole and
/// on the disk; until then nothing that was there is touched.
///
/// Throws Error: bad_input if the file never was an LB data file, or its text exceeds the limits; usage if
/// the output exists and may not be overwritten, or if a stream to be repaired in place is still being
/// written; system if reading or writing fails.
RepairResult repair(const std::string& path, const RepairOptions& options = {});

/// What was lost, one line per loss, such as "phase 3, which is incomplete"; empty if RepairResult::whole().
std::vector<std::string> losses(const RepairResult& result);

/// The name that a repaired file should have: that of a stream when it is closed, and without `.br` if plain.
std::string repaired_name(const std::string& path, bool plain);

/// The streams `*.partial` of a folder, sorted. Throws Error (system) if it cannot be read.
std::vector<std::string> streams_of_folder(const std::string& folder);

}  // namespace plimsoll::lbdata
