#include <plimsoll/pelayout/sweep.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

std::vector<std::int64_t> parse_totals(std::string_view) {
  throw support::usage_error("unfinished");
}
Sweep sweep(const Planner&, const std::vector<std::int64_t>&) {
  throw support::usage_error("unfinished");
}
Objective parse_objective(std::string_view) {
  throw support::usage_error("unfinished");
}
std::optional<std::size_t> best(const Sweep&, const Objective&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
