#include "runtime/recording/modelled_loads.hpp"

#include <algorithm>
#include <deque>

#include <plimsoll/balance/apply_load_model.hpp>
#include <plimsoll/balance/load_model_registry.hpp>

namespace plimsoll::inline v0_1::runtime {

std::unique_ptr<ModelledLoads> ModelledLoads::make(const std::string& load_model, NodeLBData& data) {
  balance::LoadModelPtr model = balance::make_load_model(load_model);
  if (model->text() == balance::measured_loads) return nullptr;
  data.keep(std::max(model->past_phases_needed(), data.kept()));
  return std::unique_ptr<ModelledLoads>(new ModelledLoads(std::move(model), data));
}

std::vector<double> ModelledLoads::after(const lbdata::PhaseRecord& phase) const {
  using balance::LoadHistory;
  const std::size_t earlier = std::min(data_.phases().size(), model_->past_phases_needed() - 1);
  std::vector<LoadHistory::Phase> phases;
  std::deque<lbdata::PhaseRecord> added;  // histories of objects that were not on this rank
  for (auto record = data_.phases().end() - static_cast<std::ptrdiff_t>(earlier);
       record != data_.phases().end(); ++record) {
    added.push_back(data_.added_history(record->id));
    phases.push_back({&*record, &added.back()});
  }
  phases.push_back({&phase});
  const LoadHistory history(
      data_.entities(), std::move(phases),
      model_->needs_traffic() ? LoadHistory::Traffic::count : LoadHistory::Traffic::ignore, data_.rank());
  model_->use(history);
  return balance::next_phase_loads(*model_);
}

}  // namespace plimsoll::runtime
