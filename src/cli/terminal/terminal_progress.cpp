#include "cli/terminal/terminal_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr std::chrono::milliseconds first_draw_after(500);
constexpr std::chrono::milliseconds draw_every(100);

std::string amount(std::uint64_t units, const std::string& unit) {
  return unit == "bytes" ? support::format_bytes(units) : support::format_count(units) + " " + unit;
}

// Formats the estimated time in whole seconds, which are precise enough.
std::string remaining(double seconds) {
  return seconds < 60 ? fmt::format("{:.0f} s", seconds) : support::format_seconds(seconds);
}

}  // namespace

void TerminalProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  unit_ = unit;
  total_ = total;
  begin_ = Clock::now();
  done_ = 0;
  next_draw_ = (begin_ + first_draw_after).time_since_epoch().count();
}

void TerminalProgress::advance(std::uint64_t units) {
  if (!active_) return;
  done_ += units;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (now < next_draw_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is drawing
  next_draw_ = now + std::chrono::duration_cast<Clock::duration>(draw_every).count();
  fmt::print(stderr, "\r{}\x1b[K", line());
  drawn_ = true;
}

void TerminalProgress::end() {
  erase();
}

std::string TerminalProgress::line() const {
  const std::uint64_t done = done_;
  if (total_ == 0 || done == 0) return fmt::format("{}: {}", stage_, amount(done, unit_));
  const double ratio = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  return fmt::format("{}: {:.0f} % of {}, {} left", stage_, 100 * ratio, amount(total_, unit_),
                     remaining(elapsed_s * (1 - ratio) / ratio));
}

void TerminalProgress::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace plimsoll::cli
