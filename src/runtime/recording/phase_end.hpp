#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/phase_summary.hpp>

#include "runtime/output/output_files.hpp"
#include "runtime/recording/inferred_loads.hpp"
#include "runtime/recording/modelled_loads.hpp"
#include "runtime/recording/object_check.hpp"
#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/phase_record_builder.hpp"
#include "runtime/recording/phase_reduction.hpp"
#include "runtime/recording/recording.hpp"
#include "runtime/recording/session.hpp"
#include "runtime/recording/watchdog.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

class LBManager;

/// Ends the current phase and begins the next. One reduction shares statistics and errors among the ranks;
/// then objects migrate, the files are written and the hooks are called. These may communicate, because no
/// rank is still working in the phase; their time belongs to no phase.
class PhaseEnd {
 public:
  /// Stores references to the arguments, which must outlive this object.
  PhaseEnd(const Session& session, Recording& recording, NodeLBData& data, OutputFiles& files,
           PhaseHooks& hooks, FirstError& errors);

  /// Sets the balancer, which must outlive this object or be removed by passing null.
  void set_balancer(LBManager* balancer) { balancer_ = balancer; }
  LBManager* balancer() const { return balancer_; }
  /// Replaces the load model of the settings. Throws Error (usage) for an invalid model.
  void set_load_model(const std::string& model);
  /// Returns whether the predicted loads are the measured loads of the last phase.
  bool predicts_measured_loads() const { return load_model_ == nullptr && inferred_ == nullptr; }

  /// Collective: implements LoadRecorder::infer_loads().
  void infer_loads(const std::vector<std::string>& features);
  /// Returns the inferred loads; null before infer_loads().
  InferredLoads* inferred() { return inferred_.get(); }

  /// Sets LoadRecorder::on_collective_call().
  void set_call_hook(CollectiveCallHook hook) { call_hook_ = std::move(hook); }

  Watchdog& watchdog() { return watchdog_; }

  /// Returns the number of the current phase, from 0.
  std::int64_t phase() const { return phase_; }
  /// Returns the number of the phase that has ended last, also while it is being balanced; -1 before.
  std::int64_t last_phase() const { return last_phase_; }
  bool is_closed() const { return closed_; }

  /// Makes this phase the current one; earlier phases have no records. Throws Error (usage) if a phase has
  /// ended.
  void resume(std::int64_t phase);
  /// Starts measuring the current phase. next_phase() calls this itself.
  void begin_phase();
  /// Collective: ends the phase. Throws, on all ranks, the first error of the lowest rank that had one.
  /// Throws Error (usage) after close() or if a hook calls it, and the Errors of the hook of
  /// set_call_hook(), which then is all that has happened. If another rank calls close(), completes
  /// the files, and throws Error (usage) on all ranks.
  PhaseSummary next_phase();
  /// Makes the next enter() throw this error, if it is the first one, on all ranks, for a caller that found
  /// it before the call.
  void fail_next_call(const Error& error) {
    if (!call_error_) call_error_ = error;
  }
  /// Collective: waits for all ranks at the beginning of another collective call. Throws Error (usage) after
  /// close(), like next_phase() if another rank is in another call, or else the error of the lowest rank that
  /// called fail_next_call(). Cost: one small reduction.
  void enter(CollectiveCall call);
  /// Collective: closes the files and stops measuring. Throws the same Errors as next_phase().
  void close();

 private:
  std::string news_of(const PhaseSummary& summary);
  void end_work();
  void infer();
  bool predicts_loads() const;
  std::vector<double> complete(PhaseRecordBuilder& builder);
  PhaseReduction reduction(PhaseRecordBuilder& builder, const std::vector<double>& modelled_s);
  PhaseReduction wait_for_all(CollectiveCall call, PhaseReduction mine, const std::optional<Error>& error);
  void compare_calls(CollectiveCall call);
  PhaseReduction meet(CollectiveCall call, PhaseReduction mine);
  std::optional<Error> check_objects();
  std::optional<Error> check_first_objects();
  std::optional<Error> balance(const lbdata::PhaseRecord& record, const BalancingEvidence& evidence,
                               PhaseSummary& summary);
  void add_phase_values(const BalancingSummary& balancing, lbdata::PhaseRecord& record);
  void end_recording();
  /// Runs work that may call functions of the program.
  template <class Work>
  void notify(const Work& work);

  const Session& session_;
  Recording& recording_;
  NodeLBData& data_;
  FirstError& errors_;
  OutputFiles& files_;
  PhaseHooks& hooks_;
  EntityResolver entities_;
  std::unique_ptr<InferredLoads> inferred_;    // null before infer_loads()
  double waited_s_ = 0;                        // for other ranks before the loads were inferred
  std::unique_ptr<ModelledLoads> load_model_;  // null if modelled loads are the measured loads
  Watchdog watchdog_;
  ObjectCheck object_check_;
  CollectiveCallHook call_hook_;  // may be empty
  LBManager* balancer_ = nullptr;
  std::optional<Error> call_error_;  // set by fail_next_call()
  std::int64_t phase_ = 0;
  std::int64_t last_phase_ = -1;
  bool has_new_edges_ = false;  // whether this rank has messages that object_check_ has not checked
  std::string told_reason_;     // last reason not to balance
  bool told_late_times_ = false;
  bool calling_ = false;  // in notify() or balance()
  bool closed_ = false;
};

}  // namespace plimsoll::runtime
