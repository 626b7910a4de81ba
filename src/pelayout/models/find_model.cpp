#include "pelayout/models/find_model.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component) {
  const auto found = std::ranges::find(models, component, &ComponentModel::component);
  return found == models.end() ? nullptr : &*found;
}

const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads) {
  const ComponentModel* const model = find_model(models, component);
  if (model == nullptr || model->by_threads.empty()) return nullptr;
  const auto exact = model->by_threads.find(threads);
  return (exact == model->by_threads.end() ? model->by_threads.begin() : exact)->second.get();
}

}  // namespace plimsoll::pelayout
