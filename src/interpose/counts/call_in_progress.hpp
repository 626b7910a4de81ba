#pragma once

#include <cstdint>
#include <memory>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/counts/messages.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Data about a call until it is complete.
struct CallInProgress {
  /// Part of the call in the record.
  enum class State : std::uint8_t {
    ignored,  ///< none, even if the call fails
    unknown,  ///< none unless it fails: MPI should reject its communicator or its arguments
    counted
  };
  collectives::Recorder::Call call;
  bool timed = false;
  std::uint64_t begin_ns = 0;  ///< time at which MPI was called, if the call is timed
  State state = State::ignored;
  /// Messages to hash when the call is complete; null if nothing is hashed then.
  std::shared_ptr<const OwnedMessages> received;

  bool has_data_at_end() const { return timed || received; }
};

}  // namespace plimsoll::interpose
