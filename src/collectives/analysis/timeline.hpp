#pragma once

#include <plimsoll/collectives/recorded_run.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The part of one rank in a call, as a trace contains it.
struct TraceCall {
  Operation operation;
  std::uint32_t communicator = 0;  ///< position in Timeline::communicators
  std::uint64_t call = 0;          ///< id on the lead
  std::uint64_t begin_ns = 0;      ///< since the origin of the trace
  std::uint64_t end_ns = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};

/// Calls of one rank that follow each other without overlap, in order of time.
struct Track {
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  ///< 0, 1, 2 ... for the tracks of a rank
  std::vector<TraceCall> calls;
};

/// A communicator that calls were made on.
struct TraceCommunicator {
  std::uint32_t lead = 0;
  std::uint32_t id = 0;  ///< on the lead
  std::vector<std::uint64_t> members;
  std::vector<std::uint64_t> remote_members;  ///< empty if it is not an inter-communicator
};

/// All timed calls of a run, by rank and thread.
struct Timeline {
  std::vector<std::string> hosts;  ///< of each rank; empty if unknown
  std::vector<Track> tracks;       ///< one or more per rank of MPI_COMM_WORLD, in order of ranks
  std::vector<TraceCommunicator> communicators;
  std::uint64_t end_ns = 0;  ///< end of the last call
  std::uint64_t calls = 0;
};

/// Sorts the timed calls of a run. Throws Error (bad_input) if it has none, or if the number of times does
/// not fit the calls.
Timeline timeline_of(const RecordedRun& run);

}  // namespace plimsoll::collectives
