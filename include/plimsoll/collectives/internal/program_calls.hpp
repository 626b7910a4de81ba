#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/callers_of_program.hpp>
#include <plimsoll/collectives/internal/code_places.hpp>
#include <plimsoll/collectives/internal/program_parts.hpp>
#include <plimsoll/collectives/internal/rank_calls.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The calls of a program, summed up rank by rank.
class ProgramCalls {
 public:
  explicit ProgramCalls(int ranks) : ranks_(static_cast<std::size_t>(ranks)), parts_(ranks_) {}

  /// Adds the calls of the next rank, in the order of the ranks in MPI_COMM_WORLD.
  void add_rank(const RankCalls& calls);
  /// Returns the sums, with names of the call sites.
  MpiCalls sums() const;
  const ProgramParts& parts() const { return parts_; }

 private:
  struct Call {
    std::string function;
    CodePlaces::Number place;
    friend auto operator<=>(const Call&, const Call&) = default;
  };
  /// Time outside MPI before the calls of a rank from one place.
  struct Work {
    double time_s = 0;
    std::optional<Call> previous;  ///< of the calls after which most of it was spent
    double after_previous_s = 0;

    void add(const Work& other);
  };
  /// Sums over the calls of a rank from one place.
  struct RankSite {
    SiteSums sums;
    MeasuredWaits waits;
    Work work;
  };
  /// Sums over the ranks that called a function from one place, without its name.
  struct Site {
    SiteSums sums;
    MeasuredWaits waits;
    double work_s = 0;
    Work busiest_work;       ///< of the busiest rank so far
    MpiCalls::Site by_rank;  ///< numbers of ranks, and the times of the slowest and fastest
  };

  std::map<Call, RankSite> sites_of(const RankCalls& calls);

  std::size_t ranks_;
  CodePlaces code_places_;
  CallersOfProgram callers_;
  MpiCalls calls_;
  std::map<std::string, MpiCalls::Function> functions_;
  std::map<std::string, SizeClasses> sizes_;  ///< by name of the function
  std::map<Call, Site> sites_;
  double busiest_s_ = -1;  ///< time outside MPI of the busiest rank so far
  std::map<std::pair<std::uint32_t, std::uint32_t>, MessageSums> traffic_;  ///< by sender and receiver
  ProgramParts parts_;
};

}  // namespace plimsoll::collectives
