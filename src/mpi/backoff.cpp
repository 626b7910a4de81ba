#include <thread>

#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr int spins = 1000;  // some 50 us, in which ranks on separate cores usually arrive
// A sleep delays the rank by up to 0.1 ms, because the timer of Linux adds to it. Other ranks that wait for
// this rank must not begin to sleep because of that.
constexpr microseconds time_without_sleep{500};
constexpr microseconds sleep{50};

}  // namespace

void Backoff::pause() {
  if (++pauses_ < spins) return;
  const steady_clock::time_point now = steady_clock::now();
  if (pauses_ == spins) start_ = now;
  if (now - start_ < time_without_sleep)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(sleep);
}

void wait(MPI_Request& request) {
  Backoff backoff;
  for (int is_complete = 0; is_complete == 0; backoff.pause())
    check(MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
}

}  // namespace plimsoll::mpi
