#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : fmt::format("{}/{}", folder, name);
}

/// Replaces the first `placeholder`; returns whether it was found.
bool replace_first(std::string& text, std::string_view placeholder, std::string_view replacement) {
  const std::size_t position = text.find(placeholder);
  if (position == std::string::npos) return false;
  text.replace(position, placeholder.size(), replacement);
  return true;
}

/// Inserts `-number` before the suffix (`.json`, `.json.br`), unless the number is 1.
void insert_number(std::string& name, int number) {
  if (number == 1) return;
  const std::size_t end = name.ends_with(".br") ? name.size() - 3 : name.size();
  const std::size_t dot = end == 0 ? std::string::npos : name.rfind('.', end - 1);
  name.insert(dot == std::string::npos || dot == 0 ? end : dot, fmt::format("-{}", number));
}

void add_compressed_suffix(std::string& name) {
  if (!name.ends_with(".br")) name += ".br";
}

std::string data_file_name(const Settings& settings) {
  std::string name = settings.lb_data_file;
  if (name.find("%p") == std::string::npos) name += "%p";
  if (settings.lb_data_compress) add_compressed_suffix(name);
  return name;
}

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

std::string data_file_pattern(const Settings& settings) {
  return path_in(settings.lb_data_dir, data_file_name(settings));
}

std::string data_file_path(const Settings& settings, int rank) {
  std::string name = data_file_name(settings);
  replace_first(name, "%p", std::to_string(rank));
  return path_in(settings.lb_data_dir, name);
}

std::string input_file_path(const Settings& settings, int rank) {
  std::string name = settings.lb_data_file_in;
  const std::string digits = std::to_string(rank);
  if (!replace_first(name, "%p", digits)) name += digits;
  return path_in(settings.lb_data_dir_in, name);
}

std::string statistics_file_path(const Settings& settings, std::string_view local_time, int number) {
  std::string name = settings.lb_statistics_file;
  replace_first(name, "%t", local_time);
  insert_number(name, number);
  if (settings.lb_statistics_compress) add_compressed_suffix(name);
  return path_in(settings.lb_statistics_dir, name);
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
