#pragma once

#include <plimsoll/documents/layouts.hpp>

#include "documents/describe.hpp"

// Fields of runs and of the times that they are expected to take, for layouts.cpp.

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace pelayout;

/// What a run costs; null without the time per model day.
struct RunCost {
  double time = 0;
  std::optional<double> simulated_years_per_day;
  std::optional<double> core_hours_per_simulated_year;
};

inline RunCost cost_of(const Study& study, double time, double core_hours) {
  if (!study.per_day() || !(time > 0)) return {time, {}, {}};
  if (!study.plan.partitions.empty()) return {time, throughput(time), {}};
  return {time, throughput(time), core_hours};
}

inline RunCost cost_of(const Study& study, const Solution& solution, std::int64_t total) {
  return cost_of(study, solution.time, study.core_hours(solution, solution.time, total));
}

/// The run that calibrates an expected time.
struct CalibratingRun {
  const ExpectedTime* time = nullptr;
  const Reproduction* run = nullptr;
};

template <>
inline constexpr std::array fields<RunCost> = {
    members<&RunCost::time, &RunCost::simulated_years_per_day, &RunCost::core_hours_per_simulated_year>(),
};

template <>
inline constexpr std::array fields<Reproduction> = {
    field<&Reproduction::path>("file"),
    member<&Reproduction::tasks>("of the whole run"),
    member<&Reproduction::total>("the same, or its processors if `counts_threads`"),
    member<&Reproduction::predicted>("expected from the models"),
    members<&Reproduction::measured, &Reproduction::error>(),
    field<[](const Reproduction& run) { return to_string(run.arrangement); }>(
        "arrangement", "which components ran in sequence in the run, and which concurrently"),
    member<&Reproduction::critical_path>("the time that the measured times of all components add up to"),
    field<&Reproduction::is_understood>(
        "understood",
        "whether the components explain the total; other runs do not calibrate the expected time"),
};

template <>
inline constexpr std::array fields<CalibratingRun> = {
    field<&CalibratingRun::run, &Reproduction::path>("file"),
    member<&CalibratingRun::run, &Reproduction::tasks>(),
    member<&CalibratingRun::run, &Reproduction::total>(),
    member<&CalibratingRun::run, &Reproduction::measured>(),
    member<&CalibratingRun::time, &ExpectedTime::change>("relative, from `measured` to `time`"),
    field<&CalibratingRun::time, &ExpectedTime::is_certain>("certain",
                                                            "whether `measured` lies outside `range`"),
};

template <>
inline constexpr std::array fields<ExpectedTime> = {
    merged<[](const ExpectedTime& expected, const Study& study) {
      return cost_of(study, expected.time, study.core_hours());
    }>(),
    field<[](const ExpectedTime& time) {
      return std::array{time.range.min, time.range.max};
    }>("range", "minimum and maximum of the time with a probability of 90 %"),
    member<&ExpectedTime::by_models>("the expected time without your runs"),
    field<[](const ExpectedTime& time) {
      return time.run ? std::optional(CalibratingRun{&time, &*time.run}) : std::nullopt;
    }>("run", "the run that calibrates the time; `null` without runs"),
};

template <>
inline constexpr std::array fields<OwnLayout> = {
    field<&OwnLayout::path>("file"),
    member<&OwnLayout::runs>("number of runs with this layout"),
    field<[](const OwnLayout& own) { return to_string(own.layout.expression); }>("expression"),
    member<&OwnLayout::total>(),
    member<&OwnLayout::time>("the measured time, the median of the runs"),
    field<[](const OwnLayout& own) {
      return std::array{own.range.min, own.range.max};
    }>("range", "minimum and maximum of the time of another such run with a probability of 90 %"),
    field<[](const OwnLayout&, const Study& study) { return study.keeps_own_layout(); }>(
        "kept",
        "whether no computed layout is expected to be faster by 5 %, so that this layout is the solution"),
};

template <>
inline constexpr std::array fields<ComponentPrediction> = {
    members<&ComponentPrediction::component, &ComponentPrediction::tasks, &ComponentPrediction::threads>(),
    member<&ComponentPrediction::predicted>().or_null(),
    member<&ComponentPrediction::measured>(),
    member<&ComponentPrediction::error>().or_null(),
};

template <>
inline constexpr std::array fields<Prediction> = {
    field<&Prediction::path>("file"),
    member<&Prediction::predicted>("time of the layout by the models"),
    member<&Prediction::from_measured_components>("time of the layout with the times measured in this run")
        .or_null(),
    member<&Prediction::measured>("total time of the run").or_null(),
    field<&Prediction::expected, &ExpectedTime::time>("expected",
                                                      "the total time that the run was expected to take"),
    field<[](const Prediction& prediction) {
      return std::array{prediction.expected.range.min, prediction.expected.range.max};
    }>("range", "minimum and maximum of the expected time with a probability of 90 %"),
    member<&Prediction::components>(),
};

}  // namespace plimsoll::documents
