#pragma once

#include <CLI/CLI.hpp>

#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds --bins and --threshold.
void add_bins_option(CLI::App& app, collectives::SummaryOptions& options);

/// Writes the members of a summary (docs/reference/json-output.md) to an open object.
void write_summary(support::JsonWriter& json, const collectives::Summary& summary);

}  // namespace plimsoll::cli
