#include <algorithm>

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

const ComponentModel* Study::model(const std::string& component) const {
  return find_model(models, component);
}

double Study::time() const {
  return expected ? expected->time : solution.time;
}

double Study::core_hours() const {
  return pelayout::core_hours(
      time(), reserved_processors(solution, is_own_kept ? own->total : total, counts_threads));
}

double Study::core_hours(const Solution& of, double its_time, std::int64_t tasks) const {
  return pelayout::core_hours(its_time, reserved_processors(of, tasks, counts_threads));
}

double Study::waiting_core_hours(std::size_t k) const {
  const Place& place = solution.places.at(k);
  return pelayout::core_hours(sensitivity->components.at(k).waiting, place.tasks * place.threads);
}

const Alternative* Study::faster_layout() const {
  constexpr double rounding = 0.001;
  if (keeps_own_layout() || !sensitivity || !expected || expected->time <= 0 ||
      sensitivity->alternatives.empty())
    return nullptr;
  const Alternative& best = sensitivity->alternatives.front();
  return best.expected.time > std::min(expected->range.min, (1 - rounding) * expected->time) ? nullptr
                                                                                             : &best;
}

std::vector<ModelWarning> Study::model_warnings() const {
  std::vector<ModelWarning> warnings;
  const auto add = [&](const std::string& component, Diagnostic warning) {
    if (const std::string prefix = component + ": "; warning.what.starts_with(prefix))
      warning.what.erase(0, prefix.size());
    auto known = std::ranges::find_if(warnings, [&](const ModelWarning& other) {
      return other.warning.what == warning.what && other.warning.suggestion == warning.suggestion;
    });
    if (known == warnings.end()) known = warnings.insert(known, {{}, std::move(warning)});
    if (known->components.empty() || known->components.back() != component)
      known->components.push_back(component);
  };
  for (const Place& place : solution.places) {
    const ComponentModel* used = model(place.component);
    if (used == nullptr) continue;
    for (const auto& [threads, scaling] : used->by_threads)
      for (const Diagnostic& warning : scaling->warnings()) add(place.component, warning);
  }
  return warnings;
}

}  // namespace plimsoll::pelayout
