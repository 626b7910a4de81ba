#include <algorithm>

#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

const char* unit_symbol(CostUnit unit) {
  switch (unit) {
    case CostUnit::seconds_per_day: return "s/day";
    case CostUnit::seconds_per_step: return "s/step";
    case CostUnit::total_seconds: break;
  }
  return "s";
}

const char* json_name(CostUnit unit) {
  switch (unit) {
    case CostUnit::seconds_per_day: return "seconds_per_day";
    case CostUnit::seconds_per_step: return "seconds_per_step";
    case CostUnit::total_seconds: break;
  }
  return "total_seconds";
}

const Sample* Component::find(std::int64_t tasks, std::int64_t threads) const {
  for (const Sample& sample : samples)
    if (sample.tasks == tasks && sample.threads == threads) return &sample;
  return nullptr;
}

const Component* Problem::find(const std::string& name) const {
  for (const Component& component : components)
    if (component.name == name) return &component;
  return nullptr;
}

std::int64_t Problem::max_tasks() const {
  std::int64_t maximum = 1;
  for (const Component& component : components)
    for (const Sample& sample : component.samples) maximum = std::max(maximum, sample.tasks);
  return maximum;
}

std::vector<std::string> Problem::component_names() const {
  std::vector<std::string> names;
  for (const Component& component : components) names.push_back(component.name);
  return names;
}

}  // namespace plimsoll::pelayout
