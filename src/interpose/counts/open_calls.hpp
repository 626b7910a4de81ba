#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

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

/// Nonblocking or persistent collective that has started and may be incomplete. The calls that wait for its
/// request or test it are part of it.
struct OpenCall {
  MPI_Request request = MPI_REQUEST_NULL;
  CallInProgress call;
  std::uint64_t duration_ns = 0;  ///< time in its start, and in the calls that waited for it or tested it
  // Set while a call waits for the request or tests it:
  int position = 0;                      ///< position of the request in the program's array
  MPI_Request after = MPI_REQUEST_NULL;  ///< handle at this position after the call
};

/// Calls that move between lists without being copied.
using OpenCallList = std::list<OpenCall>;

/// Started collective of an MPI_Start or MPI_Startall.
struct StartedRequest {
  MPI_Request request;
  CallInProgress call;
};
/// Started collectives of one MPI_Start or MPI_Startall.
using StartInProgress = std::vector<StartedRequest>;

/// A call that waits for requests or tests them.
struct CompletionInProgress {
  OpenCallList calls;  ///< open collectives whose requests it waits for or tests
  bool timed = false;
};

namespace detail {
inline std::atomic<bool> requests_open = false;
}  // namespace detail

/// Returns whether calls that wait for requests or test them may be part of a recorded collective.
inline bool requests_open() noexcept {
  return detail::requests_open.load(std::memory_order_relaxed);
}

/// Open calls by request. A call that waits for some of them takes them out, so that another thread can use a
/// handle again as soon as MPI has freed its request. Memory of complete calls is used again: recording a
/// call allocates none. Cost: O(1) for up to some hundred open calls.
class OpenCalls {
 public:
  /// Adds a call. No other call with its request may be open.
  void add(const OpenCall& open);
  /// Moves the call with this request to the end of `taken`. Returns whether it is open.
  bool take(MPI_Request request, OpenCallList& taken);
  /// Moves a call back from `taken`, because it is still incomplete.
  void put_back(OpenCallList& taken, OpenCallList::iterator open);
  /// Keeps the memory of calls that are complete, without their messages.
  void reuse(OpenCallList& complete);
  void for_each(const std::function<void(const OpenCall&)>& visit) const;
  void clear();

 private:
  OpenCallList& bucket_of(MPI_Request request);
  void set_size(std::size_t size);

  std::vector<OpenCallList> buckets_ = std::vector<OpenCallList>(256);  // the number is a power of two
  std::size_t size_ = 0;
  OpenCallList unused_;
};

}  // namespace plimsoll::interpose
