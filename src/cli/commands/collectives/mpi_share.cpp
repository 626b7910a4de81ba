#include <numeric>

#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_percentage;
using support::format_seconds;

// Limits of the tables; --json contains everything.
constexpr std::size_t max_functions = 20;
constexpr std::size_t max_mpi_ranks = 20;
constexpr std::size_t max_names = 4;

// Smaller shares are shown as 0.0 %.
constexpr double min_share_shown = 0.0005;

// As for findings.
constexpr double min_doubtful_share = 0.02;

// A smaller part of the time may be an error of the clocks.
constexpr double min_off_share = 0.01;

std::string seconds_if_known(std::optional<double> time_s) {
  return time_s ? format_seconds(*time_s) : "unknown";
}

/// Returns the number of ranks whose recorded time is less than half of the longest one.
std::size_t partly_recorded_ranks(const MpiSummary& summary) {
  return static_cast<std::size_t>(std::ranges::count_if(summary.ranks, [&](const MpiSummary::Rank& rank) {
    return rank.outside_s && *rank.outside_s + rank.mpi_s < 0.5 * summary.longest_wall_s;
  }));
}

/// Divides the time in MPI into waiting, time of which that is unknown, and the rest.
std::string parts_of_mpi(const MpiSummary& summary) {
  std::vector<std::string> parts;
  const auto add = [&](double time_s, const std::string& kind) {
    parts.push_back(fmt::format("{} ({}) {}", format_seconds(time_s / summary.threads),
                                format_percentage(summary.share_of(time_s)), kind));
  };
  const std::vector<std::string>& names = summary.functions_with_unknown_waits;
  if (summary.waited_s) add(*summary.waited_s, "waiting for other ranks");
  if (summary.unknown_waits_s > 0)
    add(summary.unknown_waits_s,
        fmt::format("in calls of which an unknown part is waiting ({}{})",
                    fmt::join(first(names, max_names), ", "), names.size() > max_names ? ", ..." : ""));
  const double rest_s = summary.mpi_s - summary.waited_s.value_or(0) - summary.unknown_waits_s;
  if (parts.empty() || summary.share_of(rest_s) >= min_share_shown) add(std::max(0.0, rest_s), "in the rest");
  return fmt::format("In MPI: {}.\n", fmt::join(parts, ", "));
}

std::string share_of_mpi(const MpiSummary& summary, const Terminal& terminal) {
  const bool has_threads = summary.threads > static_cast<double>(summary.ranks.size());
  return "MPI takes " + terminal.paint(Colour::bold, format_percentage(summary.mpi_share())) +
         fmt::format(" of the run: {} of {} per {}.\n", format_seconds(summary.mpi_s / summary.threads),
                     format_seconds(summary.thread_s / summary.threads),
                     has_threads ? "thread that calls MPI" : "rank") +
         parts_of_mpi(summary);
}

std::string unknown_transfer(const MpiSummary& summary) {
  if (summary.transfer_unknown.empty()) return "";
  return fmt::format("Serialisation and transfer are unknown: {}.\n", summary.transfer_unknown);
}

/// Warns if the clocks of the hosts differ so much that the waiting is doubtful.
std::string doubtful_waits(const MpiSummary& summary) {
  const double error_s = summary.waits_error_s.value_or(0);
  if (summary.share_of(error_s) < min_doubtful_share) return "";
  return fmt::format(
      "Clocks of hosts differ: times on different hosts are comparable within {} only, and the waiting may "
      "be "
      "{} ({}) more or less.\n",
      format_seconds(summary.clock_error_s.value_or(0)), format_seconds(error_s / summary.threads),
      format_percentage(summary.share_of(error_s)));
}

std::string unknown_times(const MpiSummary& summary) {
  std::string text;
  if (summary.unrecorded_ranks > 0)
    text = fmt::format("On {}, nothing was recorded, so the efficiencies are unknown.\n",
                       count(summary.unrecorded_ranks, "rank"));
  const std::size_t partly = partly_recorded_ranks(summary);
  if (!summary.efficiencies && partly > 0 && text.empty())
    text = fmt::format(
        "On {}, less than half of the run was recorded (a pause, or an early end), so the "
        "efficiencies are unknown.\n",
        count(partly, "rank"));
  if (summary.ranks_with_unknown_threads == 0) return text;
  return text +
         fmt::format(
             "On {}, several threads call MPI, whose number is unknown: so are the time outside MPI and the "
             "efficiencies.\n",
             count(summary.ranks_with_unknown_threads, "rank"));
}

std::string balance_outside(const MpiSummary& summary, const Terminal& terminal) {
  const TimeBalance& outside = summary.outside;
  if (outside.sum_s == 0) return "";
  return "Outside MPI: imbalance " + terminal.paint(Colour::bold, imbalance_text(outside.imbalance())) +
         fmt::format(" (max {} on rank {}, min {} on rank {}, mean {}).\n", format_seconds(outside.max_s),
                     outside.max_rank, format_seconds(outside.min_s), outside.min_rank,
                     format_seconds(outside.mean_s));
}

std::string time_on_processors(const MpiSummary& summary) {
  const double off_share = summary.processors.off_share();
  if (off_share < min_off_share) return "";
  return fmt::format("Of the time outside MPI, ranks were on a processor at most {}.\n",
                     format_percentage(1 - off_share));
}

std::string speed_of_cores(const MpiSummary& summary) {
  if (!summary.cores) return "";
  return fmt::format("Cores, in user mode and also in MPI: {:.2f} instructions per cycle at {:.2f} GHz.\n",
                     summary.cores->per_cycle, 1e-9 * summary.cores->frequency_hz);
}

std::string point_to_point(const MpiSummary& summary) {
  const MpiSummary::PointToPoint& traffic = summary.point_to_point;
  if (traffic.messages == 0) return "";
  std::string text =
      fmt::format("Point-to-point: {} in {}", bytes_text(traffic.bytes), count(traffic.messages, "message"));
  if (summary.nodes > 1)
    text += fmt::format(", {} ({}) between {}", bytes_text(traffic.between_nodes_bytes),
                        percentage(traffic.between_nodes_bytes, traffic.bytes), count(summary.nodes, "node"));
  return text + ".\n";
}

std::string function_table(const MpiSummary& summary) {
  const auto purpose = [](const auto& function) { return to_string(purpose_of(function.name)); };
  return "\nMPI functions\n" +
         table_of<MpiSummary::Function>(
             first(summary.functions, max_functions),
             {{"function", Align::left, [](const auto& function) { return function.name; }},
              {"purpose", Align::left, purpose},
              {"calls", Align::right, [](const auto& function) { return count(function.calls); }},
              {"time", Align::right,
               [](const auto& function) { return format_seconds(function.time.sum_s); }},
              {"of run", Align::right,
               [](const auto& function) { return format_percentage(function.share); }},
              {"ranks", Align::right, [](const auto& function) { return count(function.ranks); }},
              {"imbalance", Align::right,
               [](const auto& function) { return imbalance_text(function.time.imbalance()); }},
              {"slowest", Align::right,
               [](const auto& function) { return fmt::format("rank {}", function.time.max_rank); }}}) +
         more(max_functions, summary.functions.size());
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
  const std::vector<std::size_t> ranks = busiest_ranks(summary);
  const auto of_summary = [&](const auto& cell) {
    return [&summary, cell](std::size_t rank) { return cell(summary.ranks[rank]); };
  };
  const auto of_calls = [&](const auto& cell) {
    return [&calls, cell](std::size_t rank) { return cell(calls.ranks[rank]); };
  };
  const bool has_cpu_times = std::ranges::any_of(calls.ranks, [](const auto& rank) { return !!rank.user_s; });
  const bool has_threads = summary.threads > static_cast<double>(ranks.size());
  const bool all = ranks.size() == summary.ranks.size();
  return (all ? "\nTimes of ranks\n" : "\nRanks with the most time outside MPI\n") +
         table_of<std::size_t>(
             ranks, {{"rank", Align::right, [](std::size_t rank) { return std::to_string(rank); }},
                     {"host", Align::left, of_calls([](const auto& rank) { return rank.host; })},
                     {"wall time", Align::right,
                      of_calls([](const auto& rank) { return format_seconds(rank.wall_s); })},
                     {"threads", Align::right, of_calls([](const auto& rank) {
                        return rank.threads ? count(*rank.threads) : "unknown";
                      }),
                      has_threads},
                     {"outside MPI", Align::right,
                      of_summary([](const auto& rank) { return seconds_if_known(rank.outside_s); })},
                     {"in MPI", Align::right,
                      of_summary([](const auto& rank) { return format_seconds(rank.mpi_s); })},
                     {"of run", Align::right,
                      [&](std::size_t rank) {
                        return percentage(summary.ranks[rank].mpi_s, calls.ranks[rank].wall_s);
                      }},
                     {summary.unknown_waits_s > 0 ? "waited at least" : "waited", Align::right,
                      of_summary([](const auto& rank) { return seconds_if_known(rank.waited_s); }),
                      summary.waited_s.has_value()},
                     {"CPU time", Align::right, of_calls([](const auto& rank) {
                        return rank.user_s && rank.system_s ? format_seconds(*rank.user_s + *rank.system_s)
                                                            : "unknown";
                      }),
                      has_cpu_times}});
}

}  // namespace

std::string efficiency_table(const std::optional<Efficiencies>& efficiencies) {
  if (!efficiencies) return "";
  return table_of<Factor>(
      factors(*efficiencies),
      {{"factor", Align::left,
        [](const auto& factor) {
          return std::string(2 * static_cast<std::size_t>(factor.depth), ' ') + factor.name;
        }},
       {"value", Align::right, [](const auto& factor) { return factor_text(factor.value); }},
       {"1 means", Align::left, [](const auto& factor) { return factor.meaning; }}});
}

std::string mpi_share_text(const MpiSummary& summary, const Terminal& terminal) {
  if (!summary.efficiencies && summary.functions.empty()) return unknown_times(summary);  // unknown calls
  const std::string table = efficiency_table(summary.efficiencies);
  return table + (table.empty() ? "" : "\n") + share_of_mpi(summary, terminal) + unknown_transfer(summary) +
         doubtful_waits(summary) + unknown_times(summary) + balance_outside(summary, terminal) +
         time_on_processors(summary) + speed_of_cores(summary) + point_to_point(summary);
}

std::string mpi_share_tables(const MpiCalls& calls, const MpiSummary& summary) {
  return function_table(summary) + mpi_rank_table(calls, summary);
}

}  // namespace plimsoll::cli
