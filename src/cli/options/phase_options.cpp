#include "cli/options/phase_options.hpp"

#include <fmt/format.h>

#include <plimsoll/balance/apply_load_model.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/lbdata/phase_coverage.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/options/integer_option.hpp"
#include "cli/options/load_model_option.hpp"

namespace plimsoll::cli {

namespace {

std::int64_t last_phase(const lbdata::Dataset& dataset) {
  const std::vector<std::int64_t> phases = lbdata::phase_coverage(dataset).complete;
  if (phases.empty()) throw support::bad_input("no phase has data on all ranks");
  return phases.back();
}

}  // namespace

void add_phase_options(CLI::App& app, PhaseOptions& options) {
  add_integer_option(app, "--phase", options.phase, "Phase to balance (the last one with data on all ranks)");
  add_load_model_option(app, options.load_model);
  app.add_option("--load-dimension", options.columns.load_dimensions,
                 "A number in tasks' user_defined that is a further\nload, such as gpu_time; may be repeated")
      ->option_text("FIELD")
      ->allow_extra_args(false);
  app.add_option("--position", options.columns.position_field,
                 "An array of coordinates in tasks' user_defined\n(the objects' indices)")
      ->option_text("FIELD");
  add_integer_option(app, "--ranks-per-node", options.columns.ranks_per_node,
                     "Consecutive ranks that share a node (as the files say)")
      ->check([](const std::string& text) { return text.starts_with("-") ? "a node has ranks" : ""; });
}

void need_columns(PhaseOptions& options, const balance::StrategyInfo& info,
                  const balance::Strategy& strategy) {
  const bool limits_need_memory = balance::Limits(strategy.parameters()).need_memory();
  options.columns.memory = options.columns.memory || info.needs.memory || limits_need_memory;
  options.columns.positions = options.columns.positions || info.needs.positions;
}

balance::DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseOptions& options) {
  balance::DatasetPhase phase =
      balance::load_phase(dataset, options.phase ? *options.phase : last_phase(dataset), options.columns);
  balance::apply_load_model(dataset, phase, *options.load_model);
  return phase;
}

balance::ParameterMap parameter_map(const std::vector<std::string>& given) {
  balance::ParameterMap parameters;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw support::usage_error(fmt::format("--param \"{}\" is no NAME=VALUE", text),
                                 "write it such as --param tolerance=1.05");
    }
    const auto [known, added] = parameters.emplace(text.substr(0, equals), text.substr(equals + 1));
    if (!added) {
      throw support::usage_error(fmt::format("--param {} is given twice", known->first), "give it once");
    }
  }
  return parameters;
}

}  // namespace plimsoll::cli
