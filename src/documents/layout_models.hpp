#pragma once

#include <plimsoll/documents/layouts.hpp>

#include "documents/describe.hpp"

// Fields of the models of components, for layouts.cpp.

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace pelayout;

inline std::vector<std::string> lines_of(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics) lines.push_back(to_string(diagnostic));
  return lines;
}

/// A model of a component with a number of threads.
struct ModelInfo {
  const ComponentModel* model = nullptr;
  std::int64_t threads = 0;
  const ScalingModel* scaling = nullptr;
  const Component* component = nullptr;
};

inline std::vector<ModelInfo> models_of(const Study& study) {
  std::vector<ModelInfo> models;
  for (const ComponentModel& model : study.models)
    for (const auto& [threads, scaling] : model.by_threads)
      models.push_back({&model, threads, scaling.get(), study.problem.find(model.component)});
  return models;
}

inline const Sample* sample_of(const ModelPoint& point, const ModelInfo& info) {
  const bool is_measured = info.component != nullptr && !point.extrapolated;
  return is_measured ? info.component->find(point.tasks, info.threads) : nullptr;
}

template <>
inline constexpr std::array fields<FitQuality> = {
    members<&FitQuality::a, &FitQuality::b, &FitQuality::c, &FitQuality::d>(),
    member<&FitQuality::r_squared>().or_null(),
    member<&FitQuality::typical_error>().or_null(),
    member<&FitQuality::outliers>(),
};

template <>
inline constexpr std::array fields<Sample> = {
    member<&Sample::repeats>("this key and the next two only if measured"),
    field<&Sample::minimum>("least"),
    field<&Sample::maximum>("greatest"),
};

template <>
inline constexpr std::array fields<ModelPoint> = {
    members<&ModelPoint::tasks, &ModelPoint::cost, &ModelPoint::extrapolated>(),
    merged<sample_of>().or_absent(),
};

template <>
inline constexpr std::array fields<ModelInfo> = {
    member<&ModelInfo::model, &ComponentModel::component>(),
    field<[](const ModelInfo& info) { return info.component == nullptr ? "" : info.component->model; }>(
        "model"),
    member<&ModelInfo::model, &ComponentModel::block_size>(),
    member<&ModelInfo::threads>(),
    member<&ModelInfo::scaling, &ScalingModel::points>(),
    field<&ModelInfo::scaling, &ScalingModel::quality>("fit",
                                                       "the curve a/n + b n^c + d; `null` for other models"),
    field<&ModelInfo::scaling, &ScalingModel::warnings, lines_of>("warnings"),
};

}  // namespace plimsoll::documents
