#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::inline v0_1::cli {

using ParameterFilter = std::function<bool(const balance::ParameterSpec&)>;

/// "seed=1 tolerance=1.02": those with their defaults for which `is_shown`.
std::string parameter_list(
    const std::vector<balance::ParameterSpec>& parameters,
    const ParameterFilter& is_shown = [](const balance::ParameterSpec&) { return true; });

/// A table of what each is, with the names that users of other systems know.
std::string parameter_table(const std::vector<balance::ParameterSpec>& parameters);

/// The list that docs/json.md has as `parameters`.
void write_parameters(support::JsonWriter& json, const std::vector<balance::ParameterSpec>& parameters);

}  // namespace plimsoll::cli
