#include <chrono>
#include <memory>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/decide_in_rounds.hpp"
#include "runtime/manager/lb_manager.hpp"
#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

Balancer::Balancer(LoadRecorder& recorder)
    : manager_(std::make_unique<LBManager>(*recorder.session_, recorder.parts_->recording,
                                           recorder.parts_->data, recorder.parts_->phase_end)) {}

Balancer::~Balancer() = default;

void Balancer::balance_at_phase_ends(ObjectTransport transport) {
  if (!transport.size_bytes || !transport.pack || !transport.unpack)
    fail_next_call(support::usage_error("missing functions to migrate objects",
                                        "pass size_bytes, pack and unpack to balance_at_phase_ends()"));
  manager_->phase_end_.enter(CollectiveCall::balance_at_phase_ends);
  manager_->transport_ = std::move(transport);
}

void Balancer::request(std::vector<Move> moves) {
  manager_->requests_ = std::move(moves);
}

void Balancer::set_strategy(const std::string& strategy) {
  manager_->policy_.set_strategy(strategy);
  manager_->keep_phases();
}

void Balancer::set_load_model(const std::string& model) {
  manager_->phase_end_.set_load_model(model);
}

void Balancer::set_available(bool available) {
  manager_->monitor_.set_available(available);
}

void Balancer::on_migration(std::function<void(const MigrationPlan&)> hook) {
  manager_->hooks_.push_back(std::move(hook));
}

void Balancer::fail_next_call(const Error& error) {
  manager_->phase_end_.fail_next_call(error);
}

MigrationPlan Balancer::plan() {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  return manager_->plan_by_policy();
}

MigrationPlan Balancer::plan(const std::string& strategy) {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  balance::StrategySpec spec;
  mpi::agreed(manager_->session_.communicator(), [&] { spec = balance::StrategySpec::parse(strategy); });
  expect_same_strategy(manager_->session_.communicator(), to_string(spec));
  return manager_->plan_with(spec, false);
}

MigrationPlan Balancer::plan_after_restart() {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  return manager_->plan_with(manager_->policy_.strategy_after_restart(), false);
}

MigrationReport Balancer::migrate(const MigrationPlan& plan, const ObjectTransport& transport) {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::migrate);
  if (plan.empty()) return MigrationReport();
  const MigrationReport report = manager_->carry_out(plan, transport);
  manager_->note_migrations(plan, report.time_s);
  return report;
}

void Balancer::moved(const MigrationPlan& plan) {
  LBManager& manager = *manager_;
  const OutsideOfPhases outside = manager.enter(CollectiveCall::moved);
  if (plan.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> since_plan =
      now - (manager.pending_ ? manager.pending_->planned_at : now);
  manager.relocation_.moved(plan);
  const double migration_s = manager.session_.communicator().max(since_plan.count());
  manager.learn(plan, migration_s);
  manager.note_migrations(plan, migration_s);
  manager.call_hooks(plan);
}

std::vector<int> Balancer::owner(std::span<const ObjectId> ids) {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::owner);
  std::vector<ObjectId> here;
  mpi::agreed(manager_->session_.communicator(), [&] {
    const ObjectRegistry& objects = manager_->recording_.objects;
    for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot)
      if (objects[slot].alive) here.push_back(objects[slot].id);
  });
  manager_->directory_.update(here);
  return manager_->directory_.owner(ids);
}

}  // namespace plimsoll::runtime
