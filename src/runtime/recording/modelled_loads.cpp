#include "runtime/recording/modelled_loads.hpp"

#include <algorithm>

#include <plimsoll/balance/load_model.hpp>

#include "runtime/recording/rank_history.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::unique_ptr<ModelledLoads> ModelledLoads::make(const std::string& load_model, NodeLBData& data) {
  balance::LoadModelPtr model = balance::make_load_model(load_model);
  if (model->text() == balance::measured_loads) return nullptr;
  data.keep(std::max(model->past_phases_needed(), data.kept()));
  return std::unique_ptr<ModelledLoads>(new ModelledLoads(std::move(model), data));
}

std::vector<double> ModelledLoads::after(const lbdata::PhaseRecord& phase) const {
  using Traffic = balance::LoadHistory::Traffic;
  const RankHistory history(data_, model_->past_phases_needed(), &phase,
                            model_->needs_traffic() ? Traffic::count : Traffic::ignore);
  model_->use(history.loads());
  return balance::next_phase_loads(*model_);
}

}  // namespace plimsoll::runtime
