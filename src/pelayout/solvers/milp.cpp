#include <plimsoll/pelayout/milp.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

bool has_milp() {
  return false;
}
Solution solve_milp(const LayoutProblem&) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
