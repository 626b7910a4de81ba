// Members of LBManager that migrate objects, and that find them.
#include <algorithm>
#include <chrono>

#include <plimsoll/mpi/communicator.hpp>

#include "runtime/manager/lb_manager.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

double maximum(const mpi::Communicator& ranks, double mine) {
  return ranks.all_reduce<[](double& left, const double& right) { left = std::max(left, right); }>(mine);
}

}  // namespace

MigrationReport LBManager::carry_out(const MigrationPlan& plan, const ObjectTransport& transport) {
  const MigrationReport report = relocation_.migrate(plan, transport);
  learn(plan, report.bytes, report.time_s);
  call_hooks(plan);
  return report;
}

MigrationReport LBManager::migrate(const MigrationPlan& plan, const ObjectTransport& transport) {
  const OutsideOfPhases outside = enter(CollectiveCall::migrate);
  if (plan.empty()) return MigrationReport();
  const MigrationReport report = carry_out(plan, transport);
  note_migrations(plan, report.time_s);
  return report;
}

void LBManager::moved(const MigrationPlan& plan) {
  const OutsideOfPhases outside = enter(CollectiveCall::moved);
  if (plan.empty()) return;
  const auto planned_at = pending_ ? pending_->planned_at : std::chrono::steady_clock::now();
  const std::chrono::duration<double> since_plan = std::chrono::steady_clock::now() - planned_at;
  relocation_.moved(plan);
  const double migration_s = maximum(session_.communicator(), since_plan.count());
  learn(plan, outlook_.bytes, migration_s);
  note_migrations(plan, migration_s);
  call_hooks(plan);
}

/// Adds migrations that the program has started to the summary of the current phase.
void LBManager::note_migrations(const MigrationPlan& plan, double migration_s) {
  of_program_.strategy = plan.strategy.empty() ? "program" : plan.strategy;
  of_program_.migrations += plan.moves;
  of_program_.predicted_gain_s += plan.gain_s();
  of_program_.decision_s += plan.decision_s;
  of_program_.migration_s += migration_s;
}

/// Tells the policy what the last plan of this manager has cost and changed. Nothing is known of other plans.
void LBManager::learn(const MigrationPlan& plan, double bytes, double migration_s) {
  if (!pending_ || pending_->moves != plan.moves) return;
  pending_.reset();
  const balance::ProcStats& proc = monitor_.proc_stats();
  policy_.moved({plan.moves, bytes}, migration_s, outlook_.load_before_s / proc.pe_speed + proc.bg_walltime,
                outlook_.load_s / proc.pe_speed + proc.bg_walltime);
}

void LBManager::call_hooks(const MigrationPlan& plan) {
  // A hook may be collective, so none runs after one that has failed on any rank.
  calling_hooks_ = true;
  struct End {
    bool& calling_hooks;
    ~End() { calling_hooks = false; }
  } end{calling_hooks_};
  for (const MigrationHook& hook : hooks_) mpi::agreed(session_.communicator(), [&] { hook(plan); });
}

std::vector<int> LBManager::owner(std::span<const ObjectId> ids) {
  const OutsideOfPhases outside = enter(CollectiveCall::owner);
  std::vector<ObjectId> here;
  mpi::agreed(session_.communicator(), [&] {
    const ObjectRegistry& objects = recording_.objects;
    for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot)
      if (objects[slot].alive) here.push_back(objects[slot].id);
  });
  directory_.update(here);
  return directory_.owner(ids);
}

}  // namespace plimsoll::runtime
