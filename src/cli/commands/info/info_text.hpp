#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the overview for people: phases, loads of the phase that loses the most time, heaviest objects.
/// `with_work`: whether the work was requested. The overview must contain a phase.
std::string overview_text(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview,
                          bool with_work, const Terminal& terminal);
/// Returns the error for an overview without phases: wrong usage if --phases selects them, otherwise invalid
/// input. The data may be in a file or directory that the caller names.
Error no_complete_phases(const std::string& selection, const std::string& path = {});

/// Formats the phases of an LBStatsfile for people: phases, and all statistics of the phase that loses the
/// most time. `phases` must not be empty.
std::string statistics_text(std::span<const lbdata::StatisticsRecord> phases, const Terminal& terminal);

/// Receiver of output, part by part: the output for 10^5 ranks need not be in memory at once.
using TextSink = std::function<void(std::string_view)>;

/// Formats the ranks of a phase for people: all ranks in their order, or the heaviest ones of more than 64
/// ranks.
std::string rank_text(const documents::RankInfo& info, const Terminal& terminal);
std::string rank_load_chart(std::int64_t phase, std::span<const double> loads_s, const Terminal& terminal);
/// Writes one line per rank below a line with the names of the columns.
void write_rank_csv(const documents::RankInfo& info, const TextSink& sink);

}  // namespace plimsoll::cli
