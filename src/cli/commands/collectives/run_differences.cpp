#include "cli/commands/collectives/run_differences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/text_pieces.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::CallsOnCommunicator;
using collectives::ContentComparison;
using collectives::ContentDifference;
using collectives::NumberList;
using collectives::UnmatchedCalls;
using Align = support::TextTable::Align;

// Limit of the tables; --json contains everything.
constexpr std::size_t max_content_lines = 20;

std::string place(const CallsOnCommunicator& calls) {
  return fmt::format("{} on communicator {} of lead rank {}", calls.operation.name(), calls.communicator,
                     calls.lead);
}

std::string ranks(const NumberList& list) {
  return list.empty() ? "-" : list.to_string();
}

std::string first_difference(const ContentDifference& first) {
  std::string text = fmt::format("The data differ first in call {} of {}:\n", first.call, place(first));
  const auto add = [&](const NumberList& differing, const char* verb) {
    if (!differing.empty())
      text += fmt::format("  rank{} {} {} other data\n", differing.size() == 1 ? "" : "s",
                          differing.to_string(), verb);
  };
  add(first.sent, "sent");
  add(first.received, "received");
  if (!first.frames.empty())
    text += fmt::format("  called from {}\n", support::printable(first.frames.front()));
  return text;
}

std::string all_differences(const ContentComparison& comparison) {
  if (comparison.differences.size() < 2) return "";
  support::TextTable table({{"lead", Align::right},
                            {"communicator", Align::right},
                            {"operation"},
                            {"first call", Align::right},
                            {"ranks that sent other data"},
                            {"ranks that received other data"}});
  const std::size_t shown = std::min(comparison.differences.size(), max_content_lines);
  for (const ContentDifference& difference : std::span(comparison.differences).first(shown))
    table.add_row({std::to_string(difference.lead), std::to_string(difference.communicator),
                   difference.operation.name(), std::to_string(difference.call), ranks(difference.sent),
                   ranks(difference.received)});
  std::string text = "First differences of the data\n" + table.to_string();
  if (comparison.differences.size() > shown)
    text += fmt::format("... and {} more (--json lists all)\n", count(comparison.differences.size() - shown));
  return text;
}

std::string part_text(const UnmatchedCalls::Part& part, const char* when) {
  return fmt::format(
      "{} among {} {}",
      part.calls.size() == 1 ? "call " + part.calls.to_string() : "calls " + part.calls.to_string(),
      part.members.empty() ? count(part.comm_size, "rank") : "ranks " + part.members.to_string(), when);
}

std::string unmatched_calls(const ContentComparison& comparison) {
  if (comparison.unmatched.empty()) return "";
  std::string text = "Calls whose data are in one run only\n";
  const std::size_t shown = std::min(comparison.unmatched.size(), max_content_lines);
  for (const UnmatchedCalls& calls : std::span(comparison.unmatched).first(shown)) {
    const auto& [before, after] = calls.runs;
    text +=
        fmt::format("  {}: {}{}{}\n", place(calls), before.calls.empty() ? "" : part_text(before, "before"),
                    before.calls.empty() || after.calls.empty() ? "" : "; ",
                    after.calls.empty() ? "" : part_text(after, "after"));
  }
  if (comparison.unmatched.size() > shown)
    text += fmt::format("  ... and {} more (--json lists all)\n", count(comparison.unmatched.size() - shown));
  return text;
}

std::string data_verdict(const ContentComparison& comparison) {
  if (comparison.calls == 0) return "Data: not compared, because no calls match.\n";
  const std::string calls = comparison.differing_calls == 0
                                ? fmt::format("equal in all of {}", count(comparison.calls, "compared call"))
                                : fmt::format("different in {} of {}", count(comparison.differing_calls),
                                              count(comparison.calls, "compared call"));
  return fmt::format("Data: {} ({} and {}).\n", calls, count(comparison.sent, "send"),
                     count(comparison.received, "receive"));
}

}  // namespace

std::string content_text(const ContentComparison& comparison) {
  std::string text = unmatched_calls(comparison);
  const std::string differences = all_differences(comparison);
  if (!differences.empty()) text += (text.empty() ? "" : "\n") + differences;
  text += (text.empty() ? "" : "\n") + data_verdict(comparison);
  if (!comparison.differences.empty()) text += first_difference(comparison.differences.front());
  return text;
}

namespace {

using collectives::MpiSummary;
using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_changed_functions = 20;

double per_rank(double sum_s, const MpiSummary& summary) {
  return sum_s / static_cast<double>(summary.ranks.size());
}

}  // namespace

std::string mpi_changes_text(const collectives::MpiComparison& comparison) {
  const auto& [before, after] = comparison.summary;
  ChangeTable table;
  table.add_count("ranks", before.ranks.size(), after.ranks.size());
  table.add("run", before.longest_wall_s, after.longest_wall_s, format_seconds);
  table.add("in MPI, per rank", per_rank(before.mpi_s, before), per_rank(after.mpi_s, after), format_seconds);
  table.add("in MPI, of run", before.mpi_share(), after.mpi_share(), format_percentage);
  table.add("waited <=, per rank", per_rank(before.waited_s, before), per_rank(after.waited_s, after),
            format_seconds);
  table.add("outside MPI, mean", before.outside.mean_s, after.outside.mean_s, format_seconds);
  table.add("outside MPI, imbalance", before.outside.imbalance(), after.outside.imbalance(), imbalance_text);
  table.add_rule();
  const std::size_t shown = std::min(comparison.functions.size(), max_changed_functions);
  for (std::size_t k = 0; k < shown; ++k) {
    const collectives::MpiFunctionChange& function = comparison.functions[k];
    table.add_count(function.name + ", calls", function.calls.before, function.calls.after);
    table.add(function.name + ", time", function.time_s.before, function.time_s.after, format_seconds);
  }
  return "MPI calls of the programs\n" + table.to_string() + more(shown, comparison.functions.size());
}

}  // namespace plimsoll::cli
