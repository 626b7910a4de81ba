#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/balance/load_model_registry.hpp>

namespace plimsoll::cli {

/// --load-model: which loads strategies go by. `model` becomes that of the measured loads at once, and the
/// one given, or an Error as of balance::make_load_model(), when the command line is parsed.
void add_load_model_option(CLI::App& app, balance::LoadModelPtr& model);

/// A line that says whose loads are shown; empty if it is those that were measured.
std::string load_model_line(const std::string& load_model);

}  // namespace plimsoll::cli
