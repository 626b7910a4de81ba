#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/load_model_registry.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Request for one phase of a data set: the phase, its loads, and the coefficients of the work model.
struct PhaseRequest {
  std::optional<std::int64_t> phase = {};  ///< phase to use; default: the last with data on all ranks
  /// Pipeline for make_load_model(); strategies balance the loads that it predicts.
  std::string load_model = measured_loads;
  PhaseColumns columns = {};                  ///< columns to read even if no strategy needs them
  std::optional<WorkCoefficients> work = {};  ///< coefficients of the work model; default: WorkCoefficients()
};

/// Reads the phase with the loads of the load model and all requested or needed columns. Also reads
/// LDStats::memory if the data contain memory sizes, so that the cost of a placement is known. Throws like
/// load_phase(), make_load_model() and apply_load_model(). Throws Error (bad_input) if no phase has data on
/// all ranks.
DatasetPhase load_phase(const lbdata::Dataset& dataset, const PhaseRequest& request,
                        const StrategyNeeds& needs = {});

}  // namespace plimsoll::balance
