#pragma once

#include <mpi.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "interpose/path/outbox.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// What a message tells beside its data. Times are those of a clock that all ranks share.
struct Note {
  std::int64_t chain_ns = 0;  ///< useful time along the longest chain that ends in the sender
  std::int64_t begin_ns = 0;  ///< when the sender began to send
  std::int64_t number = 0;    ///< of the message, counted by its sender; 0 if its sender needs no answer
};

/// The messages that MPI keeps in order: those from one rank to another with the same subject.
struct Subject {
  std::uint64_t channel = 0;  ///< ID of the communicator's channel
  int tag = 0;
  auto operator<=>(const Subject&) const = default;
};

/// Sends and receives notes. All use one communicator, because MPI has a limited number of them: notes of
/// other communicators and tags that arrive before the one that this rank wants are kept. Ranks are those of
/// MPI_COMM_WORLD.
class Notes {
 public:
  /// Collective over `world`, a communicator with the ranks of MPI_COMM_WORLD.
  explicit Notes(MPI_Comm world);
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  void send(const Note& note, int to, Subject subject);
  /// Returns the first note of this subject that has not been received; waits for it. Takes the time of a
  /// receive, and log n for each of n notes that are kept. Throws std::runtime_error for an error of MPI.
  Note receive(int from, Subject subject);
  /// Returns the same note, but leaves it for receive(): valid until then.
  const Note& find(int from, Subject subject);
  /// Receives the notes that the program's messages left, so that MPI ends without pending messages:
  /// collective.
  void end();

 private:
  struct Letter {
    Subject subject;
    Note note;
  };
  struct Key {
    int from = 0;
    Subject subject;
    auto operator<=>(const Key&) const = default;
  };
  using Kept = std::multimap<Key, Note>;  // keeps the order of equal keys

  Kept::iterator first(const Key& wanted);
  Letter next_letter(int from);
  Kept::iterator keep(int from, const Letter& letter);

  MPI_Comm comm_ = MPI_COMM_NULL;
  Outbox<Letter> sent_;
  std::vector<std::int64_t> sent_to_;  ///< number of notes by rank
  std::int64_t received_ = 0;
  Kept kept_;
  Kept::node_type unused_;
};

}  // namespace plimsoll::interpose
