#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/planned_migration.hpp"
#include "runtime/output/output_files.hpp"
#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/region_marks.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

namespace {

NodeLBData::Place place_of(const mpi::Communicator& communicator) {
  const mpi::NodePlace node = mpi::node_place(communicator);
  return {.rank = communicator.rank(),
          .shared_node = {.id = node.id, .size = node.size, .rank = node.rank, .num_nodes = node.node_count},
          .may_have_threads = mpi::Environment::allows_threads()};
}

bool needs_cpu_time(const Settings& settings) {
  return settings.lb_cpu_time || settings.lb_loads == LoadTime::cpu;
}

Clock::Source clock_source(const Settings& settings) {
  return settings.lb_system_clock ? Clock::Source::system : Clock::Source::timestamp_counter;
}

Error not_linked() {
  return support::usage_error(
      "lb_auto_idle is set, but MPI calls of this program do not pass through plimsoll::auto_idle",
      "link plimsoll::auto_idle before MPI (pkg-config plimsoll-auto_idle), or clear the setting");
}

}  // namespace

// Constructors and destructor.

LoadRecorder::Parts::Parts(const Session& session, WorkMeter& meter, const NodeLBData::Place& place,
                           std::optional<lbdata::PhaseSpecification> specification,
                           std::optional<support::FolderLock> lock)
    : data(session.settings(), place, std::move(specification)),
      recording(meter, session.settings().lb_loads),
      files(session, data, std::move(lock)),
      hooks(errors),
      phase_end(session, recording, data, files, hooks, errors) {
  if (session.settings().lb_auto_idle) auto_idle.emplace(recording);
  data.open();
  recording.rank_object = enter(rank_entity(session.rank()), true);
}

LoadRecorder::LoadRecorder(MPI_Comm communicator, const Settings& settings)
    : LoadRecorder(std::make_unique<Session>(communicator, settings)) {}

LoadRecorder::LoadRecorder(int& argc, char** argv, const Settings& defaults)
    : LoadRecorder(argc, argv, MPI_COMM_WORLD, defaults) {}

LoadRecorder::LoadRecorder(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults)
    : LoadRecorder(std::make_unique<Session>(argc, argv, communicator, defaults)) {}

LoadRecorder::LoadRecorder(std::unique_ptr<Session> session)
    : session_(std::move(session)),
      meter_(clock_source(session_->settings()), needs_cpu_time(session_->settings())) {
  const auto specification = session_->phase_specification();
  auto lock = lock_output_folders(session_->communicator(), session_->settings());
  const NodeLBData::Place place = place_of(session_->communicator());
  mpi::agreed(session_->communicator(), [&] {
    parts_ = std::make_unique<Parts>(*session_, meter_, place, specification, std::move(lock));
  });
  mpi::agreed(session_->communicator(), [&] {
    if (rank() == 0) remove_streams_of_higher_ranks(session_->settings(), rank_count());
  });
  parts_->at_finalize.emplace([this] {
    try {
      close();
    } catch (const Error& error) {
      session_->tell(fmt::format("error while MPI_Finalize closed the recorder: {}", error.what()));
    }
  });
  parts_->phase_end.begin_phase();
}

LoadRecorder::~LoadRecorder() {
  if (!session_->is_of_this_process()) {  // a forked child exits, but its parent owns everything here
    static_cast<void>(parts_.release());
    static_cast<void>(session_.release());
    return;
  }
  if (session_->is_unwinding()) {
    session_->leave_mpi_running();  // other ranks may not have thrown
  } else if (!parts_->phase_end.is_closed() && !parts_->data.path().empty()) {
    parts_->guard([&] {
      session_->tell(
          "recorder destroyed without close(): its LB data files remain .partial; use 'plimsoll repair' to "
          "complete them");
    });
  }
}

const NodeLBData& LoadRecorder::node_lb_data() const {
  return parts_->data;
}

NodeLBData& LoadRecorder::node_lb_data() {
  return parts_->data;
}

const Settings& LoadRecorder::settings() const {
  return session_->settings();
}

int LoadRecorder::rank() const {
  return session_->rank();
}

int LoadRecorder::rank_count() const {
  return session_->rank_count();
}

const mpi::Communicator& LoadRecorder::communicator() const {
  return session_->communicator();
}

// Phases.

std::int64_t LoadRecorder::phase() const {
  return parts_->phase_end.phase();
}

PhaseSummary LoadRecorder::next_phase() {
  const MarkedRegion region("plimsoll: end of phase");
  is_owner("next_phase");  // ends the phase nevertheless, because the other ranks wait for this one
  return parts_->phase_end.next_phase();
}

void LoadRecorder::on_phase_end(std::function<void(const PhaseSummary&)> hook) {
  if (!is_owner("on_phase_end")) return;
  parts_->hooks.at_end(std::move(hook));
}

void LoadRecorder::on_phase_start(std::function<void(std::int64_t phase)> hook) {
  if (!is_owner("on_phase_start")) return;
  parts_->hooks.at_start(std::move(hook));
}

void LoadRecorder::on_collective_call(CollectiveCallHook hook) {
  parts_->phase_end.set_call_hook(std::move(hook));
}

void LoadRecorder::close() {
  is_owner("close");
  parts_->phase_end.close();
}

// Errors.

bool LoadRecorder::is_registered(ObjectHandle object) const {
  return parts_->recording.objects.alive(object);
}

bool LoadRecorder::has_object(const char* call, ObjectHandle object) {
  if (is_registered(object)) return true;
  unknown_object(call, object);
  return false;
}

void LoadRecorder::note(const Error& error) {
  parts_->errors.note(error);
}

void LoadRecorder::unknown_object(const char* call, ObjectHandle object) {
  note(usage_error(fmt::format("{}(): object is not (or no longer) registered on this rank: {}", call,
                               parts_->recording.name_of_unknown(object)),
                   "use the handle returned by register_object() until remove_object()"));
}

void LoadRecorder::unmatched_end(ObjectHandle object) {
  const Recording& recording = parts_->recording;
  const WorkTimer& timer = meter_.is_own_thread() ? meter_.timer() : meter_.threads().mine().timer;
  const std::string ended = is_registered(object) ? recording.name_of(object.slot) : "an unknown object";
  const std::string begun = timer.depth() == 0
                                ? "no begin() is open"
                                : "the last begin() was for " + recording.name_of(timer.current());
  note(usage_error(
      fmt::format("end() for {} in phase {} does not match the last begin(): {}", ended, phase(), begun),
      "call end() in reverse order of begin(), on the same thread"));
}

// Whether this thread may call the members that change more than its own work.
bool LoadRecorder::is_owner(const char* call) {
  if (meter_.is_own_thread()) return true;
  note(usage_error(fmt::format("{}() called on a thread other than the one that started the recorder", call),
                   "call it on that thread; other threads may only measure work and record messages"));
  return false;
}

AutoIdle::AutoIdle(Recording& recording)
    : recording_(recording),
      hooks_{.context = this,
             .begin = [](void* self) { static_cast<AutoIdle*>(self)->begin(); },
             .end = [](void* self) { static_cast<AutoIdle*>(self)->end(); }} {
  const auto connect =
      reinterpret_cast<mpi::ConnectIdleHooks>(dlsym(RTLD_DEFAULT, mpi::connect_idle_hooks_name));
  if (connect == nullptr) throw not_linked();
  if (!connect(&hooks_)) return;
  connect_ = connect;
  MPI_Barrier(MPI_COMM_SELF);
  if (was_called_) return;
  std::exchange(connect_, nullptr)(nullptr);
  throw not_linked();
}

AutoIdle::~AutoIdle() {
  if (connect_ != nullptr) connect_(nullptr);
}

void AutoIdle::begin() {
  was_called_ = true;
  if (!recording_.in_own_work) recording_.meter.begin(WorkMeter::idle);
}

void AutoIdle::end() {
  if (!recording_.in_own_work) recording_.meter.end(WorkMeter::idle);
}

std::vector<std::byte> RecorderState::packed(ObjectHandle object) const {
  expect_registered(object);
  mpi::Packer packer;
  pack_knowledge(recorder_.parts_->recording, recorder_.parts_->data, object, packer);
  return packer.take();
}

void RecorderState::resume(std::int64_t phase) {
  recorder_.parts_->phase_end.resume(phase);
}

void RecorderState::restore(ObjectHandle object, std::span<const std::byte> bytes) {
  expect_registered(object);
  mpi::Unpacker unpacker(bytes);
  unpack_knowledge(recorder_.parts_->recording, recorder_.parts_->data, object, unpacker);
}

void RecorderState::expect_registered(ObjectHandle object) const {
  if (!recorder_.is_registered(object))
    throw support::usage_error(fmt::format("the object is not registered on this rank: {}",
                                           recorder_.parts_->recording.name_of_unknown(object)),
                               "register it first");
}

WaitWatch::~WaitWatch() {
  if (mpi::finalised()) return;
  try {
    end();
    recorder_.parts_->phase_end.watchdog().discard_messages();
  } catch (const Error&) {
    return;  // MPI has failed
  }
}

void WaitWatch::begin(std::int64_t number) {
  recorder_.parts_->phase_end.watchdog().begin(number);
  is_waiting_ = true;
}

void WaitWatch::look() {
  if (!is_waiting_) return;
  recorder_.parts_->phase_end.watchdog().look(
      {.phase = recorder_.phase(), .call = CollectiveCall::run_until_quiet, .rank = recorder_.rank()});
}

void WaitWatch::end() {
  if (std::exchange(is_waiting_, false)) recorder_.parts_->phase_end.watchdog().finish();
}

}  // namespace plimsoll::runtime
