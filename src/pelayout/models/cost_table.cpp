#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::pelayout {

std::vector<ComponentModel> make_component_models(const Problem&, ModelKind, std::int64_t) {
  throw support::usage_error("unfinished");
}
bool threads_vary(const Problem&) {
  throw support::usage_error("unfinished");
}
CostTable make_cost_table(const ComponentModel&, const ComponentRule&, std::int64_t, bool) {
  throw support::usage_error("unfinished");
}

}  // namespace plimsoll::pelayout
