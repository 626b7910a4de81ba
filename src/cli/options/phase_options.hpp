#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/strategy_registry.hpp>

namespace plimsoll::cli {

/// Which phase strategies are run on, and what they see of it.
struct PhaseOptions {
  std::optional<std::int64_t> phase;  ///< the last one with data on all ranks unless given
  balance::PhaseColumns columns;
  balance::LoadModelPtr load_model;  ///< whose loads they see; set by add_phase_options()
};

/// --phase, --load-model, --load-dimension, --position, --ranks-per-node.
void add_phase_options(CLI::App& app, PhaseOptions& options);

/// Adds what a strategy needs to see to what users asked for.
void need_columns(PhaseOptions& options, const balance::StrategyInfo& info,
                  const balance::Strategy& strategy);

/// Takes the phase from the data set, with the loads of the load model. Throws as balance::load_phase() and
/// apply_load_model(), and Error (bad_input) if no phase is complete.
balance::DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseOptions& options);

/// Parameters given as NAME=VALUE. Throws Error (usage) for what is written otherwise, or twice.
balance::ParameterMap parameter_map(const std::vector<std::string>& given);

}  // namespace plimsoll::cli
