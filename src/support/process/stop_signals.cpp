#include "support/process/stop_signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

std::atomic<int> stop_signal = 0;
void note_stop(int signal) {
  stop_signal = signal;
}

/// Signal whose disposition is replaced.
struct Watched {
  int signal;
  struct sigaction before = {};

  void replace(const struct sigaction& action) {
    ::sigaction(signal, nullptr, &before);
    // Signals that this process ignores, such as SIGINT in a shell's background, do not concern its children.
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  void restore() const { ::sigaction(signal, &before, nullptr); }
};

std::mutex mutex;
int count = 0;  // number of living instances
std::function<void(int)> effect;
std::array<Watched, 3> watched = {{{SIGHUP}, {SIGINT}, {SIGTERM}}};

struct Forwarded : Watched {
  std::atomic<bool> waiting = false;  ///< received and not yet forwarded
};

// SIGCONT comes last: kept signals are forwarded in this order.
std::array<Forwarded, 9> all = {{{{SIGHUP}},
                                 {{SIGINT}},
                                 {{SIGQUIT}},
                                 {{SIGTERM}},
                                 {{SIGUSR1}},
                                 {{SIGUSR2}},
                                 {{SIGXCPU}},
                                 {{SIGTSTP}},
                                 {{SIGCONT}}}};
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

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const Watched& each : watched) {
    struct sigaction action {};
    ::sigaction(each.signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, each.signal);
  }
  return signals;
}

std::atomic<bool> stop_is_expected = false;

const char* line_after(std::size_t published) {
  return published == 0 ? "interrupted; nothing was written"
                        : "interrupted; the files already written are complete";
}

}  // namespace

DeferStopSignals::DeferStopSignals() {
  const std::lock_guard lock(mutex);
  if (count++ > 0) return;
  stop_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_stop;
  for (Watched& each : watched) each.replace(action);
}

DeferStopSignals::~DeferStopSignals() {
  const std::lock_guard lock(mutex);
  PLIMSOLL_EXPECT(count > 0);
  if (--count > 0) return;
  for (const Watched& each : watched) each.restore();
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

ForwardSignals::ForwardSignals(int except) {
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  sigset_t set;
  sigemptyset(&set);
  for (Forwarded& each : all) {
    each.waiting = false;
    ::sigaction(each.signal, nullptr, &each.before);
    if (each.signal == except) continue;
    sigaddset(&set, each.signal);
    each.replace(action);
  }
  // Receive the signals in this thread, even if it has blocked them for another thread.
  ::pthread_sigmask(SIG_UNBLOCK, &set, &mask_before_);
  is_alive = true;
}

ForwardSignals::~ForwardSignals() {
  receiver = 0;
  is_alive = false;
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  for (const Forwarded& each : all) each.restore();
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

class CleanUpOnStop::Waiter {
 public:
  explicit Waiter(std::function<void(std::string_view)> say)
      : say_(std::move(say)), signals_(stop_signals()) {
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    DeferStopSignals::set_effect([this](int signal) { stop(signal); });
    const BlockSignals for_the_thread;
    thread_ = std::thread([this] { wait(); });
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    ends_ = true;
    ::pthread_kill(thread_.native_handle(), wake_up);
    thread_.join();
    DeferStopSignals::set_effect({});
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static constexpr int wake_up = SIGURG;  // no other code sends this signal to a thread

  void wait() {
    sigset_t waited_for = signals_;
    sigaddset(&waited_for, wake_up);
    while (!ends_) {
      siginfo_t origin{};
      const int signal = ::sigwaitinfo(&waited_for, &origin);
      if (signal <= 0 || signal == wake_up) continue;
      if (!DeferStopSignals::take(signal) && !ForwardSignals::take(origin)) stop(signal);
    }
  }

  [[noreturn]] void stop(int signal) {
    UnfinishedFiles::stop();
    const bool expected = stop_is_expected;
    say(expected ? "stopped" : line_after(UnfinishedFiles::published() - published_before_));
    ::_exit(expected ? 0 : 128 + signal);
  }

  /// Prints one line with a time limit, because stderr may be a pipe that no process reads.
  void say(std::string_view line) {
    constexpr std::chrono::seconds patience{1};
    std::promise<void> said;
    const std::future<void> end = said.get_future();
    std::thread([&] {
      say_(line);
      said.set_value();
    }).detach();
    static_cast<void>(end.wait_for(patience));
  }

  std::function<void(std::string_view)> say_;
  std::size_t published_before_ = UnfinishedFiles::published();
  sigset_t signals_;
  sigset_t before_{};
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

CleanUpOnStop::CleanUpOnStop(std::function<void(std::string_view)> say)
    : waiter_(std::make_unique<Waiter>(std::move(say))) {}

CleanUpOnStop::~CleanUpOnStop() = default;

void CleanUpOnStop::expect_stop() {
  stop_is_expected = true;
}

void CleanUpOnStop::let_end() {
  UnfinishedFiles::never_stop();
}

}  // namespace plimsoll::support
