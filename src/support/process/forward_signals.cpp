#include "support/process/forward_signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace plimsoll::inline v0_1::support {

namespace {

struct Forwarded {
  int signal;
  struct sigaction before = {};
  std::atomic<bool> waiting = false;  ///< came and was not passed on yet
};

// SIGCONT comes last: what is kept is passed on in this order.
std::array<Forwarded, 9> all = {
    {{SIGHUP}, {SIGINT}, {SIGQUIT}, {SIGTERM}, {SIGUSR1}, {SIGUSR2}, {SIGXCPU}, {SIGTSTP}, {SIGCONT}}};
std::atomic<pid_t> receiver = 0;
std::atomic<bool> is_alive = false;  // one of ForwardSignals

/// Called by the handler, which may find no receiver yet, and by to(): exactly one of them passes a signal
/// on.
void pass_on() {
  const pid_t process = receiver;
  if (process == 0) return;
  for (Forwarded& each : all)
    if (each.waiting.exchange(false)) ::kill(process, each.signal);
}

/// What is typed on a terminal reaches the child anyway, but only the leader of a session learns that its
/// terminal has gone (HUP).
void keep(const siginfo_t& origin) {
  const bool is_from_a_process = origin.si_code <= 0;
  for (Forwarded& each : all)
    if (each.signal == origin.si_signo && (is_from_a_process || each.signal == SIGHUP)) each.waiting = true;
}

void forward(int signal, siginfo_t* origin, void*) {
  const int errno_before = errno;
  keep(*origin);
  pass_on();
  if (signal == SIGTSTP) ::kill(::getpid(), SIGSTOP);
  errno = errno_before;
}

}  // namespace

ForwardSignals::ForwardSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (Forwarded& each : all) {
    sigaddset(&set, each.signal);
    each.waiting = false;
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    ::sigaction(each.signal, nullptr, &each.before);
    // What this process ignores, such as SIGINT in a shell's background, does not concern its children.
    if (each.before.sa_handler != SIG_IGN) ::sigaction(each.signal, &action, nullptr);
  }
  // This thread takes them, whatever it has blocked for another one.
  ::pthread_sigmask(SIG_UNBLOCK, &set, &mask_before_);
  is_alive = true;
}

ForwardSignals::~ForwardSignals() {
  receiver = 0;
  is_alive = false;
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  for (const Forwarded& each : all) ::sigaction(each.signal, &each.before, nullptr);
}

bool ForwardSignals::take(const siginfo_t& origin) {
  if (!is_alive) return false;
  keep(origin);
  pass_on();
  return true;
}

void ForwardSignals::to(pid_t child) {
  receiver = child;
  pass_on();
}

}  // namespace plimsoll::support
