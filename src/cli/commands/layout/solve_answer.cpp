#include "cli/commands/layout/solve_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace plimsoll::cli {

const pelayout::ComponentModel* SolveAnswer::model(const std::string& component) const {
  const auto found = std::ranges::find(models, component, &pelayout::ComponentModel::component);
  return found == models.end() ? nullptr : &*found;
}

double SolveAnswer::core_hours(const pelayout::Solution& of, std::int64_t tasks) const {
  return pelayout::core_hours(of.time, reserved_processors(of, tasks, counts_threads));
}

std::vector<std::pair<std::string, double>> documented_values(const pelayout::Solution& solution,
                                                              std::int64_t total) {
  std::map<std::string, double> values = {{"COST_TOTAL", solution.time},
                                          {"NTASKS_TOTAL", static_cast<double>(total)}};
  for (const pelayout::Place& place : solution.places) {
    values["COST_" + place.component] = place.cost;
    values["NBLOCKS_" + place.component] = static_cast<double>(place.blocks);
    values["NTASKS_" + place.component] = static_cast<double>(place.tasks);
  }
  return {values.begin(), values.end()};
}

std::string documented_lines(const SolveAnswer& answer) {
  std::string text;
  for (const auto& [key, value] : answer.values)
    text += key.starts_with("N") ? fmt::format("{} = {:.0f}\n", key, value)
                                 : fmt::format("{} = {:f}\n", key, value);
  return text;
}

}  // namespace plimsoll::cli
