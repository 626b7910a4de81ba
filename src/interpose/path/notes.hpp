#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// What a message tells beside its data. Times are those of a clock that all ranks share.
struct Note {
  std::int64_t chain_ns = 0;  ///< useful time along the longest chain that ends in the sender
  std::int64_t begin_ns = 0;  ///< when the sender began to send
  std::int64_t number = 0;    ///< of the message, counted by its sender; 0 if its sender needs no answer
};

/// What the receiver of a message tells its sender if it was late: when it was ready.
struct LateReceiver {
  std::int64_t number = 0;  ///< of the message
  std::int64_t ready_ns = 0;
};

/// Messages of this library that MPI still sends. MPI sends them at once, because they are short; their
/// memory is used again after that.
template <class Content>
class Outbox {
 public:
  /// Begins to send. Without memory, or with too many messages on their way, waits until MPI has sent this
  /// one: its receiver waits for it.
  void send(const Content& content, int to, int tag, MPI_Comm comm) {
    remove_sent();
    if (Letter* const letter = new_letter(content))
      PMPI_Isend(&letter->content, sizeof(Content), MPI_BYTE, to, tag, comm, &letter->request);
    else
      PMPI_Send(&content, sizeof(Content), MPI_BYTE, to, tag, comm);
  }

 private:
  static constexpr std::size_t max_unsent = 100'000;

  struct Letter {
    Content content;
    MPI_Request request;
  };

  void remove_sent() {
    while (!sent_.empty()) {
      int ended = 0;
      PMPI_Test(&sent_.front().request, &ended, MPI_STATUS_IGNORE);
      if (!ended) return;
      sent_.pop_front();
    }
  }
  Letter* new_letter(const Content& content) {
    if (sent_.size() == max_unsent) return nullptr;
    try {
      return &sent_.emplace_back(Letter{content, MPI_REQUEST_NULL});
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  std::deque<Letter> sent_;  // does not move them
};

}  // namespace plimsoll::interpose
