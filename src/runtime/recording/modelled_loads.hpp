#pragma once

#include <memory>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

namespace plimsoll::runtime {

/// The loads that a load model expects of this rank's objects, from the phases that NodeLBData keeps.
class ModelledLoads {
 public:
  /// Has `data` keep as many phases as the model looks back. Null if the settings have no model but what was
  /// measured, which needs no work.
  static std::unique_ptr<ModelledLoads> make(const Settings& settings, NodeLBData& data);

  /// Seconds of each task of a phase that is over, and that `data` does not have yet, in the phase after it.
  /// Throws as balance::LoadHistory and next_phase_loads().
  std::vector<double> after(const lbdata::PhaseRecord& phase) const;

 private:
  ModelledLoads(balance::LoadModelPtr model, const NodeLBData& data)
      : model_(std::move(model)), data_(data) {}

  balance::LoadModelPtr model_;
  const NodeLBData& data_;
};

}  // namespace plimsoll::runtime
