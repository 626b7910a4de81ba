#include "runtime/recording/modelled_loads.hpp"

#include <algorithm>

#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

using balance::LoadHistory;

namespace {

/// Returns the records of at most `n_phases` (>= 1) phases, oldest first. Stores in `added` those that
/// NodeLBData builds: loads of objects in phases in which they were not on this rank. `newest`, if not null,
/// is a phase that has ended and is not in `data` yet.
std::vector<LoadHistory::Phase> records(const NodeLBData& data, std::size_t n_phases,
                                        const lbdata::PhaseRecord* newest,
                                        std::deque<lbdata::PhaseRecord>& added) {
  const std::size_t of_data = std::min(data.phases().size(), newest == nullptr ? n_phases : n_phases - 1);
  std::vector<LoadHistory::Phase> phases;
  for (auto record = data.phases().end() - static_cast<std::ptrdiff_t>(of_data);
       record != data.phases().end(); ++record) {
    const bool is_newest = newest == nullptr && record + 1 == data.phases().end();
    phases.push_back({&*record});
    if (is_newest) continue;
    added.push_back(data.added_history(record->id));
    phases.back().push_back(&added.back());
  }
  if (newest != nullptr) phases.push_back({newest});
  return phases;
}

}  // namespace

std::vector<double> steady_loads(const NodeLBData& data, balance::Steady which) {
  std::deque<lbdata::PhaseRecord> added;
  const LoadHistory loads(data.entities(), records(data, balance::steady_phases, nullptr, added),
                          LoadHistory::Traffic::ignore, data.rank());
  return balance::steady_loads(loads, which);
}

std::vector<double> loads_of_phases(const NodeLBData& data, std::size_t n_phases) {
  std::deque<lbdata::PhaseRecord> added;
  const LoadHistory loads(data.entities(), records(data, n_phases, nullptr, added),
                          LoadHistory::Traffic::ignore, data.rank());
  return balance::loads_of_phases(loads, n_phases);
}

std::unique_ptr<ModelledLoads> ModelledLoads::make(const std::string& load_model, NodeLBData& data) {
  balance::LoadModelPtr model = balance::make_load_model(load_model);
  if (model->text() == balance::measured_loads) return nullptr;
  data.keep(std::max(model->past_phases_needed(), data.kept()));
  return std::unique_ptr<ModelledLoads>(new ModelledLoads(std::move(model), data));
}

std::vector<double> ModelledLoads::after(const lbdata::PhaseRecord& phase) const {
  using Traffic = LoadHistory::Traffic;
  std::deque<lbdata::PhaseRecord> added;
  const LoadHistory loads(data_.entities(), records(data_, model_->past_phases_needed(), &phase, added),
                          model_->needs_traffic() ? Traffic::count : Traffic::ignore, data_.rank());
  model_->use(loads);
  return balance::next_phase_loads(*model_);
}

}  // namespace plimsoll::runtime
