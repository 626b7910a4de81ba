#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>
#include <utility>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "support/io/unfinished_files.hpp"
#include "support/process/defer_stop_signals.hpp"
#include "support/process/forward_signals.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

/// Returns the signals that tell this program to stop.
sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

std::atomic<bool> stop_is_expected = false;

const char* line_after(std::size_t published) {
  return published == 0 ? "interrupted; nothing was written"
                        : "interrupted; the files already written are complete";
}

}  // namespace

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
    UnfinishedFiles::all().stop();
    const bool expected = stop_is_expected;
    say(expected ? "stopped" : line_after(UnfinishedFiles::all().published() - published_before_));
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
  std::size_t published_before_ = UnfinishedFiles::all().published();
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
  UnfinishedFiles::all().never_stop();
}

}  // namespace plimsoll::support
