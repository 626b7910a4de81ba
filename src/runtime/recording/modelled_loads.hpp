#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/steady_loads.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns balance::steady_loads() of the tasks of the last kept phase.
std::vector<double> steady_loads(const NodeLBData& data, balance::Steady which = balance::Steady::median);

/// Returns balance::loads_of_phases() of the tasks of the last kept phase. Requires that so many phases are
/// kept.
std::vector<double> loads_of_phases(const NodeLBData& data, std::size_t n_phases);

/// Predicts the loads of this rank's objects with a load model, from the phases that NodeLBData keeps.
class ModelledLoads {
 public:
  /// Makes `data` keep as many phases as the model needs. Returns null if the model predicts the measured
  /// load, which needs no computation.
  static std::unique_ptr<ModelledLoads> make(const std::string& load_model, NodeLBData& data);

  /// Returns the load, in seconds, that the model predicts for each task of `phase` in the following phase.
  /// `phase` has ended and is not in `data` yet. Throws the same Errors as balance::LoadHistory and
  /// next_phase_loads().
  std::vector<double> after(const lbdata::PhaseRecord& phase) const;

 private:
  ModelledLoads(balance::LoadModelPtr model, const NodeLBData& data)
      : model_(std::move(model)), data_(data) {}

  balance::LoadModelPtr model_;
  const NodeLBData& data_;
};

}  // namespace plimsoll::runtime
