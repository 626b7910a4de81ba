#include "support/process/forward_signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

struct Forwarded {
  int signal;
  struct sigaction before = {};
  std::atomic<bool> waiting = false;  ///< received and not yet forwarded
};

// SIGCONT comes last: kept signals are forwarded in this order.
std::array<Forwarded, 9> all = {
    {{SIGHUP}, {SIGINT}, {SIGQUIT}, {SIGTERM}, {SIGUSR1}, {SIGUSR2}, {SIGXCPU}, {SIGTSTP}, {SIGCONT}}};
std::atomic<pid_t> receiver = 0;
std::atomic<bool> is_alive = false;  // whether a ForwardSignals exists

/// Forwards kept signals. Called by the handler, which may find no receiver yet, and by to(): exactly one of
/// them forwards a signal.
void pass_on() {
  const pid_t process = receiver;
  if (process == 0) return;
  for (Forwarded& each : all)
    if (each.waiting.exchange(false)) ::kill(process, each.signal);
}

/// Keeps a signal to forward it. Signals from the terminal's keyboard reach the child anyway, but only the
/// leader of a session is notified when its terminal disappears (HUP).
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
    // Signals that this process ignores, such as SIGINT in a shell's background, do not concern its children.
    if (each.before.sa_handler != SIG_IGN) ::sigaction(each.signal, &action, nullptr);
  }
  // Receive the signals in this thread, even if it has blocked them for another thread.
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
