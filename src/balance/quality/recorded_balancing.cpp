#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int64_t max_migrations = std::int64_t{1} << 40;  // of a phase, so that the sum fits

template <class Value>
std::optional<Value> member_of(const support::JsonView& object, std::string_view name) {
  const auto value = object.find(name);
  return value ? value->get<Value>() : std::nullopt;
}

std::optional<BalancedPhase> balanced_phase(const support::JsonView& user_defined, std::int64_t phase) {
  const auto strategy = member_of<std::string_view>(user_defined, "lb_name");
  const auto migrations = member_of<std::int64_t>(user_defined, "migration_count");
  if (!strategy || !migrations || *migrations < 0 || *migrations > max_migrations) return std::nullopt;
  return BalancedPhase{.phase = phase,
                       .strategy = std::string(*strategy),
                       .n_migrations = *migrations,
                       .decision_s = member_of<double>(user_defined, "lb_time").value_or(0),
                       .migration_s = member_of<double>(user_defined, "migration_time").value_or(0),
                       .predicted_gain_s = member_of<double>(user_defined, "lb_predicted_gain")};
}

}  // namespace

std::vector<BalancedPhase> balanced_phases(const lbdata::Dataset& dataset,
                                           std::span<const std::int64_t> phases) {
  std::vector<BalancedPhase> balanced;
  if (dataset.ranks.empty()) return balanced;
  support::JsonParser parser("");
  for (const std::int64_t phase : phases) {
    const lbdata::PhaseRecord* record = dataset.ranks.front().find(phase);
    if (record == nullptr || !record->user_defined) continue;
    if (auto found = balanced_phase(parser.parse(*record->user_defined), phase))
      balanced.push_back(*std::move(found));
  }
  return balanced;
}

RecordedBalancing recorded_balancing(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases) {
  RecordedBalancing sum;
  for (const BalancedPhase& phase : balanced_phases(dataset, phases)) {
    if (std::ranges::find(sum.strategies, phase.strategy) == sum.strategies.end())
      sum.strategies.push_back(phase.strategy);
    ++sum.n_phases;
    sum.n_migrations += phase.n_migrations;
    sum.decision_s += phase.decision_s;
    sum.migration_s += phase.migration_s;
  }
  return sum;
}

}  // namespace plimsoll::balance
