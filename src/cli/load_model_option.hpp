#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/balance/load_model_registry.hpp>

namespace plimsoll::cli {

/// --load-model: which loads a strategy goes by.
struct LoadModelOption {
  std::string pipeline = balance::measured_loads;

  /// Throws Error as balance::make_load_model().
  balance::LoadModelPtr make() const { return balance::make_load_model(pipeline); }
};

void add_load_model_option(CLI::App& app, LoadModelOption& option);

}  // namespace plimsoll::cli
