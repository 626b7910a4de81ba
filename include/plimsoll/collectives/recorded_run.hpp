#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/profile.hpp>

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

/// Throws Error (bad_input) if the profile contains no counts. Says whether they were not recorded, or the
/// program did not call collectives that have them.
void expect_counts(const RecordedRun& run);

/// Returns the host of each rank of MPI_COMM_WORLD. An unknown host is an empty string.
std::vector<std::string> rank_hosts(const RecordedRun& run);

}  // namespace plimsoll::collectives
