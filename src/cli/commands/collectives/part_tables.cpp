#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_windows_shown = 8;

/// Windows are shown if their efficiencies differ by more than this.
constexpr double min_spread_shown = 0.1;

// A region is named if it contains most of the time in MPI, and by this much more of it than of the run.
constexpr double min_excess = 0.1;

/// Returns a cell with an efficiency of a part of the run.
template <class Part, class Factor>
std::function<std::string(const Part&)> factor_of(Factor Efficiencies::*factor) {
  return [factor](const Part& part) {
    return factor_text(part.efficiencies ? std::optional<double>((*part.efficiencies).*factor)
                                         : std::nullopt);
  };
}

template <class Part>
bool knows_transfer(const Part& part) {
  return part.efficiencies && part.efficiencies->transfer;
}

/// Returns why serialisation and transfer of parts are unknown if those of the run are known.
template <class Part>
std::string unknown_transfer(std::span<const Part> parts, const char* name, const MpiSummary& summary) {
  if (!summary.transfer_unknown.empty()) return "";
  const auto unknown =
      std::ranges::find_if(parts, [](const Part& part) { return !part.transfer_unknown.empty(); });
  if (unknown == parts.end()) return "";
  return fmt::format("Serialisation and transfer of {} are unknown: {}.\n", name, unknown->transfer_unknown);
}

std::string region_with_most_mpi(const MpiSummary& summary) {
  const auto most = std::ranges::max_element(summary.regions, {}, &RegionSummary::mpi_share);
  if (most == summary.regions.end() || !is_mpi_relevant(summary)) return "";
  if (most->mpi_share < 0.5 || most->mpi_share < most->share + min_excess) return "";
  return fmt::format("Region {} contains {} of the time in MPI, and {} of the run.\n",
                     support::in_quotes(most->name), format_percentage(most->mpi_share),
                     format_percentage(most->share));
}

}  // namespace

std::string region_table(std::span<const RegionSummary> regions, std::size_t all_ranks) {
  if (regions.empty()) return "";
  const bool on_some_ranks =
      std::ranges::any_of(regions, [&](const RegionSummary& region) { return region.ranks < all_ranks; });
  const bool has_transfer = std::ranges::any_of(regions, knows_transfer<RegionSummary>);
  return table_of<RegionSummary>(
      regions,
      {{"region", Align::left, [](const auto& region) { return support::printable(region.name); }},
       {"max time", Align::right, [](const auto& region) { return format_seconds(region.longest_wall_s); }},
       {"of run", Align::right, [](const auto& region) { return format_percentage(region.share); }},
       {"ranks", Align::right, [](const auto& region) { return count(region.ranks); }, on_some_ranks},
       {"in MPI", Align::right, [](const auto& region) { return percentage(region.mpi_s, region.wall_s); }},
       {"parallel efficiency", Align::right, factor_of<RegionSummary>(&Efficiencies::parallel)},
       {"load balance", Align::right, factor_of<RegionSummary>(&Efficiencies::load_balance)},
       {"communication", Align::right, factor_of<RegionSummary>(&Efficiencies::communication)},
       {"serialisation", Align::right, factor_of<RegionSummary>(&Efficiencies::serialisation), has_transfer},
       {"transfer", Align::right, factor_of<RegionSummary>(&Efficiencies::transfer), has_transfer}});
}

std::string part_tables(const MpiCalls& calls, const MpiSummary& summary) {
  std::string text;
  if (!summary.regions.empty())
    text +=
        "\nRegions, each without those within it\n" + region_table(summary.regions, summary.ranks.size()) +
        unknown_transfer<RegionSummary>(summary.regions, "regions", summary) + region_with_most_mpi(summary);
  const std::vector<WindowSummary> windows = summarize_windows(calls, max_windows_shown);
  if (spread_of_efficiency(windows) <= min_spread_shown) return text;
  const bool has_transfer = std::ranges::any_of(windows, knows_transfer<WindowSummary>);
  return text + "\nWindows of time after MPI_Init\n" +
         table_of<WindowSummary>(
             windows,
             {{"from", Align::right, [](const auto& window) { return format_seconds(window.begin_s); }},
              {"to", Align::right, [](const auto& window) { return format_seconds(window.end_s); }},
              {"in MPI", Align::right,
               [](const auto& window) { return percentage(window.mpi_s, window.thread_s); }},
              {"parallel efficiency", Align::right, factor_of<WindowSummary>(&Efficiencies::parallel)},
              {"load balance", Align::right, factor_of<WindowSummary>(&Efficiencies::load_balance)},
              {"communication", Align::right, factor_of<WindowSummary>(&Efficiencies::communication)},
              {"serialisation", Align::right, factor_of<WindowSummary>(&Efficiencies::serialisation),
               has_transfer},
              {"transfer", Align::right, factor_of<WindowSummary>(&Efficiencies::transfer), has_transfer}}) +
         unknown_transfer<WindowSummary>(windows, "windows", summary);
}

}  // namespace plimsoll::cli
