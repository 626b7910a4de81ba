#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/runtime/balancer.hpp>

#include "runtime/manager/lb_manager.hpp"
#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::inline v0_1::runtime {

Balancer::Balancer(LoadRecorder& recorder)
    : recorder_(recorder),
      manager_(std::make_unique<LBManager>(*recorder.session_, recorder.parts_->recording,
                                           recorder.parts_->data, recorder.parts_->phase_end)) {}

Balancer::~Balancer() = default;

void Balancer::balance_at_phase_ends(ObjectTransport transport) {
  mpi::agreed(recorder_.session_->communicator(), [&] {
    if (!transport.size_bytes || !transport.pack || !transport.unpack)
      throw support::usage_error("missing functions to migrate objects",
                                 "pass size_bytes, pack and unpack to balance_at_phase_ends()");
    manager_->set_transport(std::move(transport));
  });
}

MigrationPlan Balancer::plan() {
  return manager_->plan();
}

MigrationPlan Balancer::plan(const std::string& strategy) {
  return manager_->plan(strategy);
}

void Balancer::moved(const MigrationPlan& plan) {
  manager_->moved(plan);
}

MigrationReport Balancer::migrate(const MigrationPlan& plan, const ObjectTransport& transport) {
  return manager_->migrate(plan, transport);
}

std::vector<int> Balancer::owner(std::span<const ObjectId> ids) {
  return manager_->owner(ids);
}

void Balancer::set_strategy(const std::string& strategy) {
  manager_->policy().set_strategy(strategy);
}

void Balancer::set_load_model(const std::string& model) {
  recorder_.parts_->phase_end.set_load_model(model);
}

void Balancer::set_available(bool available) {
  manager_->monitor().set_available(available);
}

void Balancer::on_migration(std::function<void(const MigrationPlan&)> hook) {
  manager_->on_migration(std::move(hook));
}

}  // namespace plimsoll::runtime
