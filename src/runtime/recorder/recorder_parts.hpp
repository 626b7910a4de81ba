#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/output/output_files.hpp"
#include "runtime/output/phase_hooks.hpp"
#include "runtime/output/summary_line.hpp"
#include "runtime/recorder/auto_idle.hpp"
#include "runtime/recording/first_error.hpp"
#include "runtime/recording/phase_end.hpp"
#include "runtime/recording/recording.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
  SummaryLine summary_line;
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
