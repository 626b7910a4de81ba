#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Form of phases with the same content as the preceding phase in the file.
enum class IdenticalPhases {
  as_found,
  elided,    ///< listed as identical_to_previous
  expanded,  ///< written in full
};

/// Changes that convert() makes. Everything else in the files stays the same.
struct ConvertOptions {
  /// Whether each input is a data set of one run, and the runs continue each other, for example after
  /// restarts. A run replaces the phases of earlier runs from its own first phase on.
  bool merge = false;
  /// Number of ranks over which the tasks of a single file are split by their `node`; empty: the ranks remain
  /// as they are.
  std::optional<std::int64_t> split_ranks;

  /// Phases to keep. Other phases of the files are listed as skipped.
  PhaseSelection phases = PhaseSelection::all();
  /// Number to add to the ids of phases, after the selection. Skipped phases whose ids would be negative are
  /// omitted.
  std::int64_t phase_offset = 0;
  IdenticalPhases identical = IdenticalPhases::as_found;

  /// Whether objects are numbered from 0 to n - 1, in the order of their numbers, as `seq_id` without `id`.
  bool renumber = false;
  /// Whether objects without `id` get one: encoded from `seq_id` if they belong to a collection, else equal
  /// to `seq_id`, as when vt reads such a file.
  bool encode_ids = false;

  support::SizeLimits limits;  ///< limits for each file that is read
  /// Number of ranks of each complete input; 0: as the metadata of its files specify.
  std::size_t expected_ranks = 0;
};

/// Part of a merged data set.
struct MergedRun {
  std::string input;
  PhaseRange phases;  ///< first and last recorded phase that come from this run
  /// Phases of the run that the next run replaces; empty if it replaces none.
  std::optional<PhaseRange> replaced;
};

/// Result of convert().
struct ConvertResult {
  std::size_t ranks = 0;
  std::uint64_t phases = 0;          ///< phases with data on any rank
  std::vector<MergedRun> runs;       ///< runs of a merged data set, in order
  std::vector<Diagnostic> findings;  ///< irregularities without loss of data, by rank
};

/// Reads a data set, changes it, and writes it like write(). Keeps one rank per thread in memory: all phases
/// of the files of that rank. Reads the files twice if ids change or runs are merged.
///
/// `inputs` are as for find_rank_files(); with `merge`, each of them is one data set. The output may be the
/// directory of the input if `write_options` allow overwriting. The result does not depend on the number of
/// threads.
///
/// Throws Error like read() and write(). Throws Error (usage) if the options contradict each other or the
/// inputs, or if no phase is selected. Throws Error (bad_input) if the runs do not continue each other, a
/// task of a file to be split has an invalid `node`, an id cannot be encoded, or the phases of an expanded
/// file exceed SizeLimits::max_bytes.
ConvertResult convert(const std::vector<std::string>& inputs, const ConvertOptions& options,
                      const std::string& folder, const std::string& base,
                      const WriteOptions& write_options = {}, unsigned threads = 0,
                      support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::lbdata
