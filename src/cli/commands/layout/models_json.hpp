#pragma once

#include <plimsoll/support/json_writer.hpp>

#include "cli/commands/layout/solve_answer.hpp"

namespace plimsoll::cli {

/// The models as a list: their points, their fits, and what is odd about them.
void write_models(support::JsonWriter& json, const SolveAnswer& answer);

}  // namespace plimsoll::cli
