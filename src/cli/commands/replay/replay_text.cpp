#include "cli/commands/replay/replay_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include <plimsoll/balance/internal/refusal_text.hpp>
#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/options/shared_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using balance::PlacementLife;
using balance::Refusal;
using balance::Replay;
using balance::ReplayedPhase;
using documents::NamedReplay;
using documents::ReplayInfo;

constexpr std::size_t most_placements = 12;  // that a table shows

/// Row of the table of runs.
struct Run {
  std::string name;
  double total_s;
  std::optional<double> costs_s;
  std::optional<std::int64_t> n_balanced;
  std::optional<std::int64_t> n_migrations;
};

std::vector<Run> runs_of(const ReplayInfo& info) {
  const balance::RecordedBalancing& recorded = info.recorded;
  const Replay& any = info.replays.front().replay;
  std::vector<Run> runs = {
      {"(as recorded)", info.recorded_total_s(), recorded.decision_s + recorded.migration_s,
       recorded.n_migrated_phases, recorded.n_migrations},
      {"(no migrations)", any.not_balanced_s(), 0.0, 0, 0}};
  for (const NamedReplay& named : info.replays)
    runs.push_back({named.name, named.replay.total_s(), named.replay.costs_s(), named.replay.n_balanced(),
                    named.replay.n_migrations()});
  runs.push_back({"(lower bound)", any.bound_s(), {}, {}, {}});
  return runs;
}

const NamedReplay& fastest(const ReplayInfo& info) {
  return *std::ranges::min_element(info.replays, {},
                                   [](const NamedReplay& named) { return named.replay.total_s(); });
}

std::string headline(const ReplayInfo& info) {
  const NamedReplay& best = fastest(info);
  const double total_s = best.replay.total_s();
  const double recorded_s = info.recorded_total_s();
  std::string text = info.replays.size() == 1 ? fmt::format("With {}, the run", best.name)
                                              : fmt::format("The fastest of {} replays is {}: the run",
                                                            count(info.replays.size()), best.name);
  text += fmt::format(" would take {} instead of {} as recorded", support::format_seconds(total_s),
                      support::format_seconds(recorded_s));
  if (recorded_s > 0) text += fmt::format(" ({})", support::format_difference(total_s / recorded_s - 1, 1));
  text += ".\n";
  const double not_balanced_s = best.replay.not_balanced_s();
  if (best.replay.n_balanced() == 0)
    text += "No object migrates in it.\n";
  else if (not_balanced_s < total_s)
    text +=
        fmt::format("Without migrations, it would take less: {}.\n", support::format_seconds(not_balanced_s));
  return text;
}

std::string table_of_runs(const ReplayInfo& info, const Terminal& terminal) {
  const double recorded_s = info.recorded_total_s();
  const std::string& best = fastest(info).name;
  const auto number = [](const std::optional<std::int64_t>& value) { return value ? count(*value) : ""; };
  return table_of<Run>(
      runs_of(info),
      {{"run", Align::left,
        [&](const Run& run) { return run.name == best ? terminal.paint(Colour::bold, run.name) : run.name; }},
       {"time", Align::right, [](const Run& run) { return support::format_seconds(run.total_s); }},
       {"change", Align::right,
        [&](const Run& run) {
          return recorded_s > 0 ? support::format_difference(run.total_s / recorded_s - 1, 1) : "-";
        }},
       {"of it costs", Align::right,
        [](const Run& run) { return run.costs_s ? support::format_seconds(*run.costs_s) : ""; }},
       {"balanced", Align::right, [&](const Run& run) { return number(run.n_balanced); }},
       {"migrations", Align::right, [&](const Run& run) { return number(run.n_migrations); }}},
      2);
}

std::string about_costs(const balance::ReplayCosts& costs) {
  const auto source = [](std::int64_t n, const char* what) {
    return n > 0 ? fmt::format("fitted to {}", count(n, what)) : std::string("not measured");
  };
  const auto& [latency_s, object_s, byte_s] = costs.migration.times_s();
  return fmt::format(
      "Costs: a decision takes {} + {} per object ({}); a migration takes {} + {} per object + {} per MB of "
      "the "
      "busiest rank ({}).\n",
      support::format_seconds(costs.per_decision_s), support::format_seconds(costs.per_decided_object_s),
      source(costs.n_decisions, "recorded decision"), support::format_seconds(latency_s),
      support::format_seconds(object_s), support::format_seconds(byte_s * 1e6),
      source(costs.n_migrations, "recorded migration"));
}

std::string table_of_placements(const Replay& replay) {
  const std::vector<PlacementLife> lives = replay.placements();
  if (lives.empty()) return {};
  return "\nPlacements, compared with the placement before each:\n" +
         table_of<PlacementLife>(
             std::span(lives).first(std::min(lives.size(), most_placements)),
             {{"after phase", Align::right,
               [](const PlacementLife& life) { return fmt::format("{}", life.phase); }},
              {"phases", Align::right, [](const PlacementLife& life) { return count(life.n_phases); }},
              {"good", Align::right, [](const PlacementLife& life) { return count(life.good_phases); }},
              {"saved", Align::right,
               [](const PlacementLife& life) { return support::format_seconds(life.saved_s); }},
              {"cost", Align::right,
               [](const PlacementLife& life) { return support::format_seconds(life.cost_s); }}}) +
         more(most_placements, lives.size());
}

/// Returns why phases were not balanced: for each reason, the number of phases and the last sentence.
std::string table_of_refusals(const Replay& replay) {
  std::map<Refusal::Reason, std::pair<std::int64_t, const ReplayedPhase*>> refusals;
  for (const ReplayedPhase& phase : replay.phases) {
    if (phase.decision.refusal.reason == Refusal::Reason::none) continue;
    auto& [n, last] = refusals[phase.decision.refusal.reason];
    ++n;
    last = &phase;
  }
  std::string text = refusals.empty() ? "" : "\nNot balanced:\n";
  for (const auto& [reason, refusal] : refusals)
    text += fmt::format("  {}, last at phase {}: {}\n", count(refusal.first, "phase"), refusal.second->phase,
                        balance::describe(refusal.second->decision.refusal, false).text);
  return text;
}

/// Draws the times of the phases of one replay, above which the recorded ones are listed.
std::string charts(const NamedReplay& named, const Terminal& terminal) {
  const std::vector<ReplayedPhase>& phases = named.replay.phases;
  std::vector<double> replayed_s;
  std::vector<double> recorded_s;
  for (const ReplayedPhase& phase : phases) {
    replayed_s.push_back(phase.time_s);
    recorded_s.push_back(phase.recorded_s);
  }
  const auto chart = [&](std::string title, const std::vector<double>& values_s) {
    return "\n" +
           drawing::column_chart(values_s, {.width = std::clamp<std::size_t>(terminal.width(), 40, 100) - 12,
                                            .height = 6,
                                            .ascii = !terminal.utf8(),
                                            .title = std::move(title),
                                            .x_first = fmt::format("{}", phases.front().phase),
                                            .x_last = fmt::format("{}", phases.back().phase),
                                            .y_label = support::format_seconds});
  };
  return chart("Time per phase, as recorded", recorded_s) +
         chart("Time per phase, " + named.name, replayed_s);
}

}  // namespace

std::string replay_text(const ReplayInfo& info, const Terminal& terminal) {
  const std::vector<ReplayedPhase>& phases = info.replays.front().replay.phases;
  std::string text = headline(info);
  const char* const measure = info.is_work        ? "of the maximum work of a rank"
                              : info.synchronised ? "and their subphases of the maximum load of a rank"
                                                  : "of the maximum load of a rank";
  text +=
      fmt::format("{} ({} to {}), {}. Time is the sum over the phases {}.\n", count(phases.size(), "phase"),
                  phases.front().phase, phases.back().phase, count(info.n_ranks, "rank"), measure);
  text += load_field_line(info.loads.field);
  if (info.loads.model != balance::measured_loads)
    text += fmt::format("Strategies see the loads that {} predicts.\n", info.loads.model);
  text += "\n";
  text += table_of_runs(info, terminal) + "\n" + about_costs(info.costs);
  if (info.replays.size() == 1) {
    const NamedReplay& only = info.replays.front();
    text += table_of_placements(only.replay) + table_of_refusals(only.replay);
    if (terminal.shows_charts()) text += charts(only, terminal);
  }
  if (!info.output.empty())
    text += fmt::format("Wrote the replayed data to {}.\n", support::printable(info.output));
  return text;
}

std::string replay_csv(const Replay& replay) {
  std::string text =
      "phase,imbalance,w_max,mean,bound,recorded,not_balanced,migrations,decision_s,migration_s\n";
  for (const ReplayedPhase& phase : replay.phases)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{}\n", phase.phase, phase.imbalance(), phase.time_s,
                    phase.mean_s, phase.bound_s, phase.recorded_s, phase.not_balanced_s,
                    phase.decision.migrations.size(), phase.decision.decision_s, phase.decision.migration_s);
  return text;
}

}  // namespace plimsoll::cli
