#pragma once

#include <optional>

#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns the share of the run that traffic of a kind takes at most, because waits may complete some of it;
/// nothing without `program`.
std::optional<double> share_of(collectives::TrafficKind kind, const collectives::MpiSummary* program);

/// Reports the bytes that another placement of the ranks on the recorded hosts moves from the network into
/// nodes, and what this saves. `program` is empty if the MPI calls are unknown.
std::optional<collectives::Finding> bytes_between_nodes(const collectives::RecordedRun& run,
                                                        const collectives::MpiSummary* program);

/// Reports by how much another order of the ranks on the recorded hosts balances the work between nodes.
/// Returns nothing if the work is unknown.
std::optional<collectives::Finding> work_of_nodes(const collectives::MpiCalls& calls,
                                                  const collectives::MpiSummary& program);

}  // namespace plimsoll::PLIMSOLL_ABI::cli
