#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// First error on this rank since the last phase end. It is kept until the next phase end, where all ranks
/// throw together. If one rank threw earlier, the other ranks would wait for that rank. All threads may note
/// errors.
class FirstError {
 public:
  void note(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }
  /// Runs `work` and keeps its exception if it is the first.
  template <class Work>
  void guard(const Work& work) {
    try {
      work();
    } catch (...) {
      note(support::current_error());
    }
  }

  const std::optional<Error>& error() const { return error_; }
  std::optional<Error> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(error_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace plimsoll::runtime
