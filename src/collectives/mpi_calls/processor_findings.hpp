#pragma once

#include <optional>
#include <string>

#include <plimsoll/collectives/mpi_findings.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns that ranks had no core although they were ready to run, if that was a relevant part of the run. It
/// affects all other values.
std::optional<Finding> without_core(const MpiSummary& run);

/// Returns that ranks were off the processor outside MPI for other or unknown reasons, if that was a relevant
/// part of this time.
std::optional<Finding> off_processor(const MpiSummary& run);

/// Returns the part of the run by which missing cores may have prolonged the work, whose order may let all
/// ranks wait for each delay: the part of the time outside MPI that ranks were off the processor, of the
/// longest chain of work or, if it is unknown, of the maximum time outside MPI. 0 if ranks had cores.
double lost_share(const MpiSummary& run);

/// Names the rank that certainly has more CPU time outside MPI than the mean. The CPU time in MPI is unknown:
/// it is at most the time there. Returns "" if no rank certainly has.
std::string busiest_by_cpu_time(const MpiCalls& calls);

}  // namespace plimsoll::collectives
