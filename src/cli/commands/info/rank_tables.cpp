#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/commands/info/info_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using balance::RankOverview;
using Align = support::TextTable::Align;

// If more ranks than max_ranks_shown exist, the text shows only the heaviest ones.
constexpr std::size_t max_ranks_shown = 64;
constexpr std::size_t heaviest_ranks_shown = 32;
constexpr std::size_t part_bytes = std::size_t{1} << 16;

/// Returns the numbers of the ranks that the text shows, in the order of the rows.
std::vector<std::size_t> shown_ranks(std::span<const RankOverview> ranks) {
  std::vector<std::size_t> shown(ranks.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= max_ranks_shown) return shown;
  std::ranges::stable_sort(shown, std::greater<>(), [&](std::size_t rank) { return ranks[rank].load_s; });
  shown.resize(heaviest_ranks_shown);
  return shown;
}

bool have_memory(std::span<const RankOverview> ranks) {
  return std::ranges::any_of(ranks, [](const RankOverview& rank) { return rank.memory_bytes.has_value(); });
}

std::string rank_table(std::span<const RankOverview> ranks) {
  const bool with_memory = have_memory(ranks);
  std::vector<support::TextTable::Column> columns = {{"rank", Align::right},
                                                     {"load", Align::right},
                                                     {"objects", Align::right},
                                                     {"migratable", Align::right}};
  if (with_memory) columns.push_back({"memory", Align::right});
  for (const char* heading : {"sent", "sent messages", "received", "received messages"})
    columns.push_back({heading, Align::right});
  support::TextTable table(columns);
  for (const std::size_t number : shown_ranks(ranks)) {
    const RankOverview& rank = ranks[number];
    std::vector<std::string> row = {std::to_string(number), support::format_seconds(rank.load_s),
                                    count(rank.n_objects), count(rank.n_migratable)};
    if (with_memory) row.push_back(bytes_text(rank.memory_bytes.value_or(0)));
    row.push_back(bytes_text(rank.sent_bytes));
    row.push_back(count(rank.sent_messages));
    row.push_back(bytes_text(rank.received_bytes));
    row.push_back(count(rank.received_messages));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

// Calls `append(rank)` for each rank, which appends to `text`. Passes the text to `sink` whenever it is long.
template <class Append>
void write_parts(std::string& text, std::size_t n_ranks, const TextSink& sink, Append&& append) {
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    append(rank);
    if (text.size() < part_bytes) continue;
    sink(text);
    text.clear();
  }
}

}  // namespace

std::string rank_load_chart(std::int64_t phase, std::span<const double> loads_s, const Terminal& terminal) {
  constexpr std::size_t margin = 12;  // for the axis and its labels
  return drawing::column_chart(loads_s, {.width = std::clamp<std::size_t>(terminal.width(), 30, 80) - margin,
                                         .height = 6,
                                         .ascii = !terminal.utf8(),
                                         .title = fmt::format("Load over ranks in phase {}", phase),
                                         .x_first = "0",
                                         .x_last = std::to_string(loads_s.size() - 1),
                                         .y_label = support::format_seconds});
}

std::string rank_text(std::int64_t phase, std::span<const RankOverview> ranks, const Terminal& terminal) {
  std::int64_t n_objects = 0;
  std::vector<double> loads_s;
  for (const RankOverview& rank : ranks) {
    n_objects += rank.n_objects;
    loads_s.push_back(rank.load_s);
  }
  std::string output =
      fmt::format("Phase {}: {}, {}\n\n", phase, count(ranks.size(), "rank"), count(n_objects, "object"));
  output += rank_table(ranks) + "\n";
  if (ranks.size() > max_ranks_shown)
    output += fmt::format("{} of {} ranks, heaviest first; --csv FILE and --json contain all ranks.\n",
                          heaviest_ranks_shown, count(ranks.size()));
  if (ranks.empty()) return output;
  if (terminal.shows_charts() && ranks.size() > 1) output += rank_load_chart(phase, loads_s, terminal) + "\n";
  const auto heaviest = std::ranges::max_element(loads_s);
  const double mean_s =
      std::accumulate(loads_s.begin(), loads_s.end(), 0.0) / static_cast<double>(loads_s.size());
  return output + fmt::format(
                      "Rank {} has the maximum load, {}; the mean is {}, and the imbalance "
                      "(max/mean - 1) is {}.\n",
                      heaviest - loads_s.begin(), support::format_seconds(*heaviest),
                      support::format_seconds(mean_s),
                      terminal.paint(Colour::bold, imbalance_text(balance::imbalance(loads_s))));
}

void write_rank_csv(std::span<const RankOverview> ranks, const TextSink& sink) {
  std::string text =
      "rank,load_s,objects,migratable_objects,memory_bytes,sent_bytes,sent_messages,received_bytes,"
      "received_messages\n";
  write_parts(text, ranks.size(), sink, [&](std::size_t number) {
    const RankOverview& rank = ranks[number];
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{},{},{},{},", number, rank.load_s, rank.n_objects, rank.n_migratable);
    if (rank.memory_bytes) fmt::format_to(out, "{}", *rank.memory_bytes);
    fmt::format_to(out, ",{},{},{},{}\n", rank.sent_bytes, rank.sent_messages, rank.received_bytes,
                   rank.received_messages);
  });
  sink(text);
}

}  // namespace plimsoll::cli
