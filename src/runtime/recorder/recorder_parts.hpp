#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/internal/idle_hooks.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/output/output_files.hpp"
#include "runtime/recording/phase_end.hpp"
#include "runtime/recording/phase_hooks.hpp"
#include "runtime/recording/recording.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Counts MPI's blocking calls of this thread as idle time, as begin_idle() and end_idle() around each call
/// would. The wrappers of these calls are in the library plimsoll_auto_idle. If several recorders request
/// this, the first one gets the time. Calls in OwnWork do not count.
class AutoIdle {
 public:
  /// Connects the recording, which must outlive this object, to the wrappers. Throws Error (usage) if the
  /// program was not linked with the library, or not before MPI.
  explicit AutoIdle(Recording& recording);
  AutoIdle(const AutoIdle&) = delete;
  AutoIdle& operator=(const AutoIdle&) = delete;
  ~AutoIdle();

 private:
  void begin();
  void end();

  Recording& recording_;
  bool was_called_ = false;
  mpi::IdleHooks hooks_;
  mpi::ConnectIdleHooks connect_ = nullptr;  // null if not connected
};

/// Parts of a LoadRecorder in addition to its session and its hot path.
struct LoadRecorder::Parts {
  Parts(const Session& session, WorkMeter& meter, const NodeLBData::Place& place,
        std::optional<lbdata::PhaseSpecification> specification, std::optional<support::FolderLock> lock);

  ObjectHandle enter(const lbdata::Entity& entity, bool measured);
  /// Runs `work` and records its exceptions; does nothing after the recorder is closed.
  template <class Work>
  void guard(const Work& work) {
    if (!phase_end.is_closed()) errors.guard(work);
  }

  FirstError errors;
  NodeLBData data;
  Recording recording;
  OutputFiles files;
  PhaseHooks hooks;
  PhaseEnd phase_end;

  UserValues rank_values;
  std::optional<AutoIdle> auto_idle;  // only if the settings enable it
  std::uint64_t next_number = 0;      // next number for objects registered without a number
  std::uint64_t collections = 0;      // number of collections in addition to the default one
  std::uint32_t groups = 0;
  std::optional<mpi::AtFinalize> at_finalize;  // closes the recorder if the program does not
};

}  // namespace plimsoll::runtime
