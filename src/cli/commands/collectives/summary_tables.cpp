#include <fmt/ranges.h>

#include <numeric>

#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

using namespace collectives;

std::vector<MessageBin> bins_to_show(const std::vector<std::uint64_t>& bins,
                                     std::initializer_list<const std::vector<std::uint64_t>*> histograms) {
  const bool has_zero_bin = !bins.empty() && bins.front() == 1;
  std::vector<MessageBin> shown;
  std::size_t used = 0;
  for (std::size_t k = has_zero_bin ? 1 : 0; k <= bins.size(); ++k) {
    const bool is_used =
        std::ranges::any_of(histograms, [&](const auto* messages) { return (*messages)[k] > 0; });
    if (!is_used && used == 0) continue;
    const std::string from = count(k == 0 ? 0 : bins[k - 1]);
    shown.push_back({k, k == bins.size() ? fmt::format("{} and more", from)
                                         : fmt::format("{} to below {}", from, count(bins[k]))});
    if (is_used) used = shown.size();
  }
  shown.resize(used);
  return shown;
}

void add_bins_option(OptionParser& parser, SummaryOptions& options) {
  parser
      .add_option("--bins LIST", options.bins,
                  "Boundaries of the message size bins in bytes, ascending [default: powers of two]")
      .separated_by(',')
      .not_negative();
  parser.add_option("--threshold BYTES", options.threshold_bytes,
                    "Maximum size of small messages in bytes [default: 200]");
}

namespace {

using support::format_bytes;
using support::format_percentage;
using support::format_seconds;

// Limits of the tables; --json contains everything.
constexpr std::size_t max_rows = 20;
constexpr std::size_t max_late_ranks = 10;
constexpr std::size_t max_ranks_text = 40;

std::string inconsistency_table(const Summary& summary) {
  if (summary.inconsistencies.empty()) return "";
  return "\nInconsistent calls\n" +
         table_of<Inconsistency>(
             first(summary.inconsistencies, max_rows),
             {{"lead", Align::right, [](const auto& wrong) { return std::to_string(wrong.lead); }},
              {"operation", Align::left, [](const auto& wrong) { return wrong.operation.name(); }},
              {"first call", Align::right,
               [](const auto& wrong) { return std::to_string(wrong.first_call); }},
              {"calls", Align::right, [](const auto& wrong) { return count(wrong.calls); }},
              {"first pair (ranks of the communicator)", Align::left,
               [](const auto& wrong) {
                 return fmt::format("{} sends {} B to {}, which receives {} B", wrong.pair.sender,
                                    count(wrong.pair.sent_bytes), wrong.pair.receiver,
                                    count(wrong.pair.received_bytes));
               }}}) +
         more(max_rows, summary.inconsistencies.size());
}

std::string operation_table(const Summary& summary) {
  return "\nOperations\n" +
         table_of<collectives::OperationSummary>(
             summary.operations,
             {{"operation", Align::left, [](const auto& sums) { return sums.operation.name(); }},
              {"calls", Align::right, [](const auto& sums) { return count(sums.calls); }},
              {"different", Align::right, [](const auto& sums) { return count(sums.signatures); }},
              {"sent", Align::right, [](const auto& sums) { return format_bytes(sums.bytes_sent); }},
              {"received", Align::right,
               [](const auto& sums) { return format_bytes(sums.bytes_received); }}});
}

std::string world_ranks(const NumberList& members) {
  if (members.empty()) return "unknown";
  const std::string list = members.to_string();
  return list.size() <= max_ranks_text ? list : list.substr(0, list.rfind(',', max_ranks_text)) + ", ...";
}

std::string ranks_of(const CommunicatorSummary& communicator) {
  const std::string size = count(communicator.size);
  return communicator.remote_size == 0 ? size
                                       : fmt::format("{} to {}", size, count(communicator.remote_size));
}

std::string communicator_table(const Summary& summary) {
  std::vector<CommunicatorSummary> communicators = summary.communicators;
  std::ranges::stable_sort(communicators, std::greater(), &CommunicatorSummary::bytes_sent);
  return "\nCommunicators\n" +
         table_of<CommunicatorSummary>(
             first(communicators, max_rows),
             {{"lead", Align::right, [](const auto& sums) { return std::to_string(sums.lead); }},
              {"communicator", Align::right,
               [](const auto& sums) { return sums.id ? std::to_string(*sums.id) : "unknown"; }},
              {"ranks", Align::right, ranks_of},
              {"in MPI_COMM_WORLD", Align::left, [](const auto& sums) { return world_ranks(sums.members); }},
              {"calls", Align::right, [](const auto& sums) { return count(sums.calls); }},
              {"sent", Align::right, [](const auto& sums) { return format_bytes(sums.bytes_sent); }}}) +
         more(max_rows, communicators.size());
}

std::string message_table(const Summary& summary) {
  support::TextTable table({{"bytes"},
                            {"sent", Align::right},
                            {"", Align::right},
                            {"received", Align::right},
                            {"", Align::right}});
  const auto add_row = [&](std::string label, std::uint64_t sent, std::uint64_t received) {
    const auto part = [](std::uint64_t number, const SideSummary& side) {
      return percentage(number, side.messages());
    };
    table.add_row({std::move(label), count(sent), part(sent, summary.sent), count(received),
                   part(received, summary.received)});
  };
  for (const MessageBin& bin :
       bins_to_show(summary.options.bins, {&summary.sent.histogram, &summary.received.histogram}))
    add_row(bin.label, summary.sent.histogram[bin.number], summary.received.histogram[bin.number]);
  table.add_rule();
  const std::string threshold = count(summary.options.threshold_bytes);
  add_row("0", summary.sent.message_bytes.zeros(), summary.received.message_bytes.zeros());
  add_row(fmt::format("small (1 to {})", threshold), summary.sent.small, summary.received.small);
  add_row(fmt::format("large (above {})", threshold), summary.sent.large, summary.received.large);
  return "\nMessages\n" + table.to_string(Terminal::width());
}

std::string spread_table(const Summary& summary) {
  support::TextTable table({{""},
                            {"min", Align::right},
                            {"mean", Align::right},
                            {"max", Align::right},
                            {"min > 0", Align::right},
                            {"mean > 0", Align::right}});
  const auto add_row = [&](const char* label, const SpreadWithZeros& spread) {
    table.add_row({label, count(spread.all.min), fmt::format("{:.1f}", spread.all.mean()),
                   count(spread.all.max), spread.nonzero.values == 0 ? "-" : count(spread.nonzero.min),
                   spread.nonzero.values == 0 ? "-" : fmt::format("{:.1f}", spread.nonzero.mean())});
  };
  add_row("elements sent per message", summary.sent.message_count);
  add_row("bytes sent per message", summary.sent.message_bytes);
  add_row("elements sent per rank and call", summary.sent.rank_count);
  add_row("bytes sent per rank and call", summary.sent.rank_bytes);
  table.add_rule();
  add_row("elements received per message", summary.received.message_count);
  add_row("bytes received per message", summary.received.message_bytes);
  add_row("elements received per rank and call", summary.received.rank_count);
  add_row("bytes received per rank and call", summary.received.rank_bytes);
  return "\nSizes\n" + table.to_string(Terminal::width());
}

/// Formats the number of calls per size: "8 in 3/4 calls".
template <class Map>
std::string fractions(const char* label, const Map& calls_by, std::uint64_t all) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(calls_by.begin(), calls_by.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  const auto part = [&](const auto& entry) {
    return fmt::format("{} in {}/{} calls", count(entry.first), count(entry.second), count(all));
  };
  const std::string others =
      sorted.size() > max_rows ? fmt::format(", {} others", count(sorted.size() - max_rows)) : "";
  return fmt::format("{}: {}{}\n", label, joined(first(sorted, max_rows), ", ", part), others);
}

std::string call_properties(const Summary& summary) {
  return "\n" + fractions("Ranks per communicator", summary.comm_sizes, summary.calls) +
         fractions("Type size of sent elements", summary.sent.type_sizes, summary.calls) +
         fractions("Type size of received elements", summary.received.type_sizes, summary.calls) +
         fractions("Send counts equal to 0", summary.sent.zero_counts, summary.calls) +
         fractions("Receive counts equal to 0", summary.received.zero_counts, summary.calls);
}

/// Selects the most important ranks, or all ranks of a small run.
std::vector<std::uint32_t> ranks_to_show(const Summary& summary) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < summary.ranks.size(); ++rank)
    if (summary.ranks[rank].is_active()) ranks.push_back(rank);
  if (ranks.size() <= max_rows) return ranks;
  std::vector<std::uint32_t> late = late_ranks(summary);
  if (!late.empty()) {
    late.resize(std::min(late.size(), max_late_ranks));
    return late;
  }
  std::ranges::stable_sort(ranks, std::greater(),
                           [&](std::uint32_t rank) { return summary.ranks[rank].bytes_sent; });
  ranks.resize(max_late_ranks);
  return ranks;
}

std::string rank_table(const Summary& summary) {
  const std::vector<std::uint32_t> ranks = ranks_to_show(summary);
  if (ranks.empty()) return "";
  const bool counted = summary.calls > 0;
  const bool timed = summary.timed_calls > 0;
  const bool late = summary.arrival_calls > 0;
  const auto of_rank = [&](const auto& cell) {
    return [&summary, cell](std::uint32_t rank) { return cell(summary.ranks[rank]); };
  };
  const auto bytes = [&](std::uint64_t RankSummary::*sum) {
    return of_rank([=](const RankSummary& rank) { return format_bytes(rank.*sum); });
  };
  const auto time = [&](double RankSummary::*sum_s) {
    return of_rank([=](const RankSummary& rank) { return format_seconds(rank.*sum_s); });
  };
  const auto mean_time = of_rank([](const RankSummary& rank) {
    return format_seconds(share(rank.time_s, static_cast<double>(rank.timed_calls)));
  });
  const bool all = summary.ranks.size() <= max_rows;
  const char* title = all                           ? "\nRanks\n"
                      : late_ranks(summary).empty() ? "\nRanks that send the most bytes\n"
                                                    : "\nRanks that cause the most wait time\n";
  return title +
         table_of<std::uint32_t>(
             ranks,
             {{"rank", Align::right, [](std::uint32_t rank) { return std::to_string(rank); }},
              {"calls", Align::right, of_rank([](const auto& rank) { return count(rank.calls); }), counted},
              {"sent", Align::right, bytes(&RankSummary::bytes_sent), counted},
              {"received", Align::right, bytes(&RankSummary::bytes_received), counted},
              {"time in calls", Align::right, time(&RankSummary::time_s), timed},
              {"mean", Align::right, mean_time, timed},
              {"longest", Align::right, time(&RankSummary::max_time_s), timed},
              {"waited", Align::right, time(&RankSummary::waited_s), late},
              {"latest in", Align::right,
               of_rank([](const auto& rank) { return count(rank.latest_in_calls, "call"); }), late},
              {"wait time caused", Align::right, time(&RankSummary::made_wait_s), late}});
}

}  // namespace

std::string summary_tables(const Summary& summary) {
  if (summary.calls == 0) return rank_table(summary);
  return inconsistency_table(summary) + operation_table(summary) + communicator_table(summary) +
         rank_table(summary) + message_table(summary) + spread_table(summary) + call_properties(summary);
}

}  // namespace plimsoll::cli
