#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <plimsoll/documents/layouts.hpp>

#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

// Parts of a study as its document contains them. They refer to the study.

using pelayout::Alternative;
using pelayout::ComponentPrediction;
using pelayout::ComponentSensitivity;
using pelayout::ExpectedTime;
using pelayout::FitQuality;
using pelayout::Layout;
using pelayout::LeftOutComponent;
using pelayout::ModelPoint;
using pelayout::NextRuns;
using pelayout::PesEntry;
using pelayout::Place;
using pelayout::PlanOptions;
using pelayout::Prediction;
using pelayout::Reproduction;
using pelayout::Sample;
using pelayout::Sensitivity;
using pelayout::Solution;
using pelayout::Study;
using pelayout::Sweep;
using pelayout::SweepPoint;
using pelayout::WorthMeasuring;

/// A layout in a list.
struct ListedLayout {
  std::string name;
  std::string description;
  std::optional<std::string> expression;
  std::optional<std::vector<std::string>> components;
};

inline std::vector<ListedLayout> listed_layouts(const LayoutList&) {
  std::vector<ListedLayout> list;
  for (const Layout& layout : pelayout::built_in_layouts())
    list.push_back({layout.name, layout.description, to_string(layout.expression),
                    pelayout::components(layout.expression)});
  list.push_back({"Sequential", sequential_layout, {}, {}});
  return list;
}

inline std::optional<std::string> expression_of(const Layout& layout) {
  const bool is_empty = layout.expression.component.empty() && layout.expression.parts.empty();
  return is_empty ? std::nullopt : std::optional(to_string(layout.expression));
}

/// What a run costs; null without the time per model day.
struct RunCost {
  double time = 0;
  std::optional<double> simulated_years_per_day;
  std::optional<double> core_hours_per_simulated_year;
};

inline RunCost cost_of(const Study& study, double time, double core_hours) {
  if (!study.per_day() || !(time > 0)) return {time, {}, {}};
  return {time, pelayout::throughput(time), core_hours};
}

inline RunCost cost_of(const Study& study, const Solution& solution, std::int64_t total) {
  return cost_of(study, solution.time, study.core_hours(solution, total));
}

inline RunCost cost_of_study(const Study& study) {
  return cost_of(study, study.solution, study.total);
}

/// The expected time of a study.
struct Expectation {
  const Study* study = nullptr;
  const ExpectedTime* time = nullptr;

  RunCost cost() const { return cost_of(*study, time->time, study->core_hours()); }
  std::array<double, 2> range() const { return {time->range.min, time->range.max}; }
};

/// The run that calibrates an expected time.
struct CalibratingRun {
  const ExpectedTime* time = nullptr;

  const Reproduction& run() const { return *time->run; }
};

inline std::optional<CalibratingRun> run_of(const ExpectedTime& time) {
  return time.run ? std::optional(CalibratingRun{&time}) : std::nullopt;
}

inline std::optional<Expectation> expectation_of(const Study& study) {
  return study.expected ? std::optional(Expectation{&study, &*study.expected}) : std::nullopt;
}

/// The nodes of the machine, and how many a study uses.
struct UsedNodes {
  const Study* study = nullptr;

  const pelayout::Nodes& nodes() const { return *study->plan.nodes; }
  std::int64_t total() const { return nodes().count(study->total); }
  std::int64_t used() const { return nodes().count(study->solution.processors); }
};

inline std::optional<UsedNodes> used_nodes(const Study& study) {
  return study.plan.nodes ? std::optional(UsedNodes{&study}) : std::nullopt;
}

inline std::optional<std::int64_t> known_nodes(const Place& place) {
  return place.nodes > 0 ? std::optional(place.nodes) : std::nullopt;
}

/// A component of the solution, with its sensitivity if known.
struct PlaceInfo {
  const Place* place = nullptr;
  const ComponentSensitivity* sensitivity = nullptr;
};

inline std::vector<PlaceInfo> places_of(const Study& study) {
  std::vector<PlaceInfo> places;
  for (std::size_t k = 0; k < study.solution.places.size(); ++k) {
    const bool is_known = study.sensitivity && k < study.sensitivity->components.size();
    places.push_back({&study.solution.places[k], is_known ? &study.sensitivity->components[k] : nullptr});
  }
  return places;
}

using Count = std::variant<std::int64_t, double>;

inline NamedValues<Count> values_of(const Study& study) {
  NamedValues<Count> values;
  for (const auto& [name, value] : study.values) {
    const bool is_count = name.starts_with("N") && std::abs(value) < 9e15;
    values.emplace_back(name, is_count ? Count(std::int64_t{std::llround(value)}) : Count(value));
  }
  return values;
}

/// A point of a model, with its measurement if it has one.
struct PointInfo {
  ModelPoint point;
  const Sample* sample = nullptr;
};

/// A model of a component with a number of threads.
struct ModelInfo {
  std::string component;
  std::string model;
  std::int64_t block_size = 0;
  std::int64_t threads = 0;
  std::vector<PointInfo> points;
  std::optional<FitQuality> fit;
  std::vector<std::string> warnings;
};

inline std::vector<std::string> lines_of(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(to_string(diagnostic));
  return lines;
}

inline ModelInfo info_of(const pelayout::ComponentModel& model, std::int64_t threads,
                         const pelayout::ScalingModel& scaling, const pelayout::Component* component) {
  ModelInfo info = {.component = model.component,
                    .model = component == nullptr ? "" : component->model,
                    .block_size = model.block_size,
                    .threads = threads,
                    .points = {},
                    .fit = scaling.quality(),
                    .warnings = lines_of(scaling.warnings())};
  for (const ModelPoint& point : scaling.points()) {
    const bool is_measured = component != nullptr && !point.extrapolated;
    info.points.push_back({point, is_measured ? component->find(point.tasks, threads) : nullptr});
  }
  return info;
}

inline std::vector<ModelInfo> models_of(const Study& study) {
  std::vector<ModelInfo> models;
  for (const pelayout::ComponentModel& model : study.models)
    for (const auto& [threads, scaling] : model.by_threads)
      models.push_back(info_of(model, threads, *scaling, study.problem.find(model.component)));
  return models;
}

/// Another layout, with its cost for the total of the study.
struct AlternativeInfo {
  const Study* study = nullptr;
  const Alternative* alternative = nullptr;

  RunCost cost() const { return cost_of(*study, alternative->solution, study->total); }
};

/// The sensitivity of a study.
struct SensitivityInfo {
  const Study* study = nullptr;
  const Sensitivity* sensitivity = nullptr;

  std::vector<AlternativeInfo> alternatives() const {
    std::vector<AlternativeInfo> list;
    for (const Alternative& alternative : sensitivity->alternatives) list.push_back({study, &alternative});
    return list;
  }
};

inline std::optional<SensitivityInfo> sensitivity_of(const Study& study) {
  return study.sensitivity ? std::optional(SensitivityInfo{&study, &*study.sensitivity}) : std::nullopt;
}

/// A total of a sweep.
struct SweepPointInfo {
  const Study* study = nullptr;
  const SweepPoint* point = nullptr;

  std::optional<std::int64_t> nodes() const {
    return study->plan.nodes ? std::optional(study->plan.nodes->count(point->total)) : std::nullopt;
  }
  RunCost cost() const { return cost_of(*study, point->solution, point->total); }
  NamedValues<std::int64_t> tasks() const {
    NamedValues<std::int64_t> tasks;
    for (const Place& place : point->solution.places) tasks.emplace_back(place.component, place.tasks);
    return tasks;
  }
};

/// The comparison of totals.
struct SweepInfo {
  const Study* study = nullptr;

  const pelayout::TotalChoice& choice() const { return *study->choice; }
  std::int64_t chosen() const { return choice().sweep.points[choice().chosen].total; }
  std::optional<std::int64_t> knee() const {
    const Sweep& sweep = choice().sweep;
    return sweep.knee ? std::optional(sweep.points[*sweep.knee].total) : std::nullopt;
  }
  std::vector<SweepPointInfo> points() const {
    std::vector<SweepPointInfo> list;
    for (const SweepPoint& point : choice().sweep.points) list.push_back({study, &point});
    return list;
  }
};

inline std::optional<SweepInfo> sweep_of(const Study& study) {
  return study.choice ? std::optional(SweepInfo{&study}) : std::nullopt;
}

inline NamedValues<std::int64_t> tasks_of(const PesEntry& run) {
  NamedValues<std::int64_t> tasks;
  for (const auto& [component, pes] : run.components)
    if (pes.tasks) tasks.emplace_back(component, *pes.tasks);
  return tasks;
}

inline const char* unit_of(const Study& study) {
  return study.per_day() ? "seconds_per_day" : "total_seconds";
}

inline const Study& study_of(const StudyInfo& info) {
  return info.study;
}

inline std::vector<std::string> warnings_of_study(const StudyInfo& info) {
  return lines_of(info.warnings);
}

}  // namespace plimsoll::documents
