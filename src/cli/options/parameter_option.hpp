#pragma once

#include <CLI/CLI.hpp>

#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --param NAME=VALUE, which may be repeated. An invalid or duplicate value is an Error (usage) when the
/// command line is parsed.
void add_parameter_option(CLI::App& app, balance::ParameterMap& parameters, const char* help);

}  // namespace plimsoll::cli
