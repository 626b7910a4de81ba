#pragma once

#include <string>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Maximum number of runs that lists of calls contain as the collective profiler writes them, with about ten
/// characters per run. Longer lists are abbreviated (NumberList::to_short_string()).
inline constexpr std::uint64_t max_listed_runs = 1'000'000;

/// Returns whether the lists of calls of all signatures together are long.
inline bool has_long_lists(const std::vector<Signature>& signatures) {
  std::uint64_t runs = 0;
  for (const Signature& signature : signatures) runs += signature.calls.run_count();
  return runs > max_listed_runs;
}

/// Returns the text of a list of calls, abbreviated if it is long.
inline std::string list_of_calls(const NumberList& calls) {
  return calls.run_count() > max_listed_runs ? calls.to_short_string() : calls.to_string();
}

}  // namespace plimsoll::collectives
