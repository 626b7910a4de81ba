#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

using ParameterFilter = std::function<bool(const balance::ParameterSpec&)>;

/// Formats parameters with their defaults, if `is_shown` returns true for them: "seed=1 tolerance=1.02".
std::string parameter_list(
    const std::vector<balance::ParameterSpec>& parameters,
    const ParameterFilter& is_shown = [](const balance::ParameterSpec&) { return true; });

/// Writes the list `parameters` as described in docs/reference/json-output.md.
void write_parameters(support::JsonWriter& json, const std::vector<balance::ParameterSpec>& parameters);

}  // namespace plimsoll::cli
