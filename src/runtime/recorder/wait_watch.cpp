#include <mpi.h>

#include <utility>

#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

WaitWatch::~WaitWatch() {
  int mpi_is_finalised = 0;
  MPI_Finalized(&mpi_is_finalised);
  if (mpi_is_finalised != 0) return;
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
