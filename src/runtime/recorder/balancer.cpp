#include <utility>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/manager/lb_manager.hpp"
#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

Balancer::Balancer(LoadRecorder& recorder)
    : recorder_(recorder),
      manager_(std::make_unique<LBManager>(*recorder.session_, recorder.parts_->recording,
                                           recorder.parts_->data, recorder.parts_->phase_end)) {}

Balancer::~Balancer() = default;

void Balancer::balance_at_phase_ends(ObjectTransport transport) {
  PhaseEnd& phase_end = recorder_.parts_->phase_end;
  if (!transport.size_bytes || !transport.pack || !transport.unpack)
    fail_next_call(support::usage_error("missing functions to migrate objects",
                                        "pass size_bytes, pack and unpack to balance_at_phase_ends()"));
  phase_end.enter(CollectiveCall::balance_at_phase_ends);
  manager_->set_transport(std::move(transport));
}

void Balancer::request(std::vector<Move> moves) {
  manager_->request(std::move(moves));
}

MigrationPlan Balancer::plan() {
  return manager_->plan();
}

MigrationPlan Balancer::plan(const std::string& strategy) {
  return manager_->plan(strategy);
}

MigrationPlan Balancer::plan_after_restart() {
  return manager_->plan_after_restart();
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

void Balancer::fail_next_call(const Error& error) {
  recorder_.parts_->phase_end.fail_next_call(error);
}

}  // namespace plimsoll::runtime
