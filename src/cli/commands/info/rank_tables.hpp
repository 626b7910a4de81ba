#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/balance/overview.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Receiver of output, part by part: the output for 10^5 ranks need not be in memory at once.
using TextSink = std::function<void(std::string_view)>;

/// Formats the ranks of a phase for people: all ranks in their order, or the heaviest ones of more than 64
/// ranks.
std::string rank_text(std::int64_t phase, std::span<const balance::RankOverview> ranks,
                      const Terminal& terminal);
/// Draws the loads of all ranks of a phase.
std::string rank_load_chart(std::int64_t phase, std::span<const double> loads_s, const Terminal& terminal);
/// Writes one line per rank below a line with the names of the columns.
void write_rank_csv(std::span<const balance::RankOverview> ranks, const TextSink& sink);

}  // namespace plimsoll::cli
