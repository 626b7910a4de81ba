#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include <plimsoll/support/progress.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// Shows on a terminal how far a stage is and how long it will still take, in one line that is gone when the
/// stage is over. Shows nothing for stages that are over soon, nor where stderr is no terminal.
class TerminalProgress : public support::Progress {
 public:
  explicit TerminalProgress(const Terminal& terminal) : active_(terminal.shows_progress()) {}
  ~TerminalProgress() override { erase(); }

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void advance(std::uint64_t units) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string line() const;
  void erase();

  const bool active_;
  std::mutex mutex_;  // for what follows but the atomics
  std::string stage_;
  std::string unit_;
  std::uint64_t total_ = 0;
  Clock::time_point begin_;
  bool drawn_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<Clock::rep> next_draw_ = 0;
};

}  // namespace plimsoll::cli
