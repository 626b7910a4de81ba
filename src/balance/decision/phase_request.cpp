#include <plimsoll/balance/apply_load_model.hpp>
#include <plimsoll/balance/phase_request.hpp>

namespace plimsoll::inline v0_1::balance {

DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseRequest& request,
                        const StrategyNeeds& needs) {
  PhaseColumns columns = request.columns;
  const bool weighs_memory = request.work && request.work->delta != 0;
  columns.memory = columns.memory || needs.memory || weighs_memory;
  columns.positions = columns.positions || needs.positions;
  const std::int64_t id = request.phase ? *request.phase : last_complete_phase(dataset);
  DatasetPhase phase = load_phase(dataset, id, columns);
  apply_load_model(dataset, phase, *make_load_model(request.load_model));
  return phase;
}

}  // namespace plimsoll::balance
