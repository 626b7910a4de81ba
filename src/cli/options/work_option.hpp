#pragma once

#include <CLI/CLI.hpp>

#include <optional>

#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::inline v0_1::cli {

/// --work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]. `memory` becomes true with delta, even 0: users who weigh
/// shared blocks have told of them in their files; for others memory isn't read. Error (usage) for another
/// count of numbers, or a negative one, when the command line is parsed.
void add_work_option(CLI::App& app, std::optional<balance::WorkCoefficients>& work, bool& memory);

}  // namespace plimsoll::cli
