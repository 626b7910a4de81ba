#include <fmt/ranges.h>

#include <map>
#include <numeric>

#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/drawing/chart.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_bytes;
using support::format_percentage;
using support::format_seconds;

struct SummaryCommandOptions {
  ProfileInput input;
  SummaryOptions summary;
  bool json = false;
  bool ascii = false;
};

constexpr const char* summary_examples =
    R"(  plimsoll collectives summary                        the profile in this directory
  plimsoll collectives summary run1 --operation Alltoallv
  plimsoll collectives summary run1 --bins 64,1024,65536 --threshold 1024
  plimsoll collectives summary run1 --json | jq .sent.imbalance)";

std::string on_ranks(const Summary& summary) {
  if (summary.world_size == 0) return "";
  const auto active = std::ranges::count_if(summary.ranks, [](const auto& rank) { return rank.calls > 0; });
  const bool all = summary.unplaced_calls > 0 || active == summary.world_size;
  return fmt::format(" on {}{}", all ? "" : count(active) + " of ", count(summary.world_size, "rank"));
}

std::string what_moved(const Summary& summary) {
  if (summary.calls == 0) return "This profile does not contain counts.\n";
  const auto calls_of = [](const auto& sums) {
    return fmt::format("{} {}", count(sums.calls), sums.operation.name());
  };
  std::string text =
      summary.operations.size() == 1
          ? fmt::format("{} of {}", count(summary.calls, "call"), summary.operations[0].operation.name())
          : fmt::format("{} ({})", count(summary.calls, "call"), joined(summary.operations, ", ", calls_of));
  text += on_ranks(summary);
  const auto& messages = summary.sent.message_bytes;
  text += fmt::format(" sent {} in {}", format_bytes(summary.sent.bytes()),
                      count(messages.nonzero.values, "message"));
  return text +
         (messages.zeros() > 0 ? fmt::format(" and {} zero-byte ones.\n", count(messages.zeros())) : ".\n");
}

std::string how_evenly(const Summary& summary, const char* verb, std::uint64_t RankSummary::*bytes,
                       const Terminal& terminal) {
  const TrafficBalance balance = balance_of(summary, bytes);
  if (balance.ranks == 0) return "";
  std::string text = fmt::format("Bytes {}: imbalance ", verb) +
                     terminal.paint(Colour::bold, imbalance_text(balance.imbalance()));
  if (balance.max == balance.min)
    return text +
           fmt::format(" ({} on each of {}).\n", format_bytes(balance.max), count(balance.ranks, "rank"));
  return text + fmt::format(" (max {1} on rank {0}, min {3} on rank {2}, mean {4}).\n", balance.max_rank,
                            format_bytes(balance.max), balance.min_rank, format_bytes(balance.min),
                            bytes_text(balance.mean()));
}

std::string how_evenly_per_call(const char* verb, const CallImbalance& imbalance) {
  if (imbalance.calls == 0) return "";
  std::string text =
      fmt::format("Bytes {} per call: mean imbalance {}", verb, imbalance_text(imbalance.mean));
  if (imbalance.max > 0)
    text += fmt::format(", maximum {} in call {}:{} of {}", imbalance_text(imbalance.max), imbalance.lead,
                        imbalance.call, imbalance.operation.name());
  return text + ".\n";
}

std::string time_in_calls(const Summary& summary) {
  if (summary.timed_calls == 0) return "";
  return fmt::format("Time in {}: {} summed over all ranks, at most {} per rank and call.\n",
                     count(summary.timed_calls, "call"), format_seconds(summary.time_s),
                     format_seconds(summary.max_time_s));
}

std::string what_waiting_cost(const Summary& summary) {
  const bool only_between_groups =
      !summary.communicators.empty() &&
      std::ranges::all_of(summary.communicators, [](const auto& one) { return one.remote_size > 0; });
  if (summary.arrival_calls == 0)
    return fmt::format("Wait time in these calls: unknown, because {}.\n",
                       only_between_groups ? "ranks of inter-communicators wait for those of the other group"
                                           : "arrivals were not recorded");
  std::string text = fmt::format("Time waiting for the last rank: {} in {}", format_seconds(summary.waited_s),
                                 count(summary.arrival_calls, "call"));
  const std::vector<std::uint32_t> late = late_ranks(summary);
  for (std::size_t k = 0; k < std::min<std::size_t>(late.size(), 3); ++k)
    text += fmt::format("{} rank {} ({})", k == 0 ? ", because of" : ",", late[k],
                        format_percentage(summary.ranks[late[k]].made_wait_s / summary.waited_s));
  if (summary.clock_error_s) text += fmt::format("; clock error {}", format_seconds(*summary.clock_error_s));
  return text + ".\n";
}

std::string what_is_missing(const Summary& summary) {
  std::string text;
  if (!summary.cut_short.empty())
    text += fmt::format("Incomplete: the logs of {} {} end before MPI_Finalize or are missing.\n",
                        summary.cut_short.size() == 1 ? "rank" : "ranks", summary.cut_short.to_string());
  if (summary.incomplete_calls > 0)
    text += fmt::format("Skipped: {} not recorded by all of their ranks.\n",
                        count(summary.incomplete_calls, "call"));
  for (const FailedCalls& failed : summary.failed_calls)
    text += fmt::format("Failed: {} of {} on {} {}, excluded from all other values.\n",
                        count(failed.calls, "call"), failed.operation.name(),
                        failed.ranks.size() == 1 ? "rank" : "ranks", failed.ranks.to_string());
  if (summary.unplaced_calls > 0)
    text += fmt::format("Excluded from per-rank values: {} whose ranks are unknown.\n",
                        count(summary.unplaced_calls, "call"));
  return text;
}

std::string consistency(const Summary& summary, const Terminal& terminal) {
  if (summary.calls == 0) return "";
  if (summary.inconsistencies.empty()) return "Send and receive sizes match in all calls.\n";
  const std::uint64_t calls =
      std::accumulate(summary.inconsistencies.begin(), summary.inconsistencies.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& wrong) { return sum + wrong.calls; });
  return terminal.paint(Colour::red, "Inconsistent") +
         fmt::format(": in {}, sent and received bytes differ.\n", count(calls, "call"));
}

std::string text(const Summary& summary, const Terminal& terminal) {
  return what_moved(summary) + how_evenly(summary, "sent", &RankSummary::bytes_sent, terminal) +
         how_evenly_per_call("sent", summary.sent.call_imbalance) +
         how_evenly(summary, "received", &RankSummary::bytes_received, terminal) +
         how_evenly_per_call("received", summary.received.call_imbalance) + time_in_calls(summary) +
         what_waiting_cost(summary) + consistency(summary, terminal) + what_is_missing(summary) +
         summary_tables(summary);
}

struct RankTimes {
  std::string title;
  std::vector<double> time_s;
};

/// Returns the times of the ranks of the communicator with most time: the ranks of MPI_COMM_WORLD are
/// unknown.
RankTimes times_in_communicator(const Profile& profile) {
  std::map<std::pair<const Lead*, std::uint32_t>, std::vector<double>> sums;
  for (const Lead& lead : profile.leads)
    for (const RankValues& values : lead.execution_s) {
      std::vector<double>& time_s = sums[{&lead, values.communicator}];
      time_s.resize(values.comm_size);
      for (std::size_t k = 0; (k + 1) * values.comm_size <= values.values.size(); ++k)
        for (std::uint32_t rank = 0; rank < values.comm_size; ++rank)
          if (const double value = values.of_call(k)[rank]; value > 0) time_s[rank] += value;
    }
  RankTimes most;
  double most_s = 0;
  for (const auto& [communicator, time_s] : sums) {
    const double sum_s = std::accumulate(time_s.begin(), time_s.end(), 0.0);
    if (sum_s <= most_s) continue;
    most_s = sum_s;
    most = {fmt::format("Time in collectives over ranks of communicator {}", communicator.second), time_s};
  }
  return most;
}

RankTimes times_of_ranks(const Profile& profile, const Summary& summary) {
  if (std::ranges::none_of(summary.ranks, [](const RankSummary& rank) { return rank.time_s > 0; }))
    return times_in_communicator(profile);
  RankTimes times{.title = "Time in collectives over ranks", .time_s = {}};
  for (const RankSummary& rank : summary.ranks) times.time_s.push_back(rank.time_s);
  return times;
}

struct Answer : documents::RunSummary {
  RankTimes times;
};

Answer find_answer(const SummaryCommandOptions& options, Terminal& terminal) {
  const RecordedRun run(read_profile(options.input, terminal), find_mpi_calls(options.input.paths));
  Answer answer;
  answer.collectives = summarize(run.profile(), options.summary);
  answer.calls = run.mpi_calls();
  answer.times = times_of_ranks(run.profile(), answer.collectives);
  if (answer.calls) answer.mpi = summarize(*answer.calls);
  if (!options.input.lead && options.input.operation.empty())
    answer.findings = find_what_to_do(run, answer.collectives, options.input.paths);
  return answer;
}

/// Draws a value of each rank; nothing for one rank, or if no rank has the value.
std::string rank_chart(const std::string& title, const std::vector<double>& values,
                       std::string (*label)(double), const Terminal& terminal) {
  if (values.size() < 2 || std::ranges::max(values) == 0) return "";
  constexpr std::size_t margin = 14;  // for the axis and its labels
  return "\n" +
         drawing::column_chart(values, {.width = std::clamp<std::size_t>(terminal.width(), 30, 80) - margin,
                                        .height = 6,
                                        .ascii = !terminal.utf8(),
                                        .title = title,
                                        .x_first = "0",
                                        .x_last = std::to_string(values.size() - 1),
                                        .y_label = label});
}

/// Draws the time of each rank outside MPI, or what is known of its collectives.
std::string charts(const Answer& answer, const Terminal& terminal) {
  std::vector<double> values;
  if (answer.calls) {
    for (const MpiSummary::Rank& rank : answer.mpi.ranks) values.push_back(rank.outside_s.value_or(0));
    return rank_chart("Time outside MPI over ranks", values, format_seconds, terminal);
  }
  for (const RankSummary& rank : answer.collectives.ranks)
    values.push_back(static_cast<double>(rank.bytes_sent));
  return rank_chart("Bytes sent over ranks", values, bytes_text, terminal) +
         rank_chart(answer.times.title, answer.times.time_s, format_seconds, terminal);
}

std::string text(const Answer& answer, const Terminal& terminal) {
  std::string output;
  if (answer.calls) {
    output = cut_short_text(*answer.calls) + mpi_share_text(answer.mpi, terminal) +
             part_tables(*answer.calls, answer.mpi) + mpi_share_tables(*answer.calls, answer.mpi);
    if (answer.collectives.leads > 0) output += "\n" + text(answer.collectives, terminal);
  } else {
    output = text(answer.collectives, terminal);
  }
  if (terminal.shows_charts()) output += charts(answer, terminal);
  return output + findings_text(answer.findings);
}

}  // namespace

std::string summary_document(const std::vector<std::string>& paths, Terminal& terminal) {
  SummaryCommandOptions options;
  options.input.paths = paths;
  return documents::to_json<documents::RunSummary>(find_answer(options, terminal));
}

Command define_collectives_summary(OptionParser& parser) {
  auto options = begin_command<SummaryCommandOptions>(parser, summary_examples);
  add_profile_input(parser, options->input);
  add_profile_selection(parser, options->input);
  add_bins_option(parser, options->summary);
  add_json_option(parser, options->json);
  add_ascii_option(parser, options->ascii);
  return [options](Terminal& terminal) {
    if (options->ascii) terminal.show_ascii_charts();
    const Answer answer = find_answer(*options, terminal);
    if (options->json)
      documents::write_json<documents::RunSummary>(answer, terminal.printer());
    else
      terminal.print(fitted(text(answer, terminal)));
    return 0;
  };
}

}  // namespace plimsoll::cli
