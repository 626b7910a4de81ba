#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/documents/description.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// Summary of all that was recorded of one run.
struct RunSummary {
  collectives::Summary collectives;
  std::optional<collectives::MpiCalls> calls;  ///< of the whole program, if they were recorded
  collectives::MpiSummary mpi;                 ///< of these calls
  std::vector<collectives::Finding> findings;
};

/// Differences between two runs, as far as both recorded what they concern.
struct RunComparison {
  std::optional<collectives::Comparison> counts;
  std::optional<collectives::ContentComparison> data;
  std::optional<collectives::MpiComparison> mpi;
};

/// Calls, one by one or in runs of equal calls.
struct CallList {
  std::span<const collectives::CallRun> calls;
};

/// Call sites of MPI functions.
struct SiteList {
  std::span<const collectives::CallSite> sites;
};

/// MPI functions of a program, and the windows of time of the run.
struct FunctionList {
  const collectives::MpiSummary* summary = nullptr;
  std::span<const collectives::MpiSummary::Function> functions;
};

/// Runs of the same problem on different numbers of ranks.
struct ScalingList {
  std::span<const collectives::ScaledRun> runs;
};

/// Patterns of the calls of all leads.
struct PatternList {
  const std::vector<collectives::LeadPatterns>* patterns = nullptr;
  std::optional<double> factor = {};  ///< of the collective profiler's classes; empty: Plimsoll's classes
  std::size_t heavy = 10;             ///< number of patterns per lead that are listed as heavy
  collectives::PatternOrder order = collectives::PatternOrder::occurrences;  ///< of the heavy patterns
  std::vector<std::string> files = {};                                       ///< files that were written
};

/// Returns the names of a pattern's classes: of its structures or, with a factor, those of the collective
/// profiler.
std::vector<std::string> classes_of(const collectives::Pattern& pattern, std::optional<double> factor);

}  // namespace plimsoll::documents
