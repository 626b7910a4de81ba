#include <utility>

#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/runtime/recorder_state.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/balancing/planned_migration.hpp"
#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
    throw support::usage_error("the object is not registered on this rank", "register it first");
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
