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

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Options for reading and checking a data set.
struct ReadOptions {
  /// Phases to keep; default: all. A phase that is not selected is kept too if a selected one may be listed
  /// as identical to it.
  PhaseSelection phases = PhaseSelection::all();
  std::vector<std::string> checks;  ///< checks() to run in the same pass; default: none
  /// Maximum number of findings of checks across files, which protects against malicious files.
  std::size_t max_findings = 100;
  unsigned threads = 0;                                      ///< number of threads; 0: one per processor
  support::SizeLimits limits;                                ///< limits for each file
  support::Progress* progress = &support::Progress::none();  ///< progress in bytes; never null
};

/// Data set, and remarks about its files.
struct ReadResult {
  Dataset dataset;
  /// Irregularities without loss of data, by rank: files without a type, and findings of the checks.
  std::vector<Diagnostic> findings;
};

/// Reads a data set, with files in parallel. The result does not depend on the number of threads. Memory: the
/// data set and, per thread, a window of 64 KiB and the columns of one file.
///
/// Throws Error (system) if a file cannot be read. Throws Error (bad_input), with file, byte, line and JSON
/// pointer, if a file is damaged or violates the schema. An integer is accepted where the schema requires a
/// fraction; validate() reports such integers.
ReadResult read(const std::vector<RankFile>& files, const ReadOptions& options = {});

/// Reads one LB data file from memory as rank 0. `name` is used in messages.
ReadResult read_text(std::string_view content, const std::string& name, const ReadOptions& options = {});

}  // namespace plimsoll::lbdata
