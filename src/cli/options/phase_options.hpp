#pragma once

#include <CLI/CLI.hpp>

#include <plimsoll/balance/phase_request.hpp>

namespace plimsoll::inline v0_1::cli {

/// --phase, --load-model, --load-dimension, --position, --ranks-per-node, --work: which phase strategies are
/// run on, and what they see of it. Without options the request is as it was.
void add_phase_options(CLI::App& app, balance::PhaseRequest& request);

}  // namespace plimsoll::cli
