#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

LoadModelInfo PerCollection::info() {
  return {.name = "PerCollection",
          .help = "uses a separate model per collection; other collections use the underlying model",
          .parameters = {{"COLLECTION", std::string(),
                          "pipeline for objects with this collection_id, stacked on the underlying model"}},
          .example = "PerCollection(7=LinearModel(length=5), 9=Norm(power=3))"};
}

PerCollection::PerCollection(LoadModelPtr base, Models models)
    : ComposedModel(std::move(base)), models_(std::move(models)) {}

const LoadModel& PerCollection::model_of(ObjectIndex object) const {
  const std::optional<lbdata::WideInteger> number = collection(object);
  if (!number || number->negative) return base();
  const auto found = models_.find(number->bits);
  return found == models_.end() ? base() : *found->second;
}

void PerCollection::use(const LoadHistory& history) {
  ComposedModel::use(history);
  for (const auto& [collection, model] : models_) model->use(history);
}

double PerCollection::load_s(ObjectIndex object, PhaseOffset when) const {
  return model_of(object).load_s(object, when);
}

double PerCollection::raw_load_s(ObjectIndex object, PhaseOffset when) const {
  return model_of(object).raw_load_s(object, when);
}

double PerCollection::communication(ObjectIndex object, PhaseOffset when) const {
  return model_of(object).communication(object, when);
}

std::uint32_t PerCollection::n_subphases(ObjectIndex object) const {
  return model_of(object).n_subphases(object);
}

std::size_t PerCollection::past_phases_needed(std::size_t look_back) const {
  std::size_t most = base().past_phases_needed(look_back);
  for (const auto& [collection, model] : models_) most = std::max(most, model->past_phases_needed(look_back));
  return most;
}

bool PerCollection::needs_traffic() const {
  return base().needs_traffic() ||
         std::ranges::any_of(models_, [](const auto& entry) { return entry.second->needs_traffic(); });
}

std::int64_t PerCollection::phases_in_one() const {
  std::int64_t most = base().phases_in_one();
  for (const auto& [collection, model] : models_) most = std::max(most, model->phases_in_one());
  return most;
}

std::string PerCollection::own_text() const {
  std::string text;
  for (const auto& [collection, model] : models_)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", collection, model->text(&base()));
  return fmt::format("PerCollection({})", text);
}

}  // namespace plimsoll::balance
