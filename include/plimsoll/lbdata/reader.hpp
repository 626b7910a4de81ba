#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/phase_selection.hpp>
#include <plimsoll/support/diagnostic.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// What to read of a data set, and what to check on the way.
struct ReadOptions {
  PhaseSelection phases = PhaseSelection::all();  ///< which phases to keep; all by default
  std::vector<std::string> checks;                ///< checks() to make in the same pass; none by default
  std::size_t max_findings = 100;  ///< of the checks across files, which a hostile set has without end
  unsigned threads = 0;            ///< 0: as many as the hardware has
  support::SizeLimits limits;      ///< of each file
  support::Progress* progress = &support::Progress::none();  ///< never null; units are bytes
};

/// A data set, and what was remarkable about its files.
struct ReadResult {
  Dataset dataset;
  /// What is odd but loses nothing, by rank: a file that does not say its type, what the checks found.
  std::vector<Diagnostic> findings;
};

/// Reads a data set, files in parallel. The result does not depend on the number of threads. Memory: the
/// data set and, for each thread, a window of 64 KiB and the columns of one file.
///
/// Throws Error: system if a file cannot be read; bad_input, with file, byte, line and JSON pointer, if
/// one is broken or holds what the schema does not allow. An integer where the schema wants a fraction is
/// read, and left to validate() to report.
ReadResult read(const std::vector<RankFile>& files, const ReadOptions& options = {});

/// Reads one LB data file from memory as rank 0; `name` is for messages.
ReadResult read_text(std::string_view content, const std::string& name, const ReadOptions& options = {});

}  // namespace plimsoll::lbdata
