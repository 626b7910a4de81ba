#include "support/process/defer_stop_signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace plimsoll::support {

namespace {

std::atomic<int> stop_signal = 0;
std::atomic<int> to_pass_on = 0;  // the signal, if another process has sent it
std::atomic<pid_t> receiver = 0;

/// Called by the handler, which may find no receiver yet, and by pass_on_to(): exactly one of them passes a
/// signal on.
void pass_on() {
  const pid_t process = receiver;
  if (process == 0) return;
  if (const int signal = to_pass_on.exchange(0); signal != 0) ::kill(process, signal);
}

void note_stop(int signal, siginfo_t* origin, void*) {
  const int errno_before = errno;
  stop_signal = signal;
  if (origin->si_code <= 0) to_pass_on = signal;
  pass_on();
  errno = errno_before;
}

struct Watched {
  int signal;
  struct sigaction before;
};

std::mutex mutex;
int count = 0;  // of those that live
std::array<Watched, 2> watched = {Watched{SIGINT, {}}, Watched{SIGTERM, {}}};

}  // namespace

DeferStopSignals::DeferStopSignals() {
  const std::lock_guard lock(mutex);
  if (count++ > 0) return;
  stop_signal = 0;
  to_pass_on = 0;
  for (Watched& each : watched) {
    struct sigaction action {};
    action.sa_sigaction = note_stop;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(each.signal, nullptr, &each.before);
    // What this process ignores, such as SIGINT in a shell's background, does not concern its children.
    if (each.before.sa_handler != SIG_IGN) ::sigaction(each.signal, &action, nullptr);
  }
}

DeferStopSignals::~DeferStopSignals() {
  const std::lock_guard lock(mutex);
  if (passes_on_) {
    receiver = 0;
    stop_signal = 0;
  }
  if (--count > 0) return;
  for (const Watched& each : watched) ::sigaction(each.signal, &each.before, nullptr);
  if (stop_signal != 0) ::raise(stop_signal);
}

int DeferStopSignals::signal() {
  return stop_signal;
}

void DeferStopSignals::pass_on_to(pid_t process) {
  passes_on_ = true;
  receiver = process;
  pass_on();
}

}  // namespace plimsoll::support
