#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/balance/load_model_registry.hpp>

namespace plimsoll::inline v0_1::cli {

/// --load-model: which loads strategies go by. A pipeline that is given, or an Error as of
/// balance::make_load_model(), is put into `pipeline` in full when the command line is parsed.
void add_load_model_option(CLI::App& app, std::string& pipeline);

/// A line that says whose loads are shown; empty if it is those that were measured.
std::string load_model_line(const std::string& load_model);

}  // namespace plimsoll::cli
