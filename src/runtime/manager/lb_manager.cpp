#include "runtime/manager/lb_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/balance/changing_loads.hpp>
#include <plimsoll/balance/internal/refusal_text.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/modelled_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// A strategy needs far more time for the loads of several phases than for those of one.
constexpr std::uint64_t most_objects_by_phases = 10'000;

/// Loads of the ranks after a plan.
struct NewLoads {
  lbdata::Statistics measured_s;
  lbdata::Statistics modeled_s;
};

void merge_new_loads(NewLoads& left, const NewLoads& right) {
  left.measured_s.merge(right.measured_s);
  left.modeled_s.merge(right.modeled_s);
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
  if (session.settings().lb && !policy_.has_strategies() && session.settings().lb_decisions_in.empty())
    session.tell("lb has no effect: no strategy is selected; use --vt_lb_name=RefineLB or another strategy");
  if (session.lb_schedule().uses(balance::offline_lb)) offline_.emplace(session);
  if (!session.settings().lb_decisions_in.empty()) replay_.emplace(session);
  if (!session.settings().lb_decisions.empty()) decisions_.emplace(session);
  keep_phases();
  phase_end.set_balancer(this);
}

/// Makes the data keep the phases that decisions use.
void LBManager::keep_phases() {
  const std::size_t of_policy = policy_.balances_phases() ? balance::ChangingLoads::max_phases
                                : policy_.resists_noise() ? balance::steady_phases
                                                          : 1;
  data_.keep(std::max(data_.kept(), of_policy));
}

LBManager::~LBManager() {
  if (phase_end_.balancer() != this) return;
  phase_end_.set_balancer(nullptr);
  try {
    end();
  } catch (...) {  // only the program's own function for messages may throw
  }
}

BalancingEvidence LBManager::measure(const lbdata::PhaseRecord& record, const RankTimes& times,
                                     std::span<const double> loads_s, std::vector<double> device_s,
                                     std::optional<InferenceError> inferred) {
  loads_s_.assign(loads_s.begin(), loads_s.end());
  device_s_ = std::move(device_s);
  loads_phase_ = record.id;
  // The first phase contains the initialisation of the program.
  const lbdata::PhaseRecord* const before = data_.phases().size() < 2 ? nullptr : &data_.phases().back();
  BalancingEvidence evidence =
      policy_.evidence(monitor_.measure(record, times, loads_s_, device_s_, inferred, before));
  evidence.must_evacuate = must_evacuate();
  evidence.has_requests = !requests_.empty();
  return evidence;
}

BalancingSummary LBManager::balance(const EndedPhase& phase, const BalancingEvidence& evidence) {
  monitor_.observe(phase.summary);
  has_late_loads_ = has_late_loads_ ||
                    (session_.settings().lb_loads == LoadTime::device && phase.summary.late_device_s > 0);
  policy_.observe(evidence, phase.summary.rank_load_modeled_s.imbalance(),
                  knows_loads() && phase.summary.object_load_s.count() <= most_objects_by_phases);
  BalancingSummary balancing = migrations_of_program(phase.summary);
  if (transport_) balance_objects(balancing, evidence.has_requests);
  PhaseSummary balanced = phase.summary;
  balanced.balancing = balancing;
  account_.add(balanced);
  return balancing;
}

/// Migrates the objects that a strategy or the program wants to migrate after the phase.
void LBManager::balance_objects(BalancingSummary& balancing, bool has_requests) {
  MigrationPlan plan = plan_by_policy();
  if (has_requests) plan = with_requests(std::move(plan));
  double migration_s = 0;
  if (!plan.empty()) migration_s = carry_out(plan, *transport_).time_s;
  if (!plan.strategy.empty()) add_to(balancing, plan, migration_s);
  if (!plan.empty()) return;
  balancing.not_balanced = std::exchange(refused_, std::nullopt);
  const bool predicts = plan.max_time_before_s > 0;  // the others have no better placement to look for
  if (!balancing.not_balanced && predicts)
    balancing.not_balanced = balance::describe({.reason = balance::Refusal::Reason::no_placement}, false);
}

void LBManager::end() {
  if (const std::string line = account_.line(); !line.empty() && !session_.settings().lb_quiet)
    session_.tell(line);
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
  NewLoads mine;
  mine.measured_s.add((plan.empty() ? outlook_.measured_load_before_s : outlook_.measured_load_s) / speed);
  mine.modeled_s.add((plan.empty() ? outlook_.load_before_s : outlook_.load_s) / speed +
                     monitor_.proc_stats().bg_walltime);
  const NewLoads all = session_.communicator().all_reduce<&merge_new_loads>(mine);
  balancing.strategy = plan.strategy;
  balancing.migrations += plan.moves;
  balancing.predicted_gain_s += plan.gain_s();
  balancing.decision_s += plan.decision_s;
  balancing.migration_s += migration_s;
  balancing.price_s = plan.empty() ? 0 : price_s_;
  balancing.predicted_price_s = predicted_price_s_;
  balancing.rank_load_s = all.measured_s;
  balancing.rank_load_modeled_s = all.modeled_s;
  if (!refused_) balancing.remark = plan.remark;
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

/// Returns the time that this collective work takes in the time that measures the loads, because it is
/// compared with gains. While other processes have the core of one rank, the others wait for it. Collective.
double LBManager::price_of(const std::function<void()>& work) const {
  const RankMonitor::Time begin = monitor_.time();
  work();
  const RankMonitor::Time end = monitor_.time();
  const mpi::Communicator& ranks = session_.communicator();
  const double total_s = ranks.max(end.total_s - begin.total_s);
  return std::max(0.0, total_s - ranks.max(end.core_wait_s - begin.core_wait_s));
}

MigrationReport LBManager::carry_out(const MigrationPlan& plan, const ObjectTransport& transport) {
  MigrationReport report;
  const double price_s = price_of([&] { report = relocation_.migrate(plan, transport); });
  if (outlook_.volume.bytes == 0 && report.objects > 0)  // sizes were unknown
    outlook_.volume.bytes =
        report.bytes * static_cast<double>(outlook_.volume.objects) / static_cast<double>(report.objects);
  price_s_ = price_s;
  learn(plan, price_s);
  call_hooks(plan);
  return report;
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
void LBManager::learn(const MigrationPlan& plan, double price_s) {
  if (!pending_ || pending_->moves != plan.moves) return;
  pending_.reset();
  const balance::ProcStats& proc = monitor_.proc_stats();
  const auto finish_s = [&](double load_s) {  // rounding may leave less than 0 if all objects have left
    return std::max(load_s, 0.0) / proc.pe_speed + proc.bg_walltime;
  };
  policy_.moved(outlook_.volume, price_s, {finish_s(outlook_.load_before_s), finish_s(outlook_.load_s)},
                {outlook_.device_load_before_s, std::max(outlook_.device_load_s, 0.0)});
}

void LBManager::call_hooks(const MigrationPlan& plan) {
  // A hook may be collective, so none runs after one that has failed on any rank.
  calling_hooks_ = true;
  struct End {
    bool& calling_hooks;
    ~End() { calling_hooks = false; }
  } end{calling_hooks_};
  for (const auto& hook : hooks_) mpi::agreed(session_.communicator(), [&] { hook(plan); });
}

}  // namespace plimsoll::runtime
