#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/work_meter.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Function that waits for a request, and reports ranks that do not arrive (setting lb_watchdog).
using WatchedWait = std::function<void(MPI_Request&)>;

/// Function that a LoadRecorder calls on each rank at the beginning of its collective members and those of
/// its Balancer; `call` is the name of the member, such as "next_phase". It is for a class that has
/// collective members itself, such as ObjectSystem: if some ranks are in one of those, it throws on all
/// ranks, and the call has no effect. It waits for other ranks with `wait`.
using CollectiveCallHook = std::function<void(std::string_view call, const WatchedWait& wait)>;

class Balancer;
class NodeLBData;
class RecorderState;
class Session;

/// Measures the work of an MPI program's objects and the messages between them, phase by phase, and writes
/// both to LB data files. The program keeps its own data structures. It reports to the recorder its objects,
/// its work on them, and the end of each phase:
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
/// **Errors.** Only collective members throw, and they throw on all ranks, so that no rank waits for another
/// that has left. The other members keep the first error on each rank, such as an unknown object or an end()
/// without begin(), for the next call of next_phase().
///
/// **Threads.** The thread that starts a recorder owns it: it registers objects, ends phases and calls all
/// other members. Other threads may call begin(), end(), their scopes, add_time(), id(), find(), and the
/// members that record messages, in any number and without locks, but not while the owner calls a member
/// other than these. They must have ended their work when the owner calls next_phase(), instrument(),
/// get_obj_time() or set_obj_time(). The load of an object on which several threads worked is the sum of
/// their times. A thread works in the owner's current subphase as of its begin(). The owner's members, called
/// on another thread, have no effect except for an error.
class LoadRecorder {
 public:
  /// Starts a recorder. Collective over the communicator, which is duplicated. Throws Error on all ranks:
  /// usage, e.g. if data files of an earlier run exist; bad_input for an invalid specification file; system
  /// for failures of the system.
  explicit LoadRecorder(MPI_Comm communicator, const Settings& settings = {});
  /// Also reads settings from the program's arguments, environment and configuration file (see
  /// Configuration). These arguments are removed from argv. If the program has not initialised MPI, the
  /// constructor initialises it, and the destructor finalises it.
  LoadRecorder(int& argc, char** argv, const Settings& defaults = {});
  /// Does the same for a communicator of the program.
  LoadRecorder(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults = {});
  LoadRecorder(const LoadRecorder&) = delete;
  LoadRecorder& operator=(const LoadRecorder&) = delete;
  /// Ends the recorder. If close() was not called, files keep the suffix `.partial` (`plimsoll repair`
  /// completes them), and rank 0 reports it. During stack unwinding, the destructor prints nothing and does
  /// not finalise MPI, because that would wait for ranks without an exception.
  ~LoadRecorder();

  // Objects.

  /// Returns a new collection for ObjectSpec::collection. Collections are numbered in the order of the calls,
  /// so call this in the same order on all ranks.
  std::uint64_t add_collection();
  /// Registers an object on this rank until remove_object(). Cost: amortised O(1). After an error, the handle
  /// is empty, and all data recorded for it are ignored.
  ObjectHandle register_object(const ObjectSpec& spec = {});
  /// Registers an object that came from another rank and keeps its id.
  ObjectHandle register_object(ObjectId id, const ObjectSpec& spec);
  /// Registers this rank's member of an object group. All ranks must create their groups in the same order.
  /// Members do not migrate.
  ObjectHandle register_object_group();
  /// Removes an object that has left this rank. Its work in this phase remains in this rank's file, and so do
  /// its values and position: if it is registered again in this phase, it has them. Migrate objects at the
  /// beginning of phases, before they work; otherwise they have tasks on two ranks.
  void remove_object(ObjectHandle object);
  /// Sets whether strategies may migrate an object that was registered as migratable. While they may not, its
  /// entity in the files is not migratable, though its ID keeps the bits of a migratable element. Balancer
  /// reports a plan that contains it as an error.
  void set_migratable(ObjectHandle object, bool migratable);
  /// Returns the object of the rank itself, for work that belongs to no object. It is always registered and
  /// not migratable.
  ObjectHandle rank_object() const;

  /// Returns the ID of an object, for messages; ObjectId::none for an unknown object.
  ObjectId id(ObjectHandle object) const;
  /// Returns the object with an ID if it is on this rank, otherwise an empty handle.
  ObjectHandle find(ObjectId id) const;

  // Objects that change, as in adaptive meshes.

  /// Makes `ids` the objects of the collection `spec.collection` on this rank: removes its objects that are
  /// not in `ids`, and registers those that are new, like register_object(id, spec). Other collections,
  /// groups and the rank object remain. Returns the objects in the order of `ids`, with an empty handle for
  /// each ID that is invalid or occurs for the second time. Cost: expected O(ids + objects).
  std::vector<ObjectHandle> set_objects(std::span<const ObjectId> ids, const ObjectSpec& spec = {});
  /// Passes the history of an object to an object that replaces all or part of it: in each kept phase,
  /// `share` (>= 0) of the parent's load is added to the child's load, so that load models know the child. A
  /// child of several parents gets the sum. Measured loads of the child itself remain unchanged. Also passes
  /// the parent's position and user-defined values that the child does not have. Call it when the child is
  /// registered, before the parent is removed, at the beginning of a phase.
  void inherit(ObjectHandle parent, ObjectHandle child, double share = 1);
  /// Sets the coordinates of an object, from the next phase end on, for strategies that use geometry. They
  /// are written to `user_defined` as the array `position`. All objects of this rank must have the same
  /// number of coordinates: 1, 2 or 3.
  void set_position(ObjectHandle object, std::span<const double> position);

  // Work.

  /// Assigns subsequent time to this object, until the matching end(). Calls may be nested: time belongs to
  /// the innermost object.
  void begin(ObjectHandle object) {
    if (!meter_.begin(object)) [[unlikely]]
      unknown_object("begin", object);
  }
  void end(ObjectHandle object) {
    if (!meter_.end(object)) [[unlikely]]
      unmatched_end(object);
  }

  /// Calls begin() when constructed and end() when destroyed.
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

  /// Counts subsequent time as idle, until end_idle(). Use it around waits for messages, which then do not
  /// count as work.
  void begin_idle() { begin(WorkMeter::idle); }
  void end_idle() { end(WorkMeter::idle); }
  Scope wait() { return {*this, WorkMeter::idle}; }

  /// Adds time that the program measured itself, in seconds, to the load of an object in the current
  /// subphase.
  void add_time(ObjectHandle object, double time_s);
  /// Adds time, in seconds, that the device (GPU) of this rank worked for an object. `phase` is phase() when
  /// the program started that work. Device times are a load dimension of their own, next to the time of the
  /// processor; with the setting lb_loads=device, they are the load. Each rank is expected to have a device
  /// of its own. Times that are added after the end of their phase are late: they count as late_device_s in
  /// PhaseSummary, and decisions use them if they are one phase late. Time for an object that has left this
  /// rank since is ignored if it is late, and otherwise an error.
  void add_device_time(ObjectHandle object, double time_s, std::int64_t phase);
  /// Replaces the load of an object in this phase so far, in seconds. Time measured later is added to it.
  void set_obj_time(ObjectHandle object, double time_s);
  /// Returns the load of an object in this phase so far, in seconds.
  double get_obj_time(ObjectHandle object);

  /// Sets whether begin() and end() measure the load of an object, like ObjectSpec::measured, in this phase
  /// as a whole and in later phases.
  void set_measured(ObjectHandle object, bool measured);
  /// Function that returns the load, in seconds, of an object that is not measured. It is called
  /// at each phase end.
  using UserSetLBLoad = std::function<double(ObjectHandle)>;
  void user_set_lb_load(UserSetLBLoad model);
  /// Function that returns such loads of some objects, and nothing for others, which user_set_lb_load()
  /// provides. An ObjectSystem sets it for its elements.
  using LoadOfElement = std::function<std::optional<double>(ObjectHandle)>;
  void set_load_of_elements(LoadOfElement model);

  // Loads without timers, for programs whose kernels loop over many objects.

  /// Infers the loads of objects from features, such as numbers of cells and particles, from now on.
  /// At each phase end, the time of each rank that belongs to no other object is explained by the sums of the
  /// features of its objects: balance::LoadInference estimates a cost per feature. The load of an object is
  /// then the sum of its features times their costs. Mark waits for other ranks (begin_idle(), setting
  /// lb_auto_idle), because they would count as work. Features of the rank object (rank_object()) explain
  /// time that every rank takes. Collective; all ranks must pass the same names. A second call starts again
  /// with other features. Throws Error (usage) for no or more than 16 names, and for invalid ones. Cost per
  /// phase: three reductions of 3 KiB, and O(objects * features^2).
  void infer_loads(const std::vector<std::string>& features);
  /// Sets the features of an object, in the order of infer_loads(), until they are set again. They are
  /// between 0 and 1e100. They migrate along, and are written to `user_defined`. An object without features
  /// keeps its measured load.
  void set_features(ObjectHandle object, std::span<const double> features);
  /// Assigns an object to a pack (>= 0) of this rank, such as a device or a kernel's batch, until it migrates
  /// or is assigned again. The time of its pack is that of add_pack_time(), not that of the rank; in phases
  /// without it, the pack tells nothing about the costs.
  void set_pack(ObjectHandle object, int pack);
  /// Adds time, in seconds, that the program measured for the objects of a pack in this phase.
  void add_pack_time(int pack, double time_s);
  /// Returns the costs that were inferred at the last phase end, the same on all ranks; empty before.
  balance::InferredCosts inferred_costs() const;

  /// Assigns subsequent measured and added time also to this subphase (0 to 65,534), until the next call or
  /// the end of the phase.
  void set_subphase(int subphase);
  /// Leaves the subphase: subsequent time belongs to no subphase.
  void leave_subphase();

  /// Switches recording on or off. While recording is off, the clock is stopped, and each call costs about a
  /// nanosecond. Switching it off ends all open begin() calls.
  void instrument(bool on);
  bool instruments() const { return meter_.is_on(); }

  // Messages. Record messages between objects of the same rank, too, even if the program exchanges their data
  // without MPI: strategies otherwise do not know which objects they should keep together.

  /// Records one message between two objects, or between an object and any rank. Record each message once:
  /// where it is received, as vt does, or where it is sent. An object may be on another rank, or already
  /// removed.
  void record_message(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t messages = 1);
  /// Records one receiver's part of a broadcast.
  void record_broadcast(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t messages = 1);
  /// Records a shared block of memory, with a home rank, that this rank writes or reads.
  void add_writable_shared_id(int home, std::uint64_t block, std::uint64_t bytes);
  void add_read_only_shared_id(int home, std::uint64_t block, std::uint64_t bytes);
  /// Records messages along an edge of any category.
  void record_edge(lbdata::CommCategory category, Endpoint from, Endpoint to, std::uint64_t bytes,
                   std::uint64_t messages = 1);

  // User-defined values: integers, numbers (double) and strings. An unsigned integer above 2^63 - 1 is an
  // error.

  /// Writes a value to the object's task in this phase and all later phases, until remove_value() is called.
  void set_value(ObjectHandle object, UserValueKind kind, std::string_view name, const UserValue& value);
  template <UnsignedInteger Integer>
  void set_value(ObjectHandle object, UserValueKind kind, std::string_view name, Integer value) {
    if (const auto integer = accepted_integer("set_value", name, value))
      set_value(object, kind, name, *integer);
  }
  void remove_value(ObjectHandle object, UserValueKind kind, std::string_view name);
  /// Removes all values of an object, its position and its features. For another object with the ID of one
  /// that was removed in this phase.
  void remove_all_values(ObjectHandle object);
  /// Returns a value of an object; nothing if set_value() has not set it.
  std::optional<UserValue> value(ObjectHandle object, UserValueKind kind, std::string_view name) const;
  /// Writes a value to `user_defined` of this rank's record of this phase.
  void set_phase_value(std::string_view name, const UserValue& value);
  template <UnsignedInteger Integer>
  void set_phase_value(std::string_view name, Integer value) {
    if (const auto integer = accepted_integer("set_phase_value", name, value))
      set_phase_value(name, *integer);
  }
  /// Writes a value to `metadata.attributes` of this rank's file. Call it before the first phase ends.
  void set_rank_value(std::string_view name, const UserValue& value);
  template <UnsignedInteger Integer>
  void set_rank_value(std::string_view name, Integer value) {
    if (const auto integer = accepted_integer("set_rank_value", name, value)) set_rank_value(name, *integer);
  }

  // Phases.

  /// Returns the number of the current phase, from 0.
  std::int64_t phase() const;
  /// Collective: ends the phase, computes its statistics, writes it, and begins the next. The wait for the
  /// other ranks is idle time of the phase that ends; work of the recorder belongs to no phase. If any rank
  /// had an error since the last phase end, throws the first error of the lowest such rank on all ranks. Even
  /// then the phase has ended, and the program may continue.
  PhaseSummary next_phase();
  /// Registers a hook that is called at each phase end, or at each start of the next phase. Hooks are called
  /// in the order of registration. If a hook throws, next_phase() throws the error at the end of the next
  /// phase. A hook must not call next_phase().
  void on_phase_end(std::function<void(const PhaseSummary&)> hook);
  void on_phase_start(std::function<void(std::int64_t phase)> hook);

  /// Sets the hook that compares the collective calls of the ranks; an empty function removes it. The
  /// constructors do not call it.
  void on_collective_call(CollectiveCallHook hook);

  /// Reports an error of the program on this rank. The next call of next_phase() or close() throws it on all
  /// ranks.
  void note(const Error& error);

  /// Collective: completes the files and agrees on errors. Discards everything recorded since the last phase
  /// end. Afterwards the recorder records nothing. If a recorder still exists on all ranks, MPI_Finalize
  /// calls this: the files are completed, and rank 0 prints an error.
  void close();

  /// Returns the LB data of this rank; include <plimsoll/runtime/node_lb_data.hpp> to use them.
  const NodeLBData& node_lb_data() const;
  NodeLBData& node_lb_data();
  const Settings& settings() const;
  int rank() const;
  int rank_count() const;
  /// Returns the duplicate of the program's communicator that this recorder uses.
  const mpi::Communicator& communicator() const;

 private:
  friend class Balancer;
  friend class RecorderState;
  friend class WaitWatch;
  struct Parts;

  explicit LoadRecorder(std::unique_ptr<Session> session);

  bool is_registered(ObjectHandle object) const;
  bool has_object(const char* call, ObjectHandle object);
  bool is_owner(const char* call);
  void unknown_object(const char* call, ObjectHandle object);
  std::optional<UserValue> accepted_integer(const char* call, std::string_view name, std::uint64_t integer);
  void unmatched_end(ObjectHandle object);

  std::unique_ptr<Session> session_;
  WorkMeter meter_;  // direct member rather than part of Parts, so that begin() and end() need no pointer
  std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::runtime

namespace plimsoll::PLIMSOLL_ABI {
using runtime::LoadRecorder;
}  // namespace plimsoll
