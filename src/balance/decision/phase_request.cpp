#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/load_model.hpp>

#include "balance/database/object_numbers.hpp"
#include "balance/database/phase_columns.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseRequest& request,
                        const StrategyNeeds& needs) {
  PhaseColumns columns = request.columns;
  const std::int64_t id = request.phase ? *request.phase : last_complete_phase(dataset);
  columns.memory = columns.memory || needs.memory || mention_memory(phase_records(dataset, id));
  columns.positions = columns.positions || needs.positions;
  DatasetPhase phase = load_phase(dataset, id, columns);
  apply_load_model(dataset, phase, *make_load_model(request.load_model));
  return phase;
}

}  // namespace plimsoll::balance
