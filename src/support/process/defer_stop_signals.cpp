#include "support/process/defer_stop_signals.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

std::atomic<int> stop_signal = 0;
void note_stop(int signal) {
  stop_signal = signal;
}

struct Watched {
  int signal;
  struct sigaction before;
};

std::mutex mutex;
int count = 0;  // number of living instances
std::function<void(int)> effect;
std::array<Watched, 3> watched = {Watched{SIGHUP, {}}, Watched{SIGINT, {}}, Watched{SIGTERM, {}}};

}  // namespace

DeferStopSignals::DeferStopSignals() {
  const std::lock_guard lock(mutex);
  if (count++ > 0) return;
  stop_signal = 0;
  for (Watched& each : watched) {
    struct sigaction action {};
    action.sa_handler = note_stop;
    ::sigaction(each.signal, nullptr, &each.before);
    // Signals that this process ignores, such as SIGINT in a shell's background, do not concern its children.
    if (each.before.sa_handler != SIG_IGN) ::sigaction(each.signal, &action, nullptr);
  }
}

DeferStopSignals::~DeferStopSignals() {
  const std::lock_guard lock(mutex);
  if (--count > 0) return;
  for (const Watched& each : watched) ::sigaction(each.signal, &each.before, nullptr);
  if (stop_signal == 0) return;
  if (effect)
    effect(stop_signal);
  else
    ::raise(stop_signal);
}

void DeferStopSignals::set_effect(std::function<void(int)> now) {
  const std::lock_guard lock(mutex);
  effect = std::move(now);
}

bool DeferStopSignals::take(int signal) {
  const std::lock_guard lock(mutex);
  if (count == 0) return false;
  note_stop(signal);
  return true;
}

int DeferStopSignals::signal() {
  return stop_signal;
}

}  // namespace plimsoll::support
