#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/manager/lb_manager.hpp"
#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/modelled_loads.hpp"

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

namespace {

void merge(lbdata::Statistics& left, const lbdata::Statistics& right) {
  left.merge(right);
}

/// Returns whether the schedule runs a strategy in any phase.
bool balances(const balance::LbSchedule& schedule) {
  return std::ranges::any_of(schedule.entries(),
                             [](const auto& entry) { return entry.strategy.name != "NoLB"; });
}

}  // namespace

LBManager::LBManager(const Session& session, Recording& recording, NodeLBData& data, PhaseEnd& phase_end)
    : session_(session),
      recording_(recording),
      data_(data),
      phase_end_(phase_end),
      policy_(session),
      monitor_(session),
      relocation_(session.communicator(), recording, data),
      directory_(session.communicator()) {
  mpi::agreed(session.communicator(), [&] {
    if (phase_end.balancer() != nullptr)
      throw support::usage_error("this recorder already has a Balancer", "use one Balancer per recorder");
  });
  if (session.settings().lb && !balances(session.lb_schedule()))
    session.tell("lb has no effect: no strategy is selected; use --vt_lb_name=RefineLB or another strategy");
  if (session.lb_schedule().uses(balance::offline_lb)) offline_.emplace(session);
  data.keep(std::max<std::size_t>(data.kept(), policy_.resists_noise() ? steady_phases : 1));
  phase_end.set_balancer(this);
}

LBManager::~LBManager() {
  if (phase_end_.balancer() == this) phase_end_.set_balancer(nullptr);
}

BalancingEvidence LBManager::measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                                     std::span<const double> loads_s) {
  loads_s_.assign(loads_s.begin(), loads_s.end());
  loads_phase_ = record.id;
  // The first phase contains the initialisation of the program.
  const lbdata::PhaseRecord* const before = data_.phases().size() < 2 ? nullptr : &data_.phases().back();
  BalancingEvidence evidence = policy_.evidence(monitor_.measure(record, times, loads_s, before));
  evidence.must_evacuate = must_evacuate();
  evidence.has_requests = !requests_.empty();
  return evidence;
}

BalancingSummary LBManager::balance(const EndedPhase& phase, const BalancingEvidence& evidence) {
  monitor_.observe(phase.summary);
  policy_.observe(evidence, phase.summary.rank_load_modeled_s.imbalance());
  BalancingSummary balancing = migrations_of_program(phase.summary);
  if (transport_) balance_objects(balancing, evidence.has_requests);
  return balancing;
}

/// Migrates the objects that a strategy or the program wants to migrate after the phase.
void LBManager::balance_objects(BalancingSummary& balancing, bool has_requests) {
  MigrationPlan plan = plan_by_policy();
  if (has_requests) plan = with_requests(std::move(plan));
  double migration_s = 0;
  if (!plan.empty()) migration_s = carry_out(plan, *transport_).time_s;
  if (!plan.strategy.empty()) add_to(balancing, plan, migration_s);
}

/// Returns whether this rank is unavailable, but still has objects that can leave it.
bool LBManager::must_evacuate() const {
  if (monitor_.proc_stats().available) return false;
  const ObjectRegistry& objects = recording_.objects;
  for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot)
    if (objects[slot].alive && data_.entities().migratable(objects[slot].entity)) return true;
  return false;
}

/// Adds a plan to the summary of the phase that has ended.
void LBManager::add_to(BalancingSummary& balancing, const MigrationPlan& plan, double migration_s) const {
  const double speed = monitor_.proc_stats().pe_speed;  // the outlook has loads at speed 1
  const auto over_ranks = [&](double load_s) {
    lbdata::Statistics mine;
    mine.add(load_s / speed);
    return session_.communicator().all_reduce<&merge>(mine);
  };
  balancing.strategy = plan.strategy;
  balancing.migrations += plan.moves;
  balancing.predicted_gain_s += plan.gain_s();
  balancing.decision_s += plan.decision_s;
  balancing.migration_s += migration_s;
  balancing.rank_load_s =
      over_ranks(plan.empty() ? outlook_.measured_load_before_s : outlook_.measured_load_s);
  balancing.rank_load_modeled_s = over_ranks(plan.empty() ? outlook_.load_before_s : outlook_.load_s);
  balancing.remark = plan.remark;
}

/// Returns what the program itself has migrated since the previous phase end. The loads of this phase are
/// therefore those of the new placement.
BalancingSummary LBManager::migrations_of_program(const PhaseSummary& phase) {
  BalancingSummary balancing = std::exchange(of_program_, {});
  balancing.rank_load_s = phase.rank_load_s;
  balancing.rank_load_modeled_s = phase.rank_load_modeled_s;
  return balancing;
}

OutsideOfPhases LBManager::enter(CollectiveCall call) {
  if (calling_hooks_ && call != CollectiveCall::owner)
    throw support::usage_error(fmt::format("{}() called inside a migration hook", name_of(call)),
                               "call it after the hook has returned");
  return {recording_, monitor_, phase_end_, call};
}

}  // namespace plimsoll::runtime
