#include "interpose/path/notes.hpp"

#include <stdexcept>
#include <utility>

#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int note_tag = 6;

}  // namespace

Notes::Notes(MPI_Comm world) {
  PMPI_Comm_dup(world, &comm_);
  int ranks = 0;
  PMPI_Comm_size(comm_, &ranks);
  sent_to_.resize(static_cast<std::size_t>(ranks));
}

void Notes::send(const Note& note, int to, Subject subject) {
  ++sent_to_[static_cast<std::size_t>(to)];
  sent_.send({subject, note}, to, note_tag, comm_);
}

// Takes memory before it receives, and is not cancelled with its thread: a note that is lost would let its
// receiver wait forever.
Note Notes::receive(int from, Subject subject) {
  const Key wanted = {from, subject};
  if (const auto first = kept_.lower_bound(wanted); first != kept_.end() && first->first == wanted) {
    unused_ = kept_.extract(first);
    return unused_.mapped();
  }
  const support::NoCancellation no_cancellation;
  for (;;) {
    if (!unused_) unused_ = kept_.extract(kept_.emplace(Key{}, Note{}));
    Letter letter;
    if (PMPI_Recv(&letter, sizeof letter, MPI_BYTE, from, note_tag, comm_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      throw std::runtime_error("MPI cannot receive a note of the critical path");
    ++received_;
    if (letter.subject == subject) return letter.note;
    unused_.key() = {from, letter.subject};
    unused_.mapped() = letter.note;
    kept_.insert(std::move(unused_));
  }
}

void Notes::end() {
  std::int64_t notes = 0;
  PMPI_Reduce_scatter_block(sent_to_.data(), &notes, 1, MPI_INT64_T, MPI_SUM, comm_);
  for (; received_ < notes; ++received_) {
    Letter letter;
    PMPI_Recv(&letter, sizeof letter, MPI_BYTE, MPI_ANY_SOURCE, note_tag, comm_, MPI_STATUS_IGNORE);
  }
  sent_.wait();
  PMPI_Comm_free(&comm_);
}

}  // namespace plimsoll::interpose
