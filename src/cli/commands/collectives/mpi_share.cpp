#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/collectives/summary_text.hpp"
#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::MpiCalls;
using collectives::MpiSummary;
using support::format_percentage;
using support::format_seconds;
using Align = support::TextTable::Align;

// Limits of the tables; --json contains everything.
constexpr std::size_t max_functions = 20;
constexpr std::size_t max_mpi_ranks = 20;

std::string share_of_mpi(const MpiSummary& summary, const Terminal& terminal) {
  const auto ranks = static_cast<double>(summary.ranks.size());
  std::string text = "MPI takes " + terminal.paint(Colour::bold, format_percentage(summary.mpi_share())) +
                     fmt::format(" of the run: {} of {} per rank", format_seconds(summary.mpi_s / ranks),
                                 format_seconds(summary.wall_s / ranks));
  if (summary.waited_s > 0)
    text += fmt::format(", up to {} ({}) of it waiting for other ranks",
                        format_seconds(summary.waited_s / ranks), format_percentage(summary.waited_share()));
  return text + ".\n";
}

std::string time_of_threads(const MpiSummary& summary) {
  if (summary.ranks_beyond_wall_time == 0) return "";
  return fmt::format(
      "Several threads call MPI, and their times are added: on {}, the time in MPI exceeds the wall time, "
      "and "
      "the time outside MPI is unknown.\n",
      count(summary.ranks_beyond_wall_time, "rank"));
}

std::string balance_outside(const MpiSummary& summary, const Terminal& terminal) {
  const collectives::TimeBalance& outside = summary.outside;
  if (summary.ranks_beyond_wall_time == summary.ranks.size()) return "";
  return "Outside MPI: imbalance " + terminal.paint(Colour::bold, imbalance_text(outside.imbalance())) +
         fmt::format(" (max {} on rank {}, min {} on rank {}, mean {}).\n", format_seconds(outside.max_s),
                     outside.max_rank, format_seconds(outside.min_s), outside.min_rank,
                     format_seconds(outside.mean_s));
}

std::string uneven_calls(const MpiSummary& summary) {
  if (summary.uneven_calls_share() < collectives::relevant_share) return "";
  return fmt::format(
      "Call by call: in collectives, ranks wait up to {} ({} of the run) on average more than these totals "
      "explain, because other ranks are late in each call.\n",
      format_seconds(summary.uneven_calls_s / static_cast<double>(summary.ranks.size())),
      format_percentage(summary.uneven_calls_share()));
}

std::string point_to_point(const MpiSummary& summary) {
  const MpiSummary::PointToPoint& traffic = summary.point_to_point;
  if (traffic.messages == 0) return "";
  std::string text =
      fmt::format("Point-to-point: {} in {}", bytes_text(traffic.bytes), count(traffic.messages, "message"));
  if (summary.nodes > 1)
    text += fmt::format(", {} ({}) between {}", bytes_text(traffic.between_nodes_bytes),
                        format_percentage(share(traffic.between_nodes_bytes, traffic.bytes)),
                        count(summary.nodes, "node"));
  return text + ".\n";
}

std::string function_table(const MpiSummary& summary) {
  support::TextTable table({{"function"},
                            {"purpose"},
                            {"calls", Align::right},
                            {"time", Align::right},
                            {"of run", Align::right},
                            {"ranks", Align::right},
                            {"imbalance", Align::right},
                            {"slowest", Align::right}});
  const std::size_t shown = std::min(summary.functions.size(), max_functions);
  for (std::size_t k = 0; k < shown; ++k) {
    const MpiSummary::Function& function = summary.functions[k];
    table.add_row({function.name, to_string(collectives::purpose_of(function.name)), count(function.calls),
                   format_seconds(function.time.sum_s), format_percentage(function.share),
                   count(function.ranks), imbalance_text(function.time.imbalance()),
                   fmt::format("rank {}", function.time.max_rank)});
  }
  return "\nMPI functions\n" + table.to_string() + more(shown, summary.functions.size());
}

std::string seconds_if_known(std::optional<double> time_s) {
  return time_s ? format_seconds(*time_s) : "unknown";
}

/// Selects all ranks of a small run, or those with the most time outside MPI.
std::vector<std::size_t> busiest_ranks(const MpiSummary& summary) {
  std::vector<std::size_t> ranks(summary.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (ranks.size() <= max_mpi_ranks) return ranks;
  std::ranges::stable_sort(ranks, std::greater(),
                           [&](std::size_t rank) { return summary.ranks[rank].outside_s; });
  ranks.resize(max_mpi_ranks);
  return ranks;
}

std::string mpi_rank_table(const MpiCalls& calls, const MpiSummary& summary) {
  support::TextTable table({{"rank", Align::right},
                            {"host"},
                            {"wall time", Align::right},
                            {"outside MPI", Align::right},
                            {"in MPI", Align::right},
                            {"of run", Align::right},
                            {"waited <=", Align::right}});
  const std::vector<std::size_t> ranks = busiest_ranks(summary);
  for (const std::size_t rank : ranks) {
    const MpiCalls::Rank& times = calls.ranks[rank];
    table.add_row({std::to_string(rank), times.host, format_seconds(times.wall_s),
                   seconds_if_known(summary.ranks[rank].outside_s), format_seconds(times.mpi_s),
                   format_percentage(share(times.mpi_s, times.wall_s)),
                   seconds_if_known(summary.ranks[rank].waited_s)});
  }
  const bool all = ranks.size() == summary.ranks.size();
  return (all ? "\nTimes of ranks\n" : "\nRanks with the most time outside MPI\n") + table.to_string();
}

}  // namespace

std::string mpi_share_text(const MpiSummary& summary, const Terminal& terminal) {
  return share_of_mpi(summary, terminal) + time_of_threads(summary) + balance_outside(summary, terminal) +
         uneven_calls(summary) + point_to_point(summary);
}

std::string mpi_share_tables(const MpiCalls& calls, const MpiSummary& summary) {
  return function_table(summary) + mpi_rank_table(calls, summary);
}

}  // namespace plimsoll::cli
