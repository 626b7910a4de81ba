#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::collectives {

/// A list of calls sorted, to count fast how many of another list are in it.
class CallSet {
 public:
  explicit CallSet(const NumberList& calls);

  /// How many numbers of `calls` are in the set. O(runs of `calls` x log runs of the set).
  std::uint64_t count_common(const NumberList& calls) const;

 private:
  /// Numbers of the set that are at most `number`.
  std::uint64_t count_up_to(std::uint64_t number) const;

  std::vector<NumberList::Run> runs_;  // ascending and apart
  std::vector<std::uint64_t> before_;  // how many numbers the runs before have
};

}  // namespace plimsoll::collectives
