#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include <plimsoll/support/progress.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Shows the progress and the remaining time of a stage on a terminal, in one line that is erased when the
/// stage ends. Shows nothing for short stages, or if stderr is not a terminal.
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
  std::mutex mutex_;  // protects the members below, except atomic ones
  std::string stage_;
  std::string unit_;
  std::uint64_t total_ = 0;
  Clock::time_point begin_;
  bool drawn_ = false;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<Clock::rep> next_draw_ = 0;
};

}  // namespace plimsoll::cli
