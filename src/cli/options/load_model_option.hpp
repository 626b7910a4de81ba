#pragma once

#include <string>

#include <plimsoll/balance/load_model.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --load-model, which selects the loads that strategies use. When the command line is parsed, it writes
/// the complete notation of the pipeline to `pipeline`, or throws the Error of balance::make_load_model().
void add_load_model_option(OptionParser& parser, std::string& pipeline);

/// Adds --load, which selects the member of the tasks' user data that is used as load.
void add_load_option(OptionParser& parser, std::string& field);

/// Returns one line with the load model of the loads shown; empty for measured loads.
std::string load_model_line(const std::string& load_model);
/// Returns one line with the field of the loads shown; empty for recorded loads.
std::string load_field_line(const std::string& field);

}  // namespace plimsoll::cli
