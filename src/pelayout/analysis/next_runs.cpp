#include <plimsoll/pelayout/next_runs.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

NextRuns next_runs(const Planner&, const Solution&, std::int64_t, std::size_t) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
