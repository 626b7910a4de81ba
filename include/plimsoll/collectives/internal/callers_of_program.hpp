#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/code_places.hpp>
#include <plimsoll/collectives/internal/rank_calls.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The callers of MPI calls, summed up over ranks by lines of the source code.
class CallersOfProgram {
 public:
  /// Adds the calls from one stack of a rank.
  void add(const CallsOfStack& calls, const RankCalls& rank, CodePlaces& places);
  /// Returns those of the calls of a function at a place, the longest time first: at most
  /// MpiCalls::max_stacks.
  std::vector<MpiCalls::Stack> of(const std::string& function, CodePlaces::Number place,
                                  const CodePlaces& places) const;

 private:
  using Stacks = std::map<std::vector<CodePlaces::Number>, CallerSums>;
  /// Omits outer callers until at most MpiCalls::max_stacks differ, if one caller suffices for that.
  static Stacks few_stacks(Stacks stacks);

  std::map<std::pair<std::string, CodePlaces::Number>, Stacks> stacks_;
};

}  // namespace plimsoll::collectives
