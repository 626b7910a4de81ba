#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/runtime/phase_summary.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/runtime/user_value.hpp>
#include <plimsoll/runtime/work_meter.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::runtime {

class NodeLBData;
class Session;

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
  ObjectHandle rank_object() const;

  /// For messages; none for an unknown object.
  ObjectId id(ObjectHandle object) const;
  /// The object of an id if it is on this rank, else none.
  ObjectHandle find(ObjectId id) const;

  // Work.

  /// Time from now on is of this object, until the matching end(). May be nested: time is of the innermost.
  void begin(ObjectHandle object) {
    if (!meter_.begin(object)) [[unlikely]]
      unknown_object("begin");
  }
  void end(ObjectHandle object) {
    if (!meter_.end(object)) [[unlikely]]
      unmatched_end();
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
  void begin_idle() { begin(WorkMeter::idle); }
  void end_idle() { end(WorkMeter::idle); }
  Scope wait() { return {*this, WorkMeter::idle}; }

  /// Adds seconds that the program measured itself to the load of an object, in the current subphase.
  void add_time(ObjectHandle object, double time_s);
  /// Replaces the object's load of this phase so far; what is measured later comes on top.
  void set_obj_time(ObjectHandle object, double time_s);
  /// The object's load of this phase so far, in seconds.
  double get_obj_time(ObjectHandle object);

  /// Asked at each phase's end for the load, in seconds, of each object with `measured` false.
  using UserSetLBLoad = std::function<double(ObjectHandle)>;
  void user_set_lb_load(UserSetLBLoad model);

  /// Time and added time from now on are also of this subphase (below 65,535), until the next call or the end
  /// of the phase.
  void set_subphase(int subphase);
  /// ... of none.
  void leave_subphase();

  /// Off: nothing is recorded, the clock stands still and each call costs a nanosecond. What is open ends.
  void instrument(bool on);
  bool instruments() const { return meter_.is_on(); }

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
  std::int64_t phase() const;
  /// Collective: ends the phase, computes its statistics, writes it, and begins the next. The wait for the
  /// other ranks is idle time of the phase that ends; the recorder's own work is of no phase. Throws, on all
  /// ranks, the first error of the lowest rank that had one since the last phase end; the phase is over
  /// nevertheless, and the program may go on.
  PhaseSummary next_phase();
  /// Called, in the order of registration, when a phase has ended and when the next has begun. What a hook
  /// throws is an error of the next phase. They may not call next_phase().
  void on_phase_end(std::function<void(const PhaseSummary&)> hook);
  void on_phase_start(std::function<void(std::int64_t phase)> hook);

  /// Something went wrong in the program on this rank: an error like those of the recorder itself, for
  /// next_phase() or close() to throw on all ranks.
  void note(const Error& error);

  /// Collective: ends the files and agrees on errors. What was recorded since the last phase end is dropped.
  /// Nothing can be recorded any more.
  void close();

  /// The LB data of this rank; include <plimsoll/runtime/node_lb_data.hpp> to use them.
  const NodeLBData& node_lb_data() const;
  NodeLBData& node_lb_data();
  const Settings& settings() const;
  int rank() const;
  int rank_count() const;

 private:
  struct Parts;

  explicit LoadRecorder(std::unique_ptr<Session> session);

  bool is_registered(ObjectHandle object) const;
  bool has_object(const char* call, ObjectHandle object);
  void unknown_object(const char* call);
  void unmatched_end();

  std::unique_ptr<Session> session_;
  WorkMeter meter_;  // here, so that begin() and end() go through no pointer
  std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::runtime

namespace plimsoll {
using runtime::LoadRecorder;
}  // namespace plimsoll
