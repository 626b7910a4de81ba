#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Hash of bytes that become known in parts. Parts may have any sizes: only the bytes and their order matter.
class RunningHash {
 public:
  RunningHash();
  void add(std::span<const std::byte> bytes);
  /// Returns hash_bytes() of all bytes added so far.
  std::uint64_t value() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

}  // namespace plimsoll::support
