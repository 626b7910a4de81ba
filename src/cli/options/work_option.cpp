#include "cli/options/work_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/error.hpp>

namespace plimsoll::cli {

void add_work_option(CLI::App& app, std::vector<double>& numbers) {
  app.add_option(
         "--work", numbers,
         "Weigh work = alpha x load + beta x max(sent, received)\n+ gamma + delta x bytes of shared blocks "
         "away from home,\nin seconds; beta_node is for bytes within a node; with\ndelta (even 0) memory is "
         "shown too")
      ->option_text("ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

std::optional<balance::WorkCoefficients> work_coefficients(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  if (numbers.size() < 3 || numbers.size() > 5) {
    throw support::usage_error(fmt::format("--work has {} numbers", numbers.size()),
                               "give three to five: alpha,beta,gamma,delta,beta_node, e.g. 1,1e-8,0");
  }
  for (const double number : numbers)
    if (!(std::isfinite(number) && number >= 0))
      throw support::usage_error(fmt::format("--work has the coefficient {}", number), "give 0 or more");
  balance::WorkCoefficients work{.alpha = numbers[0], .beta = numbers[1], .gamma = numbers[2]};
  if (numbers.size() > 3) work.delta = numbers[3];
  if (numbers.size() > 4) work.beta_node = numbers[4];
  return work;
}

void give_work_parameters(const std::vector<double>& numbers, const balance::StrategyInfo& info,
                          balance::ParameterMap& parameters) {
  constexpr const char* names[] = {"alpha", "beta", "gamma", "delta", "beta_node"};
  for (std::size_t k = 0; k < std::min(numbers.size(), std::size(names)); ++k)
    if (std::ranges::count(info.parameters, names[k], &balance::ParameterSpec::name) > 0)
      parameters.emplace(names[k], fmt::format("{}", numbers[k]));
}

bool wants_memory(const std::vector<double>& numbers) {
  return numbers.size() > 3;
}

}  // namespace plimsoll::cli
