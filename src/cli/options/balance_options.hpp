#pragma once

#include <optional>
#include <string>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/quality.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --load, which selects the member of the tasks' user data that is used as load.
void add_load_option(OptionParser& parser, std::string& field);

/// Returns one line with the load model of the loads shown; empty for measured loads.
std::string load_model_line(const std::string& load_model);
/// Returns one line with the field of the loads shown; empty for recorded loads.
std::string load_field_line(const std::string& field);

/// Adds --param NAME=VALUE, which may be repeated. An invalid or duplicate value is an Error (usage) when the
/// command line is parsed.
void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help);

/// Adds --work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]. Sets `memory` to true if delta is specified, even as 0,
/// because users who specify it have files with shared blocks. Otherwise memory is not read. Negative
/// coefficients, or too few or too many of them, are an Error (usage) when the command line is parsed.
void add_work_option(OptionParser& parser, std::optional<balance::WorkCoefficients>& work, bool& memory);

/// Adds --phase, --load-model, --load-dimension, --position, --ranks-per-node and --work. They select the
/// phase and the parts of its data that strategies use. Without options the request is unchanged.
void add_phase_options(OptionParser& parser, balance::PhaseRequest& request);

}  // namespace plimsoll::cli
