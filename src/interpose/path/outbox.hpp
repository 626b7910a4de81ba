#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <new>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Messages of this library that MPI still sends. MPI sends them at once, because they are short; their
/// memory is used again after that.
template <class Content>
class Outbox {
 public:
  /// Begins to send the first bytes of a content. Without memory, or with too many messages on their way,
  /// waits until MPI has sent this one: its receiver waits for it.
  void send(const Content& content, int to, int tag, MPI_Comm comm, std::size_t bytes = sizeof(Content)) {
    remove_sent();
    if (Letter* const letter = new_letter(content))
      PMPI_Isend(&letter->content, static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &letter->request);
    else
      PMPI_Send(&content, static_cast<int>(bytes), MPI_BYTE, to, tag, comm);
  }

  /// Returns whether MPI has sent all messages.
  bool is_empty() {
    remove_sent();
    return sent_.empty();
  }

  /// Waits until MPI has sent all messages.
  void wait() {
    for (Letter& letter : sent_) PMPI_Wait(&letter.request, MPI_STATUS_IGNORE);
    sent_.clear();
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
