#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// All recorded data of one run: its collectives, its MPI calls, or both.
class RecordedRun {
 public:
  /// Throws Error (bad_input) if both have data, but of different runs or different numbers of ranks.
  RecordedRun(Profile profile, std::optional<MpiCalls> mpi_calls = {});

  const Profile& profile() const { return profile_; }
  const std::optional<MpiCalls>& mpi_calls() const { return mpi_calls_; }
  /// Returns whether the counts of collectives were recorded.
  bool has_counts() const;
  /// Returns whether traffic of any kind between pairs of ranks was recorded.
  bool has_traffic() const;

 private:
  Profile profile_;
  std::optional<MpiCalls> mpi_calls_;
};

/// Calls whose traffic is summed.
enum class TrafficKind {
  collectives,     ///< collectives with counts
  point_to_point,  ///< point-to-point messages and one-sided transfers
  all
};

/// Returns "collectives", "p2p" or "all".
const char* to_string(TrafficKind kind);

/// Returns `collectives` if their counts were recorded or if nothing was recorded, else `point_to_point`.
TrafficKind default_traffic(const RecordedRun& run);

/// Throws Error (bad_input) if the profile contains no counts. Says whether they were not recorded, or the
/// program did not call collectives that have them.
void expect_counts(const RecordedRun& run);

/// Throws Error (bad_input) if the run contains no traffic of a kind although its ranks exchanged data: of
/// most collectives, such as MPI_Allreduce, only sums are known. Traffic of 0 bytes would be wrong then.
void expect_traffic(const RecordedRun& run, TrafficKind kind);

/// Sums the traffic of calls of a kind. `selection` and `counts_of` refer to collectives. A finding names the
/// functions whose traffic between pairs is unknown, unless counts were recorded and only one kind is wanted.
/// Throws the Errors of traffic() for profiles; also bad_input if the data of this kind were not recorded,
/// and usage for a selection of other kinds than collectives.
Traffic traffic(const RecordedRun& run, TrafficKind kind, const TrafficSelection& selection = {},
                Direction counts_of = Direction::send, bool with_messages = false);

/// Returns the host of each rank of MPI_COMM_WORLD. An unknown host is an empty string.
std::vector<std::string> rank_hosts(const RecordedRun& run);

}  // namespace plimsoll::collectives
