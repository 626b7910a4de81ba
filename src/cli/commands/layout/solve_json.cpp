#include "cli/commands/layout/solve_json.hpp"

#include <cmath>
#include <optional>

#include <plimsoll/support/json_writer.hpp>

#include "cli/commands/layout/models_json.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using pelayout::ComponentSensitivity;
using pelayout::Place;
using support::JsonWriter;

void write_layout(JsonWriter& json, const pelayout::Layout& layout) {
  json.begin_object().member("name", layout.name).member("description", layout.description).key("expression");
  if (layout.expression.component.empty() && layout.expression.parts.empty())
    json.null();
  else
    json.value(to_string(layout.expression));
  json.end_object();
}

/// Writes `time`, throughput and cost per simulated year.
void write_time(JsonWriter& json, const pelayout::Study& study, double time, double core_hours) {
  const bool known = study.per_day() && time > 0;
  json.member("time", time)
      .member("simulated_years_per_day", known ? pelayout::throughput(time) : NAN)
      .member("core_hours_per_simulated_year", known ? core_hours : NAN);
}

void write_time(JsonWriter& json, const pelayout::Study& study, const pelayout::Solution& solution,
                std::int64_t total) {
  write_time(json, study, solution.time, study.core_hours(solution, total));
}

std::optional<std::int64_t> number_of_nodes(const pelayout::Study& study, std::int64_t processors) {
  return study.plan.nodes ? std::optional(study.plan.nodes->count(processors)) : std::nullopt;
}

void write_nodes(JsonWriter& json, const pelayout::Study& study) {
  const std::optional<pelayout::Nodes>& nodes = study.plan.nodes;
  if (!nodes) {
    json.null();
    return;
  }
  json.begin_object()
      .member("tasks_per_node", nodes->tasks_per_node)
      .member("processors_per_node", nodes->processors_per_node)
      .member("shared", nodes->shared)
      .member("total", nodes->count(study.total))
      .member("used", nodes->count(study.solution.processors))
      .end_object();
}

void write_place(JsonWriter& json, const Place& place) {
  json.member("component", place.component)
      .member("tasks", place.tasks)
      .member("threads", place.threads)
      .member("blocks", place.blocks)
      .member("processors", place.processors)
      .member("root", place.root)
      .member("nodes", place.nodes > 0 ? std::optional(place.nodes) : std::nullopt)
      .member("cost", place.cost)
      .member("start", place.start)
      .member("end", place.end);
}

void write_places(JsonWriter& json, const pelayout::Study& study) {
  json.begin_array();
  for (std::size_t k = 0; k < study.solution.places.size(); ++k) {
    write_place(json.begin_object(), study.solution.places[k]);
    if (study.sensitivity && k < study.sensitivity->components.size()) {
      const ComponentSensitivity& matters = study.sensitivity->components[k];
      json.member("limiting", matters.limiting)
          .member("slack", matters.slack)
          .member("gain_of_block", matters.gain_of_block)
          .member("share", matters.share)
          .member("extrapolated", matters.extrapolated);
    }
    json.end_object();
  }
  json.end_array();
}

void write_solution(JsonWriter& json, const pelayout::Study& study) {
  json.begin_object();
  for (const auto& [key, value] : study.values) {
    if (key.starts_with("N") && std::abs(value) < 9e15)
      json.member(key, std::llround(value));
    else
      json.member(key, value);
  }
  json.end_object();
}

void write_run(JsonWriter& json, const pelayout::ExpectedTime& expected) {
  if (!expected.run) {
    json.null();
    return;
  }
  json.begin_object()
      .member("file", expected.run->path)
      .member("tasks", expected.run->tasks)
      .member("total", expected.run->total)
      .member("measured", expected.run->measured)
      .member("change", expected.change())
      .member("certain", expected.is_certain())
      .end_object();
}

void write_expected(JsonWriter& json, const pelayout::Study& study) {
  if (!study.expected) {
    json.null();
    return;
  }
  const pelayout::ExpectedTime& expected = *study.expected;
  json.begin_object();
  write_time(json, study, expected.time, study.core_hours());
  json.key("range").values(std::vector<double>{expected.range.min, expected.range.max});
  json.member("by_models", expected.by_models);
  write_run(json.key("run"), expected);
  json.end_object();
}

void write_runs(JsonWriter& json, const pelayout::Study& study) {
  json.begin_array();
  for (const pelayout::Reproduction& run : study.runs)
    json.begin_object()
        .member("file", run.path)
        .member("tasks", run.tasks)
        .member("total", run.total)
        .member("predicted", run.predicted)
        .member("measured", run.measured)
        .member("error", run.error())
        .end_object();
  json.end_array();
}

void write_left_out(JsonWriter& json, const pelayout::Study& study) {
  json.begin_array();
  for (const pelayout::LeftOutComponent& component : study.left_out)
    json.begin_object()
        .member("component", component.component)
        .member("tasks", component.tasks)
        .member("cost", component.cost)
        .end_object();
  json.end_array();
}

void write_sensitivity(JsonWriter& json, const pelayout::Study& study) {
  if (!study.sensitivity) {
    json.null();
    return;
  }
  const pelayout::Sensitivity& sensitivity = *study.sensitivity;
  json.begin_object().member("idle", sensitivity.idle).member("block", sensitivity.block);
  json.member("time_with_one_block_more", sensitivity.one_block_more);
  json.member("time_with_one_block_less", sensitivity.one_block_less);
  json.member("layout_hardly_matters", sensitivity.layout_hardly_matters).key("alternatives").begin_array();
  for (const pelayout::Alternative& other : sensitivity.alternatives) {
    json.begin_object().member("name", other.name).member("expression", other.expression);
    write_time(json, study, other.solution, study.total);
    json.key("places").begin_array();
    for (const Place& place : other.solution.places) {
      write_place(json.begin_object(), place);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_sweep(JsonWriter& json, const pelayout::Study& study) {
  if (!study.choice) {
    json.null();
    return;
  }
  const pelayout::Sweep& sweep = study.choice->sweep;
  json.begin_object()
      .member("objective", study.choice->objective)
      .member("chosen", sweep.points[study.choice->chosen].total)
      .member("knee", sweep.knee ? std::optional(sweep.points[*sweep.knee].total) : std::nullopt)
      .key("points")
      .begin_array();
  for (const pelayout::SweepPoint& point : sweep.points) {
    json.begin_object()
        .member("total_tasks", point.total)
        .member("nodes", number_of_nodes(study, point.total));
    write_time(json, study, point.solution, point.total);
    json.member("pareto", point.pareto).key("tasks").begin_object();
    for (const Place& place : point.solution.places) json.member(place.component, place.tasks);
    json.end_object().end_object();
  }
  json.end_array().key("infeasible").values(sweep.infeasible).end_object();
}

void write_prediction(JsonWriter& json, const pelayout::Study& study) {
  if (!study.prediction) {
    json.null();
    return;
  }
  const pelayout::Prediction& prediction = *study.prediction;
  json.begin_object()
      .member("file", prediction.path)
      .member("predicted", prediction.predicted)
      .member("from_measured_components", prediction.from_measured_components)
      .member("measured", prediction.measured)
      .key("components")
      .begin_array();
  for (const pelayout::ComponentPrediction& component : prediction.components)
    json.begin_object()
        .member("component", component.component)
        .member("tasks", component.tasks)
        .member("threads", component.threads)
        .member("predicted", component.predicted)
        .member("measured", component.measured)
        .member("error", component.error())
        .end_object();
  json.end_array().end_object();
}

void write_next_runs(JsonWriter& json, const pelayout::Study& study) {
  if (!study.next_runs) {
    json.null();
    return;
  }
  json.begin_object().key("counts").begin_array();
  for (const pelayout::WorthMeasuring& worth : study.next_runs->counts)
    json.begin_object()
        .member("component", worth.component)
        .member("tasks", worth.tasks)
        .member("threads", worth.threads)
        .member("doubt", worth.doubt)
        .member("reason", worth.reason)
        .end_object();
  json.end_array().key("runs").begin_array();
  for (const pelayout::PesEntry& run : study.next_runs->runs) {
    json.begin_object()
        .member("pesize", run.pesize)
        .member("comment", run.comment)
        .key("tasks")
        .begin_object();
    for (const auto& [component, pes] : run.components)
      if (pes.tasks) json.member(component, *pes.tasks);
    json.end_object().end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string study_json(const pelayout::Study& study, std::span<const Diagnostic> warnings,
                       const std::vector<std::string>& outputs) {
  std::string text;
  JsonWriter json(text);
  write_layout(json.begin_object().key("layout"), study.layout);
  json.member("total_tasks", study.total)
      .member("unit", study.per_day() ? "seconds_per_day" : "total_seconds")
      .member("model", to_string(study.plan.model))
      .member("solver", study.solver)
      .member("exact_sum", study.plan.exact_sum)
      .member("counts_threads", study.counts_threads);
  write_time(json, study, study.solution, study.total);
  write_expected(json.key("expected"), study);
  json.member("processors", study.solution.processors);
  write_nodes(json.key("nodes"), study);
  write_solution(json.key("solution"), study);
  write_places(json.key("places"), study);
  write_runs(json.key("runs"), study);
  write_left_out(json.key("left_out"), study);
  write_models(json.key("models"), study);
  write_sensitivity(json.key("sensitivity"), study);
  write_sweep(json.key("sweep"), study);
  write_prediction(json.key("prediction"), study);
  write_next_runs(json.key("next_runs"), study);
  json.key("warnings").values(lines_of(warnings)).key("outputs").values(outputs).end_object();
  return text + '\n';
}

}  // namespace plimsoll::cli
