#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <vector>

#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::cli {

/// --work: three to five numbers, alpha,beta,gamma[,delta[,beta_node]].
void add_work_option(CLI::App& app, std::vector<double>& numbers);

/// The coefficients that the numbers are; none if none are given. Throws Error (usage) for another count.
std::optional<balance::WorkCoefficients> work_coefficients(const std::vector<double>& numbers);

/// Gives a strategy with a work model of its own (its parameters alpha, beta, ...) the same coefficients,
/// where `parameters` has none.
void give_work_parameters(const std::vector<double>& numbers, const balance::StrategyInfo& info,
                          balance::ParameterMap& parameters);

/// Whether tasks' memory is asked for: users who weigh shared blocks have told of it in their files; for
/// others it isn't read.
bool wants_memory(const std::vector<double>& numbers);

}  // namespace plimsoll::cli
