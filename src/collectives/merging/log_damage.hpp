#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Throws Error (bad_input): a log is damaged at this byte.
[[noreturn]] inline void fail_at(std::uint64_t byte, const LogContent& content, std::string what) {
  Diagnostic diagnostic;
  diagnostic.check = "rank log";
  diagnostic.what = std::move(what);
  diagnostic.file = content.name;
  diagnostic.byte = byte;
  throw Error(ErrorKind::bad_input, std::move(diagnostic));
}

/// Number of calls in a log that are not consecutive. It is limited, because each of them takes memory.
class ScatteredCalls {
 public:
  explicit ScatteredCalls(std::uint64_t max) : max_(max) {}

  /// Adds calls. Throws as fail_at() if they are too many.
  void add(std::uint64_t calls, std::uint64_t byte, const LogContent& content) {
    calls_ += calls;
    if (calls > max_ || calls_ > max_) fail_at(byte, content, "too many non-consecutive calls to merge");
  }

 private:
  std::uint64_t max_;
  std::uint64_t calls_ = 0;
};

}  // namespace plimsoll::collectives
