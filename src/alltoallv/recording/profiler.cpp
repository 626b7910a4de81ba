#include "alltoallv/recording/profiler.hpp"

#include <exception>

#include "alltoallv/lifecycle/lifecycle.hpp"
#include "alltoallv/recording/process_recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::alltoallv {

namespace {

/// Runs a function and catches all exceptions. After the first exception, nothing more is recorded.
template <class Function>
void guarded(Function&& function) noexcept {
  try {
    if (ProcessRecording* const recording = current_recording()) function(*recording);
  } catch (const std::exception& error) {
    stop_recording(error.what());
  } catch (...) {
    stop_recording("an unknown error");
  }
}

}  // namespace

void pause_recording(bool paused) noexcept {
  guarded([&](ProcessRecording& recording) { recording.pause(paused); });
}

CallInProgress begin_call(const Arguments& arguments) noexcept {
  CallInProgress in_progress;
  guarded([&](ProcessRecording& recording) { in_progress = recording.begin_call(arguments); });
  return in_progress;
}

void end_call(const CallInProgress& in_progress) noexcept {
  if (!in_progress.has_data_at_end()) return;
  guarded([&](ProcessRecording& recording) { recording.end_call(in_progress); });
}

void fail_call(const CallInProgress& in_progress, const Arguments& arguments, int code) noexcept {
  guarded([&](ProcessRecording& recording) { recording.fail_call(in_progress, arguments, code); });
}

void end_nonblocking(const CallInProgress& in_progress, MPI_Request request) noexcept {
  if (in_progress.state != CallInProgress::State::counted) return;
  guarded([&](ProcessRecording& recording) { recording.end_nonblocking(in_progress, request); });
}

void begin_completion(MPI_Request request, int position, CompletionInProgress& in_progress) noexcept {
  guarded([&](ProcessRecording& recording) { recording.begin_completion(request, position, in_progress); });
}

void end_completion(CompletionInProgress& in_progress, const CompletedRequests& completed) noexcept {
  guarded([&](ProcessRecording& recording) { recording.end_completion(in_progress, completed); });
}

void remember_request(MPI_Request request, const Arguments& arguments) noexcept {
  guarded([&](ProcessRecording& recording) { recording.remember_request(request, arguments); });
}

void forget_request(MPI_Request request) noexcept {
  guarded([&](ProcessRecording& recording) { recording.forget_request(request); });
}

void begin_start(MPI_Request request, StartInProgress& in_progress) noexcept {
  guarded([&](ProcessRecording& recording) { recording.begin_start(request, in_progress); });
}

void end_start(const StartInProgress& in_progress, int code) noexcept {
  guarded([&](ProcessRecording& recording) { recording.end_start(in_progress, code); });
}

void communicator_created(MPI_Comm parent, MPI_Comm communicator) noexcept {
  guarded([&](ProcessRecording& recording) { recording.communicator_created(parent, communicator); });
}

void communicator_being_created(MPI_Comm original, MPI_Comm communicator) noexcept {
  guarded([&](ProcessRecording& recording) { recording.communicator_being_created(original, communicator); });
}

}  // namespace plimsoll::alltoallv
