#include <algorithm>
#include <string>

#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/commands/info/overview_text.hpp"
#include "cli/commands/info/statistics_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

void write_loads(support::JsonWriter& json, const balance::LoadDistribution& loads) {
  lbdata::RecordedStatistics statistics = lbdata::recorded(loads.statistics);
  statistics.imbalance = defined_imbalance(loads.statistics);
  json.begin_object();
  write_statistics(json, statistics, "s");
  json.member("lower_quartile_s", loads.quartiles.lower)
      .member("median_s", loads.quartiles.median)
      .member("upper_quartile_s", loads.quartiles.upper)
      .end_object();
}

void write_json(support::JsonWriter& json, const balance::PhaseOverview& phase, bool with_work) {
  json.begin_object()
      .member("phase", phase.phase)
      .member("objects", phase.n_objects)
      .member("migratable_objects", phase.n_migratable)
      .member("edges", phase.n_edges)
      .member("max_load_s", phase.quality.max_time_s)
      .member("mean_load_s", phase.quality.mean_time_s)
      .member("imbalance", phase.quality.imbalance)
      .member("lower_bound_s", phase.bound.time_s)
      .member("lower_bound_cause", balance::to_string(phase.bound.cause))
      .member("off_rank_bytes", phase.quality.off_rank_bytes)
      .member("off_rank_messages", phase.quality.off_rank_messages);
  if (with_work) {
    json.member("work_sum_s", phase.quality.work.sum)
        .member("work_max_s", phase.quality.work.max)
        .member("work_imbalance", phase.quality.work.imbalance);
    if (!phase.quality.work.memory_bytes.empty()) {
      json.member("max_memory_bytes", phase.max_memory_bytes())
          .member("max_node_memory_bytes", std::ranges::max(phase.quality.work.node_memory_bytes));
    }
  }
  write_loads(json.key("rank_loads"), phase.rank_loads);
  write_loads(json.key("object_loads"), phase.object_loads);
  json.end_object();
}

void write_balancing(support::JsonWriter& json, const balance::RecordedBalancing& balancing) {
  json.begin_object()
      .key("strategies")
      .values(balancing.strategies)
      .member("phases", balancing.n_phases)
      .member("migrations", balancing.n_migrations)
      .member("decision_s", balancing.decision_s)
      .member("migration_s", balancing.migration_s)
      .end_object();
}

/// Writes the attributes of the data set on one line, or null unless all ranks have the same.
void write_attributes(support::JsonWriter& json, const lbdata::Dataset& dataset) {
  const auto& first = dataset.ranks.front().metadata.attributes;
  const bool same = std::ranges::all_of(
      dataset.ranks, [&](const lbdata::RankData& rank) { return rank.metadata.attributes == first; });
  json.key("attributes");
  if (!same || !first) {
    json.null();
    return;
  }
  std::string text = *first;
  std::ranges::replace_if(
      text, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  json.raw(text);
}

}  // namespace

std::string overview_json(const lbdata::Dataset& dataset, const balance::DatasetOverview& overview,
                          bool with_work, std::span<const Diagnostic> warnings) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().member("ranks", dataset.ranks.size());
  write_attributes(json, dataset);
  json.key("phases").begin_array();
  for (const balance::PhaseOverview& phase : overview.phases) write_json(json, phase, with_work);
  json.end_array();
  write_balancing(json.key("load_balancing"), overview.balancing);
  json.key("partial_phases").values(overview.partial_phases).key("heaviest_objects").begin_array();
  for (const balance::HeavyObject& object : overview.heaviest) {
    json.begin_object()
        .key("object")
        .raw(name_of(dataset.entities, object.entity).number)
        .member("rank", object.rank)
        .member("phase", object.phase)
        .member("load_s", object.load_s)
        .member("migratable", dataset.entities.migratable(object.entity))
        .end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const Diagnostic& warning : warnings)
    json.begin_object()
        .member("check", warning.check)
        .member("what", warning.what)
        .member("suggestion", warning.suggestion)
        .end_object();
  json.end_array().end_object();
  return text + '\n';
}

}  // namespace plimsoll::cli
