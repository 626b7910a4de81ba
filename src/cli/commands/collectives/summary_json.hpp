#pragma once

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --bins and --threshold.
void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options);

/// Writes the members of a summary (docs/reference/json-output.md) to an open object.
void write_summary(support::JsonWriter& json, const collectives::Summary& summary);

}  // namespace plimsoll::cli
