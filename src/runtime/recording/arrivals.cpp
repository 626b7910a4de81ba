#include "runtime/recording/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::string_view name_of(CollectiveCall call) {
  switch (call) {
    case CollectiveCall::next_phase: return "next_phase";
    case CollectiveCall::balance_at_phase_ends: return "balance_at_phase_ends";
    case CollectiveCall::plan: return "plan";
    case CollectiveCall::moved: return "moved";
    case CollectiveCall::migrate: return "migrate";
    case CollectiveCall::owner: return "owner";
    case CollectiveCall::run_until_quiet: return "run_until_quiet";
    case CollectiveCall::close: return "close";
  }
  return "an unknown function";
}

void Arrivals::merge(const Arrivals& other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

Error Arrivals::mismatch() const {
  return support::usage_error(
      fmt::format("rank {} called {}() in phase {} while rank {} called {}() in phase {}", last.rank,
                  name_of(last.call), last.phase, first.rank, name_of(first.call), first.phase),
      "make the same collective calls in the same order on all ranks; MPI_Finalize calls close() if the "
      "program does not");
}

}  // namespace plimsoll::runtime
