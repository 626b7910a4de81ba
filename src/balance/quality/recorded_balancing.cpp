#include <algorithm>
#include <optional>

#include <plimsoll/balance/recorded_balancing.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::inline v0_1::balance {

namespace {

constexpr std::int64_t max_migrations = std::int64_t{1} << 40;  // of a phase, so that the sum fits

template <class Value>
std::optional<Value> member_of(const support::JsonView& object, std::string_view name) {
  const auto value = object.find(name);
  return value ? value->get<Value>() : std::nullopt;
}

void add_phase(const support::JsonView& user_defined, RecordedBalancing& sum) {
  const auto strategy = member_of<std::string_view>(user_defined, "lb_name");
  const auto migrations = member_of<std::int64_t>(user_defined, "migration_count");
  if (!strategy || !migrations || *migrations < 0 || *migrations > max_migrations) return;
  if (std::ranges::find(sum.strategies, *strategy) == sum.strategies.end())
    sum.strategies.emplace_back(*strategy);
  ++sum.n_phases;
  sum.n_migrations += *migrations;
  sum.decision_s += member_of<double>(user_defined, "lb_time").value_or(0);
  sum.migration_s += member_of<double>(user_defined, "migration_time").value_or(0);
}

}  // namespace

RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases) {
  RecordedBalancing sum;
  if (dataset.ranks.empty()) return sum;
  support::JsonParser parser("");
  for (const std::int64_t phase : phases) {
    const lbdata::PhaseRecord* record = dataset.ranks.front().find(phase);
    if (record != nullptr && record->user_defined) add_phase(parser.parse(*record->user_defined), sum);
  }
  return sum;
}

}  // namespace plimsoll::balance
