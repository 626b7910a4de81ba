#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

class LBManager;

/// Balances the load of an MPI program while it runs. It decides with the loads and messages that a
/// LoadRecorder measures. The settings of the recorder choose the strategy: `--vt_lb --vt_lb_name=RefineLB`.
///
/// Either it also migrates the program's objects, at each phase end at which this pays:
///
///     plimsoll::LoadRecorder recorder(argc, argv);
///     plimsoll::Balancer balancer(recorder);
///     balancer.balance_at_phase_ends({.size_bytes = ..., .pack = ..., .unpack = ..., .remove = ...});
///     ...
///     recorder.next_phase();  // may call these functions
///
/// Or the program migrates them with its own messages, at the beginning of a phase:
///
///     recorder.next_phase();
///     const plimsoll::MigrationPlan plan = balancer.plan();
///     if (!plan.empty()) {
///       send_and_receive(plan.exports, plan.imports);
///       balancer.moved(plan);
///     }
///
/// A migrated object keeps its ID, user-defined values, position and load history. Handles are valid on one
/// rank only: after a migration, call LoadRecorder::find() on the new rank.
///
/// All members except the setters, request(), set_available(), on_migration() and fail_next_call() are
/// collective, and throw Error on all ranks. Use a Balancer from the thread that started the recorder. The
/// time that its members take belongs to no phase.
class Balancer {
 public:
  /// Collective. The recorder must outlive the balancer, and have only this one. Throws Error (usage) for an
  /// invalid strategy in the settings, and Error (bad_input) for an invalid LB configuration file.
  explicit Balancer(LoadRecorder& recorder);
  Balancer(const Balancer&) = delete;
  Balancer& operator=(const Balancer&) = delete;
  ~Balancer();

  /// From now on, balances at each phase end, and migrates objects with these functions of the program.
  /// next_phase() throws the Errors of plan() and migrate(); after an error, the program may continue.
  /// PhaseSummary::balancing reports the result.
  void balance_at_phase_ends(ObjectTransport transport);

  /// Requests that objects of this rank migrate at the end of this phase, along with those that a strategy
  /// moves. A request replaces what the strategy decides for its object; a request for its current rank keeps
  /// it there. Requires balance_at_phase_ends(). A rank calls it before next_phase(), for its own objects; a
  /// second call in the same phase replaces the first. If any rank has an error in the phase, the requests
  /// are dropped. next_phase() throws Error (usage) for a rank that is out of
  /// range, and for an object that is not on this rank or not migratable.
  void request(std::vector<Move> moves);

  /// Plans migrations from the phase that has ended last. The plan is empty if the settings select no
  /// strategy for that phase, or if migrating does not pay (setting lb_when). Throws Error (usage) before the
  /// first phase has ended, and the Errors of the strategy.
  MigrationPlan plan();
  /// Plans migrations with a strategy such as "RefineLB(tolerance=1.02)", whether or not they pay.
  MigrationPlan plan(const std::string& strategy);
  /// Plans a placement of objects that come from a checkpoint (RecorderState), whether or not migrating them
  /// pays. Uses the first strategy that the settings select, in whatever phase, or else GreedyLB.
  MigrationPlan plan_after_restart();
  /// Tells the recorder that the program has moved the objects of a plan. Throws Error (usage) if an object
  /// is not registered on the rank that it leaves, not migratable, or being measured.
  void moved(const MigrationPlan& plan);
  /// Moves the objects of a plan with these functions of the program, and tells the recorder. Throws like
  /// moved() and runtime::migrate().
  MigrationReport migrate(const MigrationPlan& plan, const ObjectTransport& transport);

  /// Returns the rank of each object, or -1 if it is registered on no rank. Ranks may ask for different
  /// objects, or none. Repeated questions cost one small reduction. Throws Error (usage) if two ranks have
  /// registered one object.
  std::vector<int> owner(std::span<const ObjectId> ids);

  /// Runs this strategy after every phase instead of the strategies in the settings, also if the setting lb
  /// is off. Call it with the same arguments on all ranks, as the next function. Throws Error (usage) for an
  /// invalid strategy.
  void set_strategy(const std::string& strategy);
  /// Replaces the load model of the settings (lb_load_model). Throws Error (usage) for an invalid model.
  void set_load_model(const std::string& model);
  /// Sets whether objects may be placed on this rank. If not, the next strategy that runs after a phase end
  /// moves its objects away, whether or not that pays.
  void set_available(bool available);
  /// Registers a hook that is called on all ranks after objects have migrated. Register the same hooks on all
  /// ranks. They are called in the order of registration, and may call collective members such as owner(). If
  /// one throws on any rank, all ranks throw, and the hooks after it are not called.
  void on_migration(std::function<void(const MigrationPlan&)> hook);

  /// Makes the next collective call throw this error on all ranks. For a rank that cannot make its arguments,
  /// but must still make the call: other ranks wait for it.
  void fail_next_call(const Error& error);

 private:
  std::unique_ptr<LBManager> manager_;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::Balancer;
}  // namespace plimsoll
