#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// A pair of ranks of a communicator of which one sends other bytes than the other receives.
struct Mismatch {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

/// Calls that send other bytes than they receive.
struct Inconsistency {
  std::uint64_t job = 0;
  std::uint32_t lead = 0;
  Operation operation;
  std::uint64_t first_call = 0;
  std::uint64_t calls = 0;
  Mismatch pair;  ///< the first one
};

/// The first pair, by sender and then receiver, of which what is sent is not what is received; nothing if
/// there is none. Not for inter-communicators, whose other group's counts are in another signature.
/// O(numbers), also where many ranks share a row.
std::optional<Mismatch> first_mismatch(const Signature& signature);

}  // namespace plimsoll::collectives
