#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands/info/info_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using balance::RankOverview;

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

using documents::Field;

/// Returns the value of a field of a rank, as JSON.
std::string value_of(const documents::RankInfo& info, std::size_t rank, const Field& field) {
  const documents::Scope outer = {documents::structure<documents::RankInfo>(), &info};
  return documents::json_of(field, {documents::structure<RankOverview>(), &info.ranks[rank], &outer});
}

std::string heading_of(const Field& field) {
  if (!field.heading.empty()) return std::string(field.heading);
  std::string_view name = field.key;
  for (const std::string_view unit : {"_s", "_bytes"})
    if (name.ends_with(unit)) name.remove_suffix(unit.size());
  std::string heading(name);
  std::ranges::replace(heading, '_', ' ');
  return heading;
}

std::string cell_of(const Field& field, const std::string& json) {
  const auto number = support::parse_number<double>(json);
  if (!number) return "-";
  if (field.key.ends_with("_s")) return support::format_seconds(*number);
  if (field.key.ends_with("_bytes")) return bytes_text(*number);
  const auto whole = support::parse_number<std::int64_t>(json);
  return whole && *whole >= 0 ? count(*whole) : support::format_number(*number);
}

/// Formats a table of the ranks, by the units of their fields. The first field is the rank's number. Omits
/// fields that are null for all ranks.
std::string rank_table(const documents::RankInfo& info) {
  std::vector<std::size_t> ranks(info.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<Column<std::size_t>> columns = {
      {"rank", Align::right, [](std::size_t rank) { return std::to_string(rank); }}};
  for (const Field& field : documents::structure<RankOverview>().fields.subspan(1)) {
    const bool is_known = ranks.empty() || std::ranges::any_of(ranks, [&](std::size_t rank) {
                            return value_of(info, rank, field) != "null";
                          });
    columns.push_back(
        {heading_of(field), Align::right,
         [&info, &field](std::size_t rank) { return cell_of(field, value_of(info, rank, field)); },
         is_known});
  }
  return table_of<std::size_t>(shown_ranks(info.ranks), std::move(columns));
}

/// Returns a value as CSV: null is empty, and 6.0 becomes 6.
std::string csv_cell_of(const std::string& json) {
  if (json == "null") return "";
  const auto whole = support::parse_number<std::int64_t>(json);
  const auto number = support::parse_number<double>(json);
  return whole || !number ? json : fmt::format("{}", *number);
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

std::string rank_text(const documents::RankInfo& info, const Terminal& terminal) {
  const auto& [phase, ranks] = info;
  std::int64_t n_objects = 0;
  std::vector<double> loads_s;
  for (const RankOverview& rank : ranks) {
    n_objects += rank.n_objects;
    loads_s.push_back(rank.load_s);
  }
  std::string output =
      fmt::format("Phase {}: {}, {}\n\n", phase, count(ranks.size(), "rank"), count(n_objects, "object"));
  output += rank_table(info) + "\n";
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

void write_rank_csv(const documents::RankInfo& info, const TextSink& sink) {
  const std::span<const Field> fields = documents::structure<RankOverview>().fields;
  std::string text = joined(fields, ",", &Field::key) + "\n";
  for (std::size_t rank = 0; rank < info.ranks.size(); ++rank) {
    text += joined(fields, ",", [&](const Field& field) { return csv_cell_of(value_of(info, rank, field)); });
    text += '\n';
    if (text.size() < part_bytes) continue;
    sink(text);
    text.clear();
  }
  sink(text);
}

}  // namespace plimsoll::cli
