#pragma once

#include <unistd.h>

#include <utility>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// A file descriptor that is closed at the end of its lifetime; -1 means none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    const int number = other.release();
    close();
    number_ = number;
    return *this;
  }
  ~Descriptor() { close(); }

  /// Closes the descriptor if it is open. Returns whether closing succeeded: for files, this is the last
  /// chance to detect a full disk.
  bool close() { return !is_open() || ::close(release()) == 0; }
  /// Releases ownership: the caller closes it.
  int release() { return std::exchange(number_, -1); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace plimsoll::support
