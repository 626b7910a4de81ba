#pragma once

#include <plimsoll/balance/decision.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --phase, --load-model, --load-dimension, --position, --ranks-per-node and --work. They select the
/// phase and the parts of its data that strategies use. Without options the request is unchanged.
void add_phase_options(OptionParser& parser, balance::PhaseRequest& request);

}  // namespace plimsoll::cli
