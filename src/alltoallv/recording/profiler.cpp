#include "alltoallv/recording/profiler.hpp"

#include <exception>

#include "alltoallv/lifecycle/lifecycle.hpp"
#include "alltoallv/lifecycle/run.hpp"

namespace plimsoll::alltoallv {

namespace {

/// Lets no exception out: after the first, nothing is recorded any more.
template <class Function>
void guarded(Function&& function) noexcept {
  try {
    if (Run* const run = current_run()) function(*run);
  } catch (const std::exception& error) {
    stop_recording(error.what());
  } catch (...) {
    stop_recording("an unknown error");
  }
}

}  // namespace

void pcontrol(int level) noexcept {
  if (level < 0) return;
  guarded([&](Run& run) { run.pause(level == 0); });
}

CallInProgress begin_call(const Arguments& arguments) noexcept {
  CallInProgress in_progress;
  guarded([&](Run& run) { in_progress = run.begin_call(arguments); });
  return in_progress;
}

void end_call(const CallInProgress& in_progress) noexcept {
  if (in_progress.begin_ns == 0) return;
  guarded([&](Run& run) { run.end_call(in_progress); });
}

void remember_request(MPI_Request request, const Arguments& arguments) noexcept {
  guarded([&](Run& run) { run.remember_request(request, arguments); });
}

void forget_request(MPI_Request request) noexcept {
  guarded([&](Run& run) { run.forget_request(request); });
}

void begin_start(MPI_Request request, StartInProgress& in_progress) noexcept {
  guarded([&](Run& run) { run.begin_start(request, in_progress); });
}

void end_start(const StartInProgress& in_progress) noexcept {
  guarded([&](Run& run) { run.end_start(in_progress); });
}

void communicator_created(MPI_Comm parent, MPI_Comm communicator) noexcept {
  guarded([&](Run& run) { run.communicator_created(parent, communicator); });
}

void communicator_being_created(MPI_Comm original, MPI_Comm communicator) noexcept {
  guarded([&](Run& run) { run.communicator_being_created(original, communicator); });
}

}  // namespace plimsoll::alltoallv
