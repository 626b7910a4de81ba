#include "support/process/forward_signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace plimsoll::support {

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

/// Called by the handler, which may find no receiver yet, and by to(): exactly one of them passes a signal
/// on.
void pass_on() {
  const pid_t process = receiver;
  if (process == 0) return;
  for (Forwarded& each : all)
    if (each.waiting.exchange(false)) ::kill(process, each.signal);
}

void forward(int signal, siginfo_t* origin, void*) {
  const int errno_before = errno;
  const bool is_from_a_process = origin->si_code <= 0;  // not from the terminal
  for (Forwarded& each : all)
    if (each.signal == signal && is_from_a_process) each.waiting = true;
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
}

ForwardSignals::~ForwardSignals() {
  receiver = 0;
  for (const Forwarded& each : all) ::sigaction(each.signal, &each.before, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void ForwardSignals::to(pid_t child) {
  receiver = child;
  pass_on();
}

}  // namespace plimsoll::support
