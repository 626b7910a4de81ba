#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The parts of a program's run, collected rank by rank.
class ProgramParts {
 public:
  explicit ProgramParts(std::size_t ranks) : ranks_(ranks) {}

  /// Adds the parts of the next rank, in the order of the ranks in MPI_COMM_WORLD.
  void add_rank(const RankCalls& calls);
  /// Returns the regions of all ranks, in the order of their names.
  std::vector<MpiCalls::Region> regions() const;
  /// Returns the windows of time, of the same length on all ranks, without empty ones at the end. Many ranks
  /// have fewer windows, which bounds their memory.
  MpiCalls::Windows windows() const;
  /// Returns the time of all ranks in a function, by window of windows(); nothing if it is unknown.
  std::vector<double> window_times_s(std::string_view function, const MpiCalls::Windows& windows) const;
  /// Whether the ranks together have more names of regions than one rank may use.
  bool has_too_many_names() const { return has_too_many_names_; }

 private:
  struct RankWindows {
    std::size_t rank;
    TimeWindows recorded;
    TimeWindows mpi;
    TimeWindows waited;
    std::optional<TimeWindows> ideal;
  };

  MpiCalls::Part& region(std::string_view name);

  std::size_t ranks_;
  std::size_t next_rank_ = 0;
  std::vector<RankWindows> windows_;                           ///< of the ranks that recorded times
  std::map<std::string, TimeWindows, std::less<>> functions_;  ///< on these ranks
  std::vector<MpiCalls::Region> regions_;
  bool knows_ideal_windows_ = true;  ///< of all ranks that recorded times
  bool knows_ideal_regions_ = true;
  bool has_too_many_names_ = false;
};

}  // namespace plimsoll::collectives
