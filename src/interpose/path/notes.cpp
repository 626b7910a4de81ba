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

Note Notes::receive(int from, Subject subject) {
  if (const auto kept = first({from, subject}); kept != kept_.end()) {
    unused_ = kept_.extract(kept);
    return unused_.mapped();
  }
  for (;;) {
    const Letter letter = next_letter(from);
    if (letter.subject == subject) return letter.note;
    keep(from, letter);
  }
}

const Note& Notes::find(int from, Subject subject) {
  if (const auto kept = first({from, subject}); kept != kept_.end()) return kept->second;
  for (;;) {
    const Letter letter = next_letter(from);
    const auto kept = keep(from, letter);
    if (letter.subject == subject) return kept->second;
  }
}

/// Returns the first kept note; the end if none is kept.
Notes::Kept::iterator Notes::first(const Key& wanted) {
  const auto found = kept_.lower_bound(wanted);
  return found != kept_.end() && found->first == wanted ? found : kept_.end();
}

/// Takes the memory of keep() before it receives, and is not cancelled with its thread: a note that is lost
/// would let its receiver wait forever.
Notes::Letter Notes::next_letter(int from) {
  if (!unused_) unused_ = kept_.extract(kept_.emplace(Key{}, Note{}));
  const support::NoCancellation no_cancellation;
  Letter letter;
  if (PMPI_Recv(&letter, sizeof letter, MPI_BYTE, from, note_tag, comm_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    throw std::runtime_error("MPI cannot receive a note of the critical path");
  ++received_;
  return letter;
}

Notes::Kept::iterator Notes::keep(int from, const Letter& letter) {
  unused_.key() = {from, letter.subject};
  unused_.mapped() = letter.note;
  return kept_.insert(std::move(unused_));
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
