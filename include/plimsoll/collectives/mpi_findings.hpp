#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// A fact that costs a program time or bytes, and the command that follows.
struct Finding {
  std::string text;             ///< sentence without a full stop, with a number
  std::string command;          ///< command line that shows more; empty if nothing is to be done
  std::optional<double> share;  ///< share of the run that it concerns, if known
};

/// Returns "plimsoll COMMAND PATHS OPTIONS" for a shell. `paths` are the files and directories of a profile;
/// "." alone is omitted, because commands read the current directory by default.
std::string command_line(const std::string& command, const std::vector<std::string>& paths,
                         const std::string& options = {});

/// Smallest share of a run that can shorten it noticeably.
constexpr double relevant_share = 0.02;

/// Returns whether MPI takes a relevant share of a run.
bool is_mpi_relevant(const MpiSummary& summary);

/// Returns whether the time outside MPI is not a measure of the work, and the time in MPI not one of
/// transfers and waits, because ranks lacked cores for a relevant part of them, or may have.
bool lacked_cores(const MpiSummary& summary);

/// Returns at most three findings, in descending order of the share of the run that they cost: load balance,
/// communication (serialisation and transfer, if they are known), and what other placements of the ranks
/// save, if the caller found any (`placements`). The first one is that ranks had no core, if that holds for a
/// relevant share of the time: this affects all others. If none of them concerns a
/// relevant share, the only finding is that optimising MPI gains nothing. `paths` are the files and
/// directories of the profile, for the commands.
std::vector<Finding> mpi_findings(const MpiCalls& calls, const std::vector<std::string>& paths,
                                  const std::vector<Finding>& placements = {});

}  // namespace plimsoll::collectives
