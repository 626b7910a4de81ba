#pragma once

#include <plimsoll/balance/parameters.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --param NAME=VALUE, which may be repeated. An invalid or duplicate value is an Error (usage) when the
/// command line is parsed.
void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help);

}  // namespace plimsoll::cli
