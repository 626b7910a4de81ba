#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model_registry.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::inline v0_1::balance {

/// Which phase of a data set to balance, by which loads, and how placements are weighed.
struct PhaseRequest {
  std::optional<std::int64_t> phase = {};     ///< the last one with data on all ranks unless given
  std::string load_model = measured_loads;    ///< a pipeline (make_load_model()): strategies see its loads
  PhaseColumns columns = {};                  ///< what to read even if no strategy needs it
  std::optional<WorkCoefficients> work = {};  ///< of the work of ranks; the defaults unless given
};

/// Takes the phase, with the loads of the load model and the columns that are asked for or needed. Throws as
/// load_phase(), make_load_model() and apply_load_model(), and Error (bad_input) if no phase has data on all
/// ranks.
DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseRequest& request,
                        const StrategyNeeds& needs = {});

}  // namespace plimsoll::balance
