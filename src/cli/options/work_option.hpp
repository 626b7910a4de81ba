#pragma once

#include <optional>

#include <plimsoll/balance/quality.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]. Sets `memory` to true if delta is specified, even as 0,
/// because users who specify it have files with shared blocks. Otherwise memory is not read. Negative
/// coefficients, or too few or too many of them, are an Error (usage) when the command line is parsed.
void add_work_option(OptionParser& parser, std::optional<balance::WorkCoefficients>& work, bool& memory);

}  // namespace plimsoll::cli
