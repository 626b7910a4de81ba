#include <plimsoll/pelayout/external_solver.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

ExternalAnswer run_external_solver(const std::string&, const Problem&, const std::vector<ComponentModel>&,
                                   std::int64_t, double) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
