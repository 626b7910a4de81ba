// Bounds how long messages wait in buffers of a busy rank, and how much memory messages under way need.
#include <plimsoll/mpi/communicator.hpp>

#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

using Clock = std::chrono::steady_clock;

/// Time after which a busy rank sends messages for which it has not filled a buffer.
constexpr auto flush_interval = std::chrono::milliseconds(1);
/// Number of short member functions per reading of the clock, which takes about as long as one of them. The
/// first long ones after short ones may therefore delay messages by as many calls.
constexpr int n_calls_per_reading = 32;
/// Maximum wait before a buffer is sent. A rank whose receivers do not receive for longer, because their
/// member functions take long, is slow, but it does not wait for ever for a rank that has failed.
constexpr auto max_wait = std::chrono::seconds(1);

}  // namespace

/// Called after each member function of an element.
void ObjectSystem::Parts::flush_if_due() {
  if (--n_calls_to_reading > 0) return;
  const Clock::time_point now = Clock::now();
  const bool is_due = now - last_flush >= flush_interval;
  n_calls_to_reading = is_due ? 1 : n_calls_per_reading;  // after each call if calls take long
  if (!is_due) return;
  exchange.flush();
  wait_watch.look();
  last_flush = now;
}

/// Called when much has been sent that no other rank has received. Waits only in run_until_quiet(), which all
/// ranks call: a rank that is not yet there might wait for this one.
void ObjectSystem::Parts::wait_for_receivers() {
  if (!is_delivering) return;
  const auto idle = recorder.wait();
  const Clock::time_point end = Clock::now() + max_wait;
  for (mpi::Backoff backoff; exchange.is_congested() && Clock::now() < end; backoff.pause())
    exchange.relieve();
}

}  // namespace plimsoll::objects
