#include <plimsoll/pelayout/sensitivity.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

Sensitivity analyse(const Planner&, const Solution&, std::int64_t) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
