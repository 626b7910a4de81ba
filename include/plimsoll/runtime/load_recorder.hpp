#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/runtime/cpu_meter.hpp>
#include <plimsoll/runtime/edge_table.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/object_registry.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/user_value.hpp>
#include <plimsoll/runtime/work_timer.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::runtime {

class ModelledLoads;
class StatisticsOutput;
struct PhaseReduction;

/// Measures what the objects of an MPI program cost and what they send, phase by phase, and writes it to LB
/// data files. The program keeps its data structures; it says what its objects are, when it works on which,
/// and where a phase ends:
///
///     plimsoll::LoadRecorder recorder(argc, argv);
///     auto block = recorder.register_object({.index = {3}});
///     for (int step = 0; step < steps; ++step) {
///       {
///         auto work = recorder.work_on(block);
///         compute();
///       }
///       recorder.record_message(recorder.id(block), neighbour, bytes);
///       recorder.next_phase();
///     }
///     recorder.close();
///
/// **Errors.** Between phase ends nothing communicates, so nothing is thrown there: of what was wrong (an
/// unknown object, an end without begin) each rank keeps the first, and next_phase() throws it on all ranks,
/// so that none waits for one that has gone. Collective members say so.
///
/// **Threads.** One thread uses a recorder: the one that calls MPI.
class LoadRecorder {
 public:
  /// Collective over the communicator, which is duplicated. Throws Error on all ranks: usage, for instance if
  /// there are data files of an earlier run; bad_input for a broken specification file; system.
  explicit LoadRecorder(MPI_Comm communicator, const Settings& settings = {});
  /// The same with the settings of the program's arguments (which are taken out), its environment and its
  /// configuration file (see Configuration). Initialises MPI if the program has not, and finalises it at the
  /// end.
  LoadRecorder(int& argc, char** argv, const Settings& defaults = {});
  /// Likewise on a communicator of the program.
  LoadRecorder(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults = {});
  LoadRecorder(const LoadRecorder&) = delete;
  LoadRecorder& operator=(const LoadRecorder&) = delete;
  /// Without close() files stay `.partial`, for `plimsoll repair`, and rank 0 says so. While an exception
  /// passes it says nothing, and does not finalise MPI, since that would wait for ranks that have none.
  ~LoadRecorder();

  // Objects.

  /// `collection` for ObjectSpec, another than the default one: the next number, so call it in the same order
  /// on all ranks.
  std::uint64_t add_collection();
  /// An object of this rank, from now until it is removed. Amortised O(1). If something is wrong with it, the
  /// handle is none, and what is recorded of it is ignored.
  ObjectHandle register_object(const ObjectSpec& spec = {});
  /// An object that came from another rank and keeps its id.
  ObjectHandle register_object(ObjectId id, const ObjectSpec& spec);
  /// This rank's member of an object group, which all ranks make in the same order. It does not migrate.
  ObjectHandle register_object_group();
  /// The object has gone. If it worked in this phase, this rank's file has that; so move objects at the
  /// beginning of a phase, before they work, or they have a task on two ranks in this one.
  void remove_object(ObjectHandle object);
  /// The rank itself, for work that belongs to no object: always there, never migratable.
  ObjectHandle rank_object() const { return rank_object_; }

  /// For messages; none for an unknown object.
  ObjectId id(ObjectHandle object) const;
  /// The object of an id if it is on this rank, else none.
  ObjectHandle find(ObjectId id) const { return objects_.find(id); }

  // Work.

  /// Time from now on is of this object, until the matching end(). May be nested: time is of the innermost.
  void begin(ObjectHandle object) {
    if (!on_) return;
    if (!objects_.alive(object)) [[unlikely]]
      return unknown_object("begin");
    if (cpu_) [[unlikely]]
      cpu_->charge(timer_.current());
    timer_.begin(object.slot);
  }
  void end(ObjectHandle object) {
    if (!on_) return;
    if (timer_.depth() == 0 || timer_.current() != object.slot) [[unlikely]]
      return unmatched_end();
    if (cpu_) [[unlikely]]
      cpu_->charge(object.slot);
    timer_.end();
  }

  /// begin() now, end() when it goes out of scope.
  class [[nodiscard]] Scope {
   public:
    Scope(LoadRecorder& recorder, ObjectHandle object) : recorder_(recorder), object_(object) {
      recorder_.begin(object_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { recorder_.end(object_); }

   private:
    LoadRecorder& recorder_;
    ObjectHandle object_;
  };
  Scope work_on(ObjectHandle object) { return {*this, object}; }

  /// Time from now on is idle, until end_idle(): around waits for messages, so that they do not count as
  /// work.
  void begin_idle() { begin(idle_); }
  void end_idle() { end(idle_); }
  Scope wait() { return {*this, idle_}; }

  /// Adds seconds that the program measured itself to the load of an object, in the current subphase.
  void add_time(ObjectHandle object, double time_s);
  /// Replaces the object's load of this phase so far; what is measured later comes on top.
  void set_obj_time(ObjectHandle object, double time_s);
  /// The object's load of this phase so far, in seconds.
  double get_obj_time(ObjectHandle object);

  /// Asked at each phase's end for the load, in seconds, of each object with `measured` false.
  using UserSetLBLoad = std::function<double(ObjectHandle)>;
  void user_set_lb_load(UserSetLBLoad model) { model_ = std::move(model); }

  /// Time and added time from now on are also of this subphase (below 65,535), until the next call or the end
  /// of the phase.
  void set_subphase(int subphase);
  /// ... of none.
  void leave_subphase();

  /// Off: nothing is recorded, the clock stands still and each call costs a nanosecond. What is open ends.
  void instrument(bool on);
  bool instruments() const { return on_; }

  // Messages.

  /// A message between two objects, or an object and a rank. Record each once, on the side of the receiver
  /// as vt does, or on that of the sender. An object that is removed or lives elsewhere is named by its id.
  void record_message(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t messages = 1);
  /// The part of a broadcast that one receiver got.
  void record_broadcast(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t messages = 1);
  /// A shared block of memory, homed on a rank, that this rank writes or reads.
  void add_writable_shared_id(int home, std::uint64_t block, std::uint64_t bytes);
  void add_read_only_shared_id(int home, std::uint64_t block, std::uint64_t bytes);
  /// An edge of any category.
  void record_edge(lbdata::CommCategory category, Endpoint from, Endpoint to, std::uint64_t bytes,
                   std::uint64_t messages = 1);

  // Values of the program's own.

  /// Stands in the file with the object in this and all later phases, until removed.
  void set_value(ObjectHandle object, UserValueKind kind, std::string_view name, const UserValue& value);
  void remove_value(ObjectHandle object, UserValueKind kind, std::string_view name);
  /// In `user_defined` of this phase of this rank.
  void set_phase_value(std::string_view name, const UserValue& value);
  /// In `metadata.attributes` of this rank's file; before the first phase ends.
  void set_rank_value(std::string_view name, const UserValue& value);

  // Phases.

  /// The phase under way, from 0.
  std::int64_t phase() const { return phase_; }
  /// Collective: ends the phase, computes its statistics, writes it, and begins the next. The wait for the
  /// other ranks is idle time of the phase that ends; the recorder's own work is of no phase. Throws, on all
  /// ranks, the first error of the lowest rank that had one since the last phase end; the phase is over
  /// nevertheless, and the program may go on.
  PhaseSummary next_phase();
  /// Called, in the order of registration, when a phase has ended and when the next has begun. What a hook
  /// throws is an error of the next phase. They may not call next_phase().
  void on_phase_end(std::function<void(const PhaseSummary&)> hook) { end_hooks_.push_back(std::move(hook)); }
  void on_phase_start(std::function<void(std::int64_t phase)> hook) {
    start_hooks_.push_back(std::move(hook));
  }

  /// Something went wrong in the program on this rank: an error like those of the recorder itself, for
  /// next_phase() or close() to throw on all ranks.
  void note(const Error& error);

  /// Collective: ends the files and agrees on errors. What was recorded since the last phase end is dropped.
  /// Nothing can be recorded any more.
  void close();

  const NodeLBData& node_lb_data() const { return *data_; }
  NodeLBData& node_lb_data() { return *data_; }
  const Settings& settings() const { return settings_; }
  int rank() const { return communicator_.rank(); }
  int rank_count() const { return communicator_.size(); }

 private:
  void start();
  ObjectHandle enter(ObjectId id, const ObjectSpec& spec);
  ObjectHandle enter(ObjectId id, lbdata::Entity entity, bool measured);

  // Errors between phase ends.
  template <class Work>
  void guarded(const Work& work) {
    if (closed_) return;
    try {
      work();
    } catch (...) {
      note(mpi::current_error());
    }
  }
  template <class Hooks, class Argument>
  void call(const Hooks& hooks, const Argument& argument) {
    in_hook_ = true;
    const std::size_t count = hooks.size();  // a hook may add others, which a deque leaves in their places
    for (std::size_t k = 0; k < count; ++k) guarded([&] { hooks[k](argument); });
    in_hook_ = false;
  }
  void unknown_object(const char* call);
  void unmatched_end();
  void tell(const std::string& message);

  // Loads so far: in one column of the timer, in all.
  double load_s(std::uint32_t column, std::size_t slot) const;
  double load_s(std::size_t slot) const;
  double& added_s(std::uint32_t column, std::size_t slot);
  void replace_added(std::size_t slot, double time_s);
  std::uint32_t column_count() const;

  // The steps of a phase's end (phase_end.cpp).
  void end_open_work();
  void ask_models();
  void resolve_edges();
  lbdata::EntityIndex entity_of(Endpoint end);
  bool is_here(Endpoint end) const;
  std::vector<std::uint32_t> slots_of_tasks() const;
  void add_tasks(lbdata::PhaseRecord& record, const std::vector<std::uint32_t>& slots);
  void add_subphases(lbdata::Tasks& tasks, std::uint32_t slot) const;
  void add_communications(lbdata::PhaseRecord& record);
  void add_values(lbdata::PhaseRecord& record, const std::vector<std::uint32_t>& slots,
                  const RankTimes& times);
  RankTimes rank_times() const;
  PhaseSummary reduce(const lbdata::PhaseRecord& record, const std::vector<double>& modelled_s, bool failed,
                      PhaseReduction& ranks);
  void write(const std::function<void()>& work);
  void go_on_without_writing(int failed_rank);
  void stop_writing();
  void clear_phase();
  void begin_next_phase();

  int exceptions_at_start_ = std::uncaught_exceptions();
  mpi::Environment environment_;
  mpi::Communicator communicator_;
  Settings settings_;
  std::unique_ptr<NodeLBData> data_;
  std::unique_ptr<StatisticsOutput> statistics_;  // on rank 0, if they are written
  std::unique_ptr<ModelledLoads> load_model_;     // none: loads are modelled as measured

  WorkTimer timer_;
  std::unique_ptr<CpuMeter> cpu_;
  ObjectRegistry objects_;
  EdgeTable edges_;
  ObjectHandle idle_;
  ObjectHandle rank_object_;
  bool on_ = true;
  bool switched_ = false;  // on or off in this phase, so that an end() may lack its begin()
  bool closed_ = false;
  bool in_hook_ = false;

  std::vector<std::vector<double>> added_s_;  // by column of the timer and slot; empty where none
  double added_total_s_ = 0;
  std::int64_t replaced_ticks_ = 0;  // measured of objects, then replaced by set_obj_time()
  std::uint64_t resolved_version_ = 0;
  std::uint64_t next_number_ = 0;
  std::uint64_t collections_ = 0;  // besides the default one
  std::uint32_t groups_ = 0;

  UserValues phase_values_;
  UserValues rank_values_;
  UserSetLBLoad model_;
  std::deque<std::function<void(const PhaseSummary&)>> end_hooks_;
  std::deque<std::function<void(std::int64_t)>> start_hooks_;

  std::int64_t phase_ = 0;
  std::optional<Error> error_;        // the first since the last phase end
  std::optional<Error> write_error_;  // the same, of writing that the program goes on without
};

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::LoadRecorder;
}  // namespace plimsoll
