#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/contract.hpp>

#include "support/process/spawn.hpp"

namespace plimsoll::support {

namespace {

volatile pid_t foreground_process = 0;

// What is typed on a terminal reaches the program by itself; it must not get it twice.
void pass_on(int signal, siginfo_t* origin, void*) {
  if (origin->si_code <= 0 && foreground_process > 0) ::kill(foreground_process, signal);
}

/// While it lives, SIGINT and SIGTERM go on to the foreground process, and wait until there is one.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const Watched& each : watched_) sigaddset(&signals, each.signal);
    sigprocmask(SIG_BLOCK, &signals, &mask_before_);
    for (Watched& each : watched_) {
      struct sigaction action {};
      action.sa_sigaction = pass_on;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(each.signal, nullptr, &each.before);
      // What this process ignores, such as SIGINT in a shell's background, does not concern its children.
      if (each.before.sa_handler != SIG_IGN) ::sigaction(each.signal, &action, nullptr);
    }
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;
  ~SignalsPassedOn() {
    foreground_process = 0;
    for (const Watched& each : watched_) ::sigaction(each.signal, &each.before, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  void pass_on_to(pid_t process) {
    foreground_process = process;
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  struct Watched {
    int signal;
    struct sigaction before {};
  };
  Watched watched_[2] = {{SIGINT}, {SIGTERM}};
  sigset_t mask_before_;
};

}  // namespace

int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables) {
  PLIMSOLL_EXPECT(!arguments.empty());
  SignalsPassedOn signals;
  Spawn spawn;
  spawn.block_only(signals.mask_before());
  const pid_t process = spawn.start(arguments, variables, "cannot run the command");
  signals.pass_on_to(process);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

}  // namespace plimsoll::support
