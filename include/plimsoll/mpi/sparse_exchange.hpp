#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
namespace plimsoll::PLIMSOLL_ABI::mpi {

/// Bytes for one rank, or from one rank.
struct Parcel {
  int rank = 0;  ///< receiver of an outgoing parcel, sender of a received one
  std::vector<std::byte> bytes;
};

/// Default size of the messages that exchange() sends, in bytes. Small enough to be received and discarded if
/// memory is exhausted.
inline constexpr std::size_t parcel_piece_bytes = std::size_t{1} << 20;

/// Delivers parcels of any size to ranks that do not know who sends to them, and returns the parcels for this
/// rank, sorted by sender. Parcels from the same sender keep their order. Collective. Time: proportional to
/// the parcels of a rank, plus two barriers; ranks without parcels for each other exchange no messages.
/// Parcels to this rank do not use MPI.
///
/// Throws Error on all ranks if one rank has an invalid receiver (usage), cannot allocate memory for its
/// parcels, or if MPI fails (system). `piece_bytes` must be the same on all ranks.
///
/// Source: algorithm NBX in T. Hoefler, C. Siebert, A. Lumsdaine, "Scalable communication protocols for
/// dynamic sparse data exchange", PPoPP 2010.
std::vector<Parcel> exchange(const Communicator& communicator, std::vector<Parcel> outgoing,
                             std::size_t piece_bytes = parcel_piece_bytes);

/// Does the same without the last agreement on errors. `error` is set to the error of this rank, which then
/// has received nothing. All ranks must make another collective call before their next exchange, such as
/// agree() on the error.
std::vector<Parcel> exchange_before_agreement(const Communicator& communicator, std::vector<Parcel> outgoing,
                                              std::optional<Error>& error);

/// Messages that are being packed, by receiver.
using Messages = std::map<int, Packer>;
/// Takes the content of the messages.
std::vector<Parcel> parcels_of(Messages& messages);
/// Delivers the messages that `write(messages)` packs, and calls `read(sender, message)` until it has
/// unpacked all messages for this rank, sorted by sender. Collective. Throws, on all ranks, the Error of the
/// lowest rank on which a function throws, otherwise like exchange().
void exchange_messages(const Communicator& communicator, const std::function<void(Messages&)>& write,
                       const std::function<void(int sender, Unpacker& message)>& read);
}  // namespace plimsoll::mpi
