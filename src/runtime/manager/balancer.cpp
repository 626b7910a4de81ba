#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/manager/lb_manager.hpp"
#include "runtime/manager/refusal_text.hpp"
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

/// Loads of the ranks after a plan.
struct NewLoads {
  lbdata::Statistics measured_s;
  lbdata::Statistics modeled_s;
};

void merge_new_loads(NewLoads& left, const NewLoads& right) {
  left.measured_s.merge(right.measured_s);
  left.modeled_s.merge(right.modeled_s);
}

/// Makes a plan in which every migratable object is packed and unpacked on its rank.
PlannedMigration pack_in_place(const mpi::Communicator& ranks, const RankStats& mine) {
  std::vector<LeavingObject> all;
  mpi::agreed(ranks, [&] {
    for (std::uint32_t object = 0; object < mine.ids.size(); ++object)
      if (mine.may_migrate(object)) all.push_back({object, ranks.rank()});
  });
  return announce(ranks, mine, std::move(all));
}

Error no_loads_yet() {
  return support::usage_error("the loads are unknown before the first phase has ended",
                              "call next_phase() before a plan is made");
}

void discard_moves(MigrationPlan& plan, std::string remark) {
  plan.exports.clear();
  plan.imports.clear();
  plan.moves = 0;
  plan.remark = std::move(remark);
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
  if (session.settings().lb && !policy_.has_strategies())
    session.tell("lb has no effect: no strategy is selected; use --vt_lb_name=RefineLB or another strategy");
  if (session.lb_schedule().uses(balance::offline_lb)) offline_.emplace(session);
  data.keep(std::max<std::size_t>(data.kept(), policy_.resists_noise() ? steady_phases : 1));
  phase_end.set_balancer(this);
}

LBManager::~LBManager() {
  if (phase_end_.balancer() == this) phase_end_.set_balancer(nullptr);
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
  policy_.observe(evidence, phase.summary.rank_load_modeled_s.imbalance());
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
    balancing.not_balanced = describe({.reason = balance::Refusal::Reason::no_placement}, false);
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

MigrationPlan Balancer::plan() {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  return manager_->plan_by_policy();
}

MigrationPlan Balancer::plan(const std::string& strategy) {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  balance::StrategySpec spec;
  mpi::agreed(manager_->session_.communicator(), [&] { spec = balance::StrategySpec::parse(strategy); });
  return manager_->plan_with(spec, false);
}

MigrationPlan Balancer::plan_after_restart() {
  const OutsideOfPhases outside = manager_->enter(CollectiveCall::plan);
  return manager_->plan_with(manager_->policy_.strategy_after_restart(), false);
}

MigrationPlan LBManager::plan_by_policy() {
  if (phase_end_.last_phase() < 0) throw no_loads_yet();
  refused_.reset();
  predicted_price_s_ = 0;
  const std::optional<balance::StrategySpec> spec = policy_.strategy(phase_end_.last_phase());
  if (spec) return plan_with(*spec, true);
  if (policy_.has_strategies()) refused_ = not_scheduled();
  return {};
}

MigrationPlan LBManager::plan_with(const balance::StrategySpec& spec, bool by_policy) {
  const mpi::Communicator& ranks = session_.communicator();
  const bool is_central = spec.name != balance::offline_lb && spec.name != balance::test_serialization_lb;
  std::unique_ptr<balance::Strategy> strategy;
  mpi::agreed(ranks, [&] {
    if (data_.phases().empty()) throw no_loads_yet();
    if (is_central) strategy = balance::make_strategy(spec, policy_.work());
  });
  const bool must_pay = by_policy && is_central && strategy->minimises_score();
  const auto refused = [&](MigrationPlan plan) {
    refused_ = policy_.reason();
    discard_moves(plan, fmt::format("Not balanced: {}.", refused_->text));
    return plan;
  };
  if (must_pay && !policy_.is_worth_deciding()) return refused({});

  RankStats mine;
  balance::StrategyNeeds needs = strategy ? strategy->needs() : balance::StrategyNeeds();
  const bool synchronised = session_.settings().lb_subphases == SubphaseMode::synchronised;
  const bool ignores_subphases =
      synchronised && is_central && strategy->minimises_score() && !needs.subphases;
  needs.subphases = needs.subphases && synchronised;
  mpi::agreed(ranks, [&] { mine = stats(needs, must_pay); });
  const auto decide_at_most = [&](std::int64_t max_moves) {
    PlannedMigration planned;
    const double price_s = price_of([&] {
      planned = timed_decision(ranks, [&] { return decide(spec, strategy.get(), mine, max_moves); });
    });
    outlook_ = planned.outlook;
    if (is_central) policy_.decided(price_s);
    return std::move(planned.plan);
  };
  MigrationPlan plan = decide_at_most(std::numeric_limits<std::int64_t>::max());
  const auto pays = [&] { return !must_pay || policy_.is_worth_moving(plan.gain_s(), outlook_.volume); };
  bool is_worth_it = pays();
  // Several short steps may pay where one long one does not.
  if (const std::int64_t moves = is_worth_it ? 0 : policy_.affordable_moves(plan.moves); moves > 0) {
    const double decision_s = plan.decision_s;
    plan = decide_at_most(moves);
    plan.decision_s += decision_s;
    is_worth_it = pays();
  }
  plan.strategy = spec.name;
  pending_.reset();
  if (!is_worth_it) return refused(std::move(plan));
  if (ignores_subphases && plan.remark.empty())
    plan.remark = fmt::format("{} balances whole phases: it ignores lb_subphases=synchronised.", spec.name);
  if (is_central && strategy->minimises_score() && !needs.more_loads && policy_.has_device_times())
    plan.remark =
        fmt::format("{} balances one load: it ignores device times (use --vt_lb_loads=device).", spec.name);
  if (plan.empty()) return plan;
  pending_ = Pending{plan.moves, std::chrono::steady_clock::now()};
  predicted_price_s_ = policy_.predicted_migration_s(outlook_.volume);
  return plan;
}

/// Adds the requests of the program, of which any rank has some. They replace what the strategy has decided
/// for their objects. Nothing is predicted for such a plan, but the loads after it are known.
MigrationPlan LBManager::with_requests(MigrationPlan plan) {
  const mpi::Communicator& ranks = session_.communicator();
  RankStats mine;
  std::vector<LeavingObject> leaving;
  mpi::agreed(ranks, [&] {
    mine = stats(balance::StrategyNeeds(), false);
    expect_valid(mine.ids, requests_, ranks.size());
    leaving = leaving_objects(mine.ids, plan.exports, requests_);
  });
  PlannedMigration planned = announce(ranks, mine, std::move(leaving));
  if (planned.plan.empty() && plan.strategy.empty()) return plan;
  planned.plan.strategy = plan.strategy.empty() ? "program" : std::move(plan.strategy);
  planned.plan.decision_s = plan.decision_s;
  planned.plan.remark = std::move(plan.remark);
  outlook_ = planned.outlook;
  pending_ = Pending{planned.plan.moves, std::chrono::steady_clock::now()};
  return std::move(planned.plan);
}

/// Returns the stats of this rank for the last phase. Strategies expect loads at speed 1.
RankStats LBManager::stats(const balance::StrategyNeeds& needs, bool must_pay) const {
  const lbdata::PhaseRecord& record = data_.phases().back();
  const std::span<const double> device_s = loads_phase_ == record.id ? device_s_ : std::span<const double>();
  RankStats stats = recorded_stats(recording_, data_, record, decision_loads(record, must_pay), device_s,
                                   monitor_.proc_stats(), needs);
  stats.host = mpi::host_number();
  for (double& load_s : stats.loads_s) load_s *= stats.proc.pe_speed;
  for (double& load_s : stats.measured_s) load_s *= stats.proc.pe_speed;
  for (double& load_s : stats.subphases_s) load_s *= stats.proc.pe_speed;
  return stats;
}

/// Returns the loads of the tasks of the last phase as strategies see them: the loads of the model, or those
/// that noise does not disturb. If other processes have had the core of this rank, its loads add up to the
/// time in which it had the core.
std::vector<double> LBManager::decision_loads(const lbdata::PhaseRecord& record, bool must_pay) const {
  const double share = monitor_.running_share();
  const std::vector<double>& recorded_s = record.tasks.time_s;
  const bool is_noisy = must_pay && policy_.resists_noise() && phase_end_.predicts_measured_loads();
  std::vector<double> loads_s = loads_phase_ == record.id ? loads_s_ : recorded_s;
  double sum_s = std::accumulate(loads_s.begin(), loads_s.end(), 0.0);
  const double target_s = share * sum_s;
  if (is_noisy) {
    loads_s = steady_loads(data_, share < 1 ? Steady::minimum : Steady::median);
    sum_s = std::accumulate(loads_s.begin(), loads_s.end(), 0.0);
  }
  if (share < 1 && sum_s > 0)
    for (double& load_s : loads_s) load_s *= target_s / sum_s;
  return loads_s;
}

PlannedMigration LBManager::decide(const balance::StrategySpec& spec, balance::Strategy* strategy,
                                   const RankStats& mine, std::int64_t max_moves) {
  const mpi::Communicator& ranks = session_.communicator();
  if (spec.name == balance::test_serialization_lb) return pack_in_place(ranks, mine);
  if (spec.name == balance::offline_lb) {
    if (!offline_) offline_.emplace(session_);
    return announce(ranks, mine, offline_->leaving(phase_end_.last_phase(), mine, directory_));
  }
  MigrationRules rules{.keep_last_element = session_.settings().lb_keep_last_elm, .max_moves = max_moves};
  if (transport_)
    rules.size_bytes = [this](ObjectId id) {
      return transport_->predicted_bytes ? transport_->predicted_bytes(id)
                                         : static_cast<double>(transport_->size_bytes(id));
    };
  return plan_migration(ranks, mine, *strategy, rules);
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
