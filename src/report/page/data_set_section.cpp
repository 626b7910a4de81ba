#include <algorithm>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/report/html_page.hpp>

#include "report/page/data_set_columns.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

std::vector<std::int64_t> phases_of(const balance::DatasetOverview& overview) {
  std::vector<std::int64_t> phases;
  for (const balance::PhaseOverview& phase : overview.phases) phases.push_back(phase.phase);
  return phases;
}

/// Writes the time that even work in each phase would save.
void write_lost(support::JsonWriter& json, const balance::DatasetOverview& overview, std::size_t n_ranks) {
  double lost_s = 0;
  double max_s = 0;
  for (const balance::PhaseOverview& phase : overview.phases) {
    lost_s += phase.lost_time_s();
    max_s += phase.quality.max_time_s;
  }
  constexpr double seconds_per_hour = 3600;
  json.key("lost")
      .begin_object()
      .member("time_s", lost_s)
      .member("core_hours", lost_s * static_cast<double>(n_ranks) / seconds_per_hour)
      .member("share", max_s > 0 ? lost_s / max_s : 0.0)
      .end_object();
}

/// Writes the node of each rank, or null unless all files specify it.
void write_nodes(support::JsonWriter& json, const lbdata::Dataset& dataset) {
  std::vector<std::int64_t> nodes;
  for (const lbdata::RankData& rank : dataset.ranks)
    if (rank.metadata.shared_node) nodes.push_back(rank.metadata.shared_node->id);
  json.key("nodes");
  if (nodes.size() == dataset.ranks.size())
    json.values(nodes);
  else
    json.null();
}

/// Writes what balancing during the run predicted and cost in each phase.
void write_balancing(support::JsonWriter& json, const lbdata::Dataset& dataset,
                     const std::vector<std::int64_t>& phases) {
  json.key("balancing").begin_array();
  for (const balance::BalancedPhase& balanced : balance::balanced_phases(dataset, phases))
    json.begin_object()
        .member("phase", std::ranges::lower_bound(phases, balanced.phase) - phases.begin())
        .member("strategy", balanced.strategy)
        .member("migrations", balanced.n_migrations)
        .member("decision_s", balanced.decision_s)
        .member("migration_s", balanced.migration_s)
        .member("predicted_gain_s", balanced.predicted_gain_s)
        .end_object();
  json.end_array();
}

}  // namespace

void write_data_set(support::JsonWriter& json, const lbdata::Dataset& dataset,
                    const balance::DatasetOverview& overview, const PageLimits& limits,
                    support::Progress& progress) {
  const std::vector<std::int64_t> phases = phases_of(overview);
  const RankRows rows(dataset.ranks.size(), phases.size(), limits.cells);
  RankQuantities quantities(rows, phases.size(), limits);
  MigrationCounts migrations;
  SubphaseLoads subphases(rows, limits);
  EntityColumns entities(dataset.entities);
  ObjectColumns objects(dataset, phases, limits);
  TrafficColumns traffic(rows, phases.size(), limits);
  progress.begin("collecting", phases.size(), "phases");
  for (std::size_t position = 0; position < phases.size(); ++position) {
    PhaseData data{.dataset = dataset,
                   .position = position,
                   .phase = balance::load_phase(dataset, phases[position], {.edge_objects = false}),
                   .ranks = balance::rank_overviews(dataset, phases[position]),
                   .user_numbers = {}};
    data.user_numbers = user_numbers(dataset, data.phase, limits.user_numbers);
    quantities.add(data);
    migrations.add(data);
    subphases.add(data);
    objects.add(data, entities);
    traffic.add(data, entities);
    progress.advance(1);
  }
  progress.end();

  write_lost(json, overview, dataset.ranks.size());
  json.key("findings").values(find_imbalance(dataset, overview)).key("notes").begin_array();
  for (const std::string& note : {quantities.note(), objects.note(), traffic.note(), subphases.note()})
    if (!note.empty()) json.value(note);
  json.end_array();
  write_nodes(json, dataset);
  quantities.write(json);
  migrations.write(json);
  write_balancing(json, dataset, phases);
  subphases.write(json);
  entities.write(json);
  objects.write(json);
  traffic.write(json);
}

}  // namespace plimsoll::report
