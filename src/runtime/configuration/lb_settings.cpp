#include "runtime/configuration/lb_settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::optional<double> parse_at_least_0(std::string_view text) {
  const auto number = support::parse_number<double>(text);
  return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
}

balance::StrategySpec strategy_of(const Settings& settings) {
  balance::StrategySpec strategy = balance::StrategySpec::parse(settings.lb_name);
  for (auto& argument : balance::parse_lb_arguments(settings.lb_args))
    strategy.parameters.push_back(std::move(argument));
  return strategy;
}

void require(bool is_set, const balance::LbSchedule& schedule, std::string_view strategy,
             const char* setting) {
  if (!is_set && schedule.uses(strategy))
    throw support::usage_error(fmt::format("{} requires {}", strategy, setting),
                               fmt::format("set {}", argument_name(setting)));
}

}  // namespace

std::optional<LbCondition> parse_lb_when(const std::string& text) {
  if (text == "pays") return LbCondition{LbCondition::Kind::pays};
  if (text == "always") return LbCondition{LbCondition::Kind::always};
  const auto imbalance = parse_at_least_0(text);
  if (!imbalance) return std::nullopt;
  return LbCondition{LbCondition::Kind::threshold, *imbalance};
}

std::optional<balance::WorkCoefficients> parse_lb_work(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string_view part : support::split(text, ',')) {
    const auto number = parse_at_least_0(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() < 3 || numbers.size() > 5) return std::nullopt;
  balance::WorkCoefficients work{.alpha = numbers[0], .beta = numbers[1], .gamma = numbers[2]};
  if (numbers.size() > 3) work.delta = numbers[3];
  if (numbers.size() > 4) work.beta_node = numbers[4];
  return work;
}

void check_lb_name(const Settings& settings) {
  balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
  balance::StrategySpec strategy = strategy_of(settings);
  if (strategy.name == "NoLB") strategy.parameters.clear();  // vt's files contain arguments even if it is off
  balance::check_lb_strategy(strategy, registry);
}

void require_inputs(const Settings& settings, const balance::LbSchedule& schedule) {
  require(settings.lb_data_in, schedule, balance::offline_lb, "lb_data_in");
  require(settings.lb_self_migration, schedule, balance::test_serialization_lb, "lb_self_migration");
}

balance::LbSchedule make_lb_schedule(const Settings& settings, std::string_view file_text) {
  if (!settings.lb) return {};
  check_lb_name(settings);
  const balance::LbSchedule schedule =
      settings.lb_file_name.empty() ? balance::LbSchedule::single(strategy_of(settings), settings.lb_interval,
                                                                  settings.lb_run_lb_first_phase)
                                    : balance::LbSchedule::parse(file_text, settings.lb_file_name);
  require_inputs(settings, schedule);
  return schedule;
}

}  // namespace plimsoll::runtime
