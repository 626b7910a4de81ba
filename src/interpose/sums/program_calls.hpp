#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>

#include "interpose/sums/rank_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Compares the times of ranks in the same calls.
class CallComparison {
 public:
  /// Time of a rank.
  struct RankTime {
    std::uint32_t rank = 0;
    double beyond_fastest_s = 0;
  };

  void add_rank(std::uint32_t rank, const SiteSums& calls);
  /// Estimates the time of each rank beyond the time of the fastest rank in each call; nothing if the ranks
  /// made different numbers of calls.
  std::optional<std::vector<RankTime>> beyond_fastest() const;

 private:
  struct Times {
    std::uint32_t rank = 0;
    std::uint64_t all_ns = 0;
    std::uint64_t sampled_ns = 0;
  };
  std::uint64_t calls_ = 0;  ///< of each rank
  bool comparable_ = true;
  std::vector<std::uint64_t> least_ns_;  ///< time of the fastest rank in each sampled call
  std::vector<Times> ranks_;
};

/// The calls of a program, summed up rank by rank.
class ProgramCalls {
 public:
  explicit ProgramCalls(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  /// Adds the calls of the next rank, in the order of the ranks in MPI_COMM_WORLD.
  void add_rank(const RankCalls& calls);
  /// Returns the sums, with names of the call sites.
  collectives::MpiCalls sums() const;

 private:
  struct Place {
    Function function;
    std::string module;
    std::uint64_t offset;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// Sums over the ranks that called a function from one place, without its name.
  struct Site {
    SiteSums sums;
    std::optional<CallComparison> comparison;  ///< of blocking collectives
    collectives::MpiCalls::Site by_rank;       ///< numbers of ranks, and the times of the slowest and fastest
  };

  std::size_t ranks_;
  collectives::MpiCalls calls_;
  std::map<std::string, collectives::MpiCalls::Function> functions_;
  std::map<Place, Site> sites_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MessageSums> traffic_;  ///< by sender and receiver
};

}  // namespace plimsoll::interpose
