#include "runtime/recording/phase_end.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "runtime/manager/lb_manager.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

PhaseEnd::PhaseEnd(const Session& session, Recording& recording, NodeLBData& data, OutputFiles& files,
                   PhaseHooks& hooks, FirstError& errors)
    : session_(session),
      recording_(recording),
      data_(data),
      errors_(errors),
      files_(files),
      hooks_(hooks),
      entities_(recording, data),
      load_model_(ModelledLoads::make(session.settings().lb_load_model, data)),
      watchdog_(session.communicator(), std::chrono::seconds(session.settings().lb_watchdog),
                [this](const std::string& report) { errors_.guard([&] { session_.tell_here(report); }); }),
      object_check_(session.communicator(), recording) {}

void PhaseEnd::set_load_model(const std::string& model) {
  load_model_ = ModelledLoads::make(model, data_);
}

void PhaseEnd::infer_loads(const std::vector<std::string>& features) {
  enter(CollectiveCall::infer_loads);
  const mpi::Communicator& ranks = session_.communicator();
  std::unique_ptr<InferredLoads> inferred;
  mpi::agreed(ranks, [&] { inferred = std::make_unique<InferredLoads>(recording_, features); });
  const std::string mine = fmt::format("{}", fmt::join(features, ", "));
  const std::string of_rank_0 = ranks.broadcast(mine);
  mpi::agreed(ranks, [&] {
    if (mine != of_rank_0)
      throw support::usage_error(
          fmt::format("infer_loads() has features {} here, but {} on rank 0", mine, of_rank_0),
          "specify the same features in the same order on all ranks");
  });
  recording_.objects.features().start(features);
  inferred_ = std::move(inferred);
}

PhaseSummary PhaseEnd::next_phase() {
  if (closed_) throw support::usage_error("next_phase() called after close()", "call close() last");
  if (calling_)
    throw support::usage_error("next_phase() called inside a hook",
                               "call next_phase() after the hook has returned");
  std::optional<OwnWork> own_work(recording_);
  if (call_hook_) {
    const IdleTime idle(recording_.meter);
    compare_calls(CollectiveCall::next_phase);
  }
  end_work();
  if (inferred_) infer();
  PhaseRecordBuilder builder(recording_, data_, phase_);
  const PhaseReduction part = reduction(builder, complete(builder));
  const std::optional<Error> mine = errors_.take();
  const PhaseReduction all = wait_for_all(CollectiveCall::next_phase, part, mine);
  const std::optional<Error> contradiction = all.check_is_due ? check_objects() : check_first_objects();
  PhaseSummary summary = all.summary(phase_, recording_.loads.rank_times());

  if (files_.needs_values() || hooks_.needs_values())
    errors_.guard([&] { builder.add_values(summary.times, summary.marked_idle_s > 0); });
  lbdata::PhaseRecord* record = &builder.record();
  errors_.guard([&] { record = &data_.add(std::move(builder.record())); });
  last_phase_ = phase_;
  std::optional<Error> balancing_error;
  if (all.failed_rank == PhaseReduction::none && !contradiction)
    balancing_error = balance(*record, all.balancing, summary);
  errors_.guard([&] { add_phase_values(summary.balancing, *record); });
  errors_.guard([&] { recording_.clear(); });
  notify([&] { files_.phase_ended({*record, summary}); });
  if (!session_.settings().lb_quiet) notify([&] { session_.tell(summary_line(summary) + news_of(summary)); });
  notify([&] { hooks_.phase_ended({*record, summary}); });
  ++phase_;
  own_work.reset();
  errors_.guard([&] { begin_phase(); });
  notify([&] { hooks_.phase_started(phase_); });
  if (all.failed_rank != PhaseReduction::none)
    mpi::throw_error_of(session_.communicator(), all.failed_rank, mine);
  if (contradiction) throw Error(*contradiction);
  if (balancing_error) throw Error(*balancing_error);
  return summary;
}

// Returns why objects have stayed in spite of an imbalance, if it is another reason than told before, and the
// first time that device times are late.
std::string PhaseEnd::news_of(const PhaseSummary& summary) {
  constexpr double imbalanced = 0.1;
  std::string news;
  if (summary.late_device_s > 0 && !std::exchange(told_late_times_, true))
    news = fmt::format("; device times of {} were added after the end of their phase",
                       support::format_seconds(summary.late_device_s));
  const auto& refused = summary.balancing.not_balanced;
  if (!summary.balancing.remark.empty()) return news;  // says it
  if (refused && summary.rank_load_s.imbalance() <= imbalanced) return news;
  const std::string earlier = std::exchange(told_reason_, refused ? refused->reason : "");
  if (refused && refused->reason != earlier) news += "; not balanced: " + refused->text;
  return news;
}

template <class Work>
void PhaseEnd::notify(const Work& work) {
  calling_ = true;
  errors_.guard(work);
  calling_ = false;
}

// Ends all open work, recalibrates the clock and calls the program's load model.
void PhaseEnd::end_work() {
  const std::string names = recording_.open_work();
  if (const std::size_t open = recording_.meter.end_all(); open > 0) {
    errors_.note(support::usage_error(
        fmt::format("phase {} ended with {} begin() calls still open: {}", phase_, open, names),
        "call end() for all work, on each thread, before next_phase()"));
  }
  recording_.meter.timer().clock().recalibrate();
  errors_.guard([&] { recording_.merge_threads(); });
  errors_.guard([&] { recording_.ask_load_model(); });
}

// Infers the loads of objects with features. Collective, unlike the measurements: waits for all ranks first.
void PhaseEnd::infer() {
  balance::PhaseFeatures mine;
  errors_.guard([&] { mine = inferred_->measure(); });
  recording_.meter.start();
  const double idle_s = recording_.loads.rank_times().idle_s;
  {
    const IdleTime idle(recording_.meter);
    meet(CollectiveCall::next_phase, {});
  }
  waited_s_ = recording_.loads.rank_times().idle_s - idle_s;
  inferred_->model().observe(mine, [&](const balance::FeatureSums& sums) {
    return session_.communicator().all_reduce<&balance::merge_sums>(sums);
  });
  errors_.guard([&] { inferred_->set_loads(); });
}

// Returns whether the loads that decisions use may differ from those of the record.
bool PhaseEnd::predicts_loads() const {
  return load_model_ != nullptr || recording_.loads.time() == LoadTime::device;
}

// Completes the record. Returns the predicted loads, if predicts_loads().
std::vector<double> PhaseEnd::complete(PhaseRecordBuilder& builder) {
  std::vector<double> modelled_s;
  errors_.guard([&] {
    if (entities_.resolve_edges()) has_new_edges_ = true;
    builder.add_work();
    if (load_model_)
      modelled_s = load_model_->after(builder.record());
    else if (predicts_loads())
      modelled_s = builder.expected_loads_s();
  });
  return modelled_s;
}

PhaseReduction PhaseEnd::reduction(PhaseRecordBuilder& builder, const std::vector<double>& modelled_s) {
  const lbdata::PhaseRecord& record = builder.record();
  PhaseReduction mine;
  mine.add_loads(record.tasks.time_s);
  if (predicts_loads()) mine.add_modeled_loads(modelled_s);
  mine.add_messages(std::as_const(recording_.edges).edges());
  const RankTimes times = recording_.loads.rank_times();
  mine.over_ranks.duration_s = times.total_s;
  mine.over_ranks.marked_idle_s = times.idle_s - waited_s_;
  mine.over_ranks.late_device_s = recording_.devices.late_s();
  if (balancer_ != nullptr) {
    const std::span<const double> loads_s = predicts_loads() ? modelled_s : record.tasks.time_s;
    const std::optional<InferenceError> error = inferred_ ? std::optional(inferred_->error()) : std::nullopt;
    errors_.guard([&] {
      mine.balancing = balancer_->measure(record, times, loads_s, builder.device_loads_s(), error);
    });
  }
  mine.check_is_due = session_.settings().lb_check && (has_new_edges_ || object_check_.is_due());
  return mine;
}

// Waits for all ranks. Also agrees on errors, and on whether the files need all ranks. The phase includes
// this wait, but no other work of the recorder.
PhaseReduction PhaseEnd::wait_for_all(CollectiveCall call, PhaseReduction mine,
                                      const std::optional<Error>& error) {
  if (error) mine.failed_rank = session_.rank();
  mine.files_need_all_ranks = files_.needs_all_ranks();
  recording_.meter.start();
  const PhaseReduction all = [&] {
    const IdleTime idle(recording_.meter);
    return meet(call, mine);
  }();
  if (all.files_need_all_ranks) errors_.guard([&] { files_.act_on_all_ranks(); });
  return all;
}

// Lets the hook compare the calls of the ranks before anything else happens.
void PhaseEnd::compare_calls(CollectiveCall call) {
  if (!call_hook_) return;
  const Arrival arrival{.phase = phase_, .call = call, .rank = session_.rank()};
  call_hook_(name_of(call), [&](MPI_Request& request) { watchdog_.wait_for_comparison(request, arrival); });
}

// Waits for all ranks. If they are in different calls, ends the recording and throws.
PhaseReduction PhaseEnd::meet(CollectiveCall call, PhaseReduction mine) {
  const Arrival arrival{.phase = phase_, .call = call, .rank = session_.rank()};
  mine.arrivals = {.first = arrival, .last = arrival};
  const PhaseReduction all = session_.communicator().all_reduce<&merge_reductions>(
      mine, [&](MPI_Request& request) { watchdog_.wait(request, arrival); });
  if (!all.arrivals.agree()) {
    end_recording();
    throw all.arrivals.mismatch();
  }
  return all;
}

void PhaseEnd::enter(CollectiveCall call) {
  const std::optional<Error> mine = std::exchange(call_error_, std::nullopt);
  if (closed_)
    throw support::usage_error(fmt::format("{}() called after close()", name_of(call)), "call close() last");
  compare_calls(call);
  PhaseReduction reduction;
  if (mine) reduction.failed_rank = session_.rank();
  const PhaseReduction all = meet(call, reduction);
  if (all.failed_rank != PhaseReduction::none)
    mpi::throw_error_of(session_.communicator(), all.failed_rank, mine);
}

// Collective. Returns the error, which is the same on all ranks, if ranks contradict each other.
std::optional<Error> PhaseEnd::check_objects() {
  has_new_edges_ = false;
  const ClaimFindings findings = object_check_.run();
  errors_.guard([&] {
    if (const std::string warning = findings.warning(phase_); !warning.empty()) session_.tell(warning);
  });
  return findings.error(phase_);
}

// Collective. Does the same in the first phase, without lb_check: strategies would place both copies of a
// duplicate, and few of them see the IDs.
std::optional<Error> PhaseEnd::check_first_objects() {
  if (last_phase_ >= 0 || balancer_ == nullptr) return {};
  return object_check_.find_duplicates().error(phase_);
}

// Returns the error of the balancer, which all ranks have.
std::optional<Error> PhaseEnd::balance(const lbdata::PhaseRecord& record, const BalancingEvidence& evidence,
                                       PhaseSummary& summary) {
  if (balancer_ == nullptr) {
    if (phase_ == 0 && session_.settings().lb)
      errors_.guard([&] {
        session_.tell("lb has no effect: the program has no Balancer (see docs/how-to/balance-your-code.md)");
      });
    return {};
  }
  std::optional<Error> error;
  calling_ = true;
  try {
    summary.balancing = balancer_->balance({record, summary}, evidence);
  } catch (...) {
    error = support::current_error();
  }
  calling_ = false;
  return error;
}

// Writes the program's values of the phase, and what load balancing did, to the record.
void PhaseEnd::add_phase_values(const BalancingSummary& balancing, lbdata::PhaseRecord& record) {
  UserValues& values = recording_.phase_values;
  if (!balancing.strategy.empty()) {
    values.set("lb_name", balancing.strategy);
    values.set("lb_time", balancing.decision_s);
    values.set("lb_predicted_gain", balancing.predicted_gain_s);
    values.set("migration_count", balancing.migrations);
    values.set("migration_time", balancing.migration_s);
  }
  if (const double late_s = recording_.devices.late_s(); late_s > 0) values.set("late_device_time", late_s);
  if (inferred_) inferred_->add_to(values, session_.rank() == 0);
  if (!values.empty()) record.user_defined = values.to_json();
}

void PhaseEnd::resume(std::int64_t phase) {
  if (last_phase_ >= 0)
    throw support::usage_error(
        fmt::format("phase {} cannot be resumed: phase {} has ended already", phase, last_phase_),
        "use a new LoadRecorder");
  const auto kept = static_cast<std::int64_t>(data_.kept());
  for (std::int64_t id = std::max<std::int64_t>(phase - kept, 0); id < phase; ++id) {
    lbdata::PhaseRecord record;
    record.id = id;
    data_.add(std::move(record));
  }
  phase_ = phase;
  last_phase_ = phase - 1;
}

void PhaseEnd::begin_phase() {
  if (inferred_) inferred_->clear();
  data_.trim();
  entities_.forget_unused();
  if (balancer_ != nullptr) balancer_->phase_begins();
  recording_.meter.start_phase();
}

// The files communicate when they are closed. This call therefore waits for all ranks first, so that it
// notices ranks that are in another call.
void PhaseEnd::close() {
  if (closed_) return;
  compare_calls(CollectiveCall::close);
  recording_.meter.switch_on(false);
  wait_for_all(CollectiveCall::close, {}, std::nullopt);
  end_recording();
  const std::optional<Error> mine = errors_.take();
  const PhaseReduction all = wait_for_all(CollectiveCall::close, {}, mine);
  watchdog_.discard_messages();
  if (all.failed_rank != PhaseReduction::none)
    mpi::throw_error_of(session_.communicator(), all.failed_rank, mine);
}

// Collective: closes the files. Afterwards the recorder records nothing.
void PhaseEnd::end_recording() {
  PLIMSOLL_EXPECT(!closed_);
  recording_.meter.switch_on(false);
  notify([&] { files_.close(); });
  if (balancer_ != nullptr) notify([&] { std::exchange(balancer_, nullptr)->end(); });
  closed_ = true;
}

}  // namespace plimsoll::runtime
