#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

/// Near the largest tag that MPI guarantees (32,767), as the tags in messages.cpp.
constexpr int parcel_tag = 32'700;

/// One exchange on one rank. A parcel is sent as messages of `piece_bytes` bytes each, followed by a shorter
/// one, which may be empty. MPI keeps their order.
class SparseExchange {
 public:
  SparseExchange(const Communicator& communicator, std::size_t piece_bytes)
      : communicator_(communicator),
        piece_bytes_(piece_bytes),
        discarded_(std::make_unique_for_overwrite<std::byte[]>(piece_bytes)) {}

  /// Does not agree on errors. No rank may send messages of the next exchange while another one still
  /// receives.
  std::vector<Parcel> run(std::vector<Parcel>& outgoing, std::optional<Error>& error) {
    try {
      expect_valid(outgoing);
      send(outgoing);
    } catch (...) {
      note_error();
    }
    receive_all();
    error = error_;
    std::ranges::stable_sort(received_, {}, &Parcel::rank);
    return std::move(received_);
  }

 private:
  void expect_valid(const std::vector<Parcel>& outgoing) const {
    for (const Parcel& parcel : outgoing) {
      if (parcel.rank >= 0 && parcel.rank < communicator_.size()) continue;
      throw support::usage_error(fmt::format("invalid receiver of a parcel: rank {}", parcel.rank),
                                 fmt::format("use 0 to {}", communicator_.size() - 1));
    }
  }

  void send(std::vector<Parcel>& outgoing) {
    std::size_t pieces = 0;
    for (const Parcel& parcel : outgoing) pieces += parcel.bytes.size() / piece_bytes_ + 1;
    sends_.reserve(pieces);
    for (Parcel& parcel : outgoing) {
      if (parcel.rank == communicator_.rank())
        received_.push_back(std::move(parcel));
      else
        send(parcel);
    }
  }

  // Synchronous sends end when the receiver has matched them, so that no message is under way when all ranks
  // have finished their sends.
  void send(const Parcel& parcel) {
    for (std::size_t begin = 0; begin <= parcel.bytes.size(); begin += piece_bytes_) {
      const std::size_t size = std::min(piece_bytes_, parcel.bytes.size() - begin);
      MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
      check(MPI_Issend(parcel.bytes.data() + begin, static_cast<int>(size), MPI_BYTE, parcel.rank, parcel_tag,
                       communicator_.handle(), &request),
            "MPI_Issend");
    }
  }

  void receive_all() {
    MPI_Request all_have_sent = MPI_REQUEST_NULL;
    bool have_sent = false;
    Backoff backoff;
    for (int done = 0; done == 0; backoff.pause()) {
      if (receive_one()) {
        backoff.reset();
        continue;
      }
      if (have_sent) {
        check(MPI_Test(&all_have_sent, &done, MPI_STATUS_IGNORE), "MPI_Test");
      } else {
        int sent = 0;
        check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE),
              "MPI_Testall");
        if (sent != 0) check(MPI_Ibarrier(communicator_.handle(), &all_have_sent), "MPI_Ibarrier");
        have_sent = sent != 0;
      }
    }
    PLIMSOLL_ENSURE(unfinished_.empty());
  }

  /// Receives a message if one has arrived. Returns whether one had.
  bool receive_one() {
    int arrived = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, parcel_tag, communicator_.handle(), &arrived, &message, &status),
          "MPI_Improbe");
    if (arrived == 0) return false;
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    check(MPI_Mrecv(memory_for(status.MPI_SOURCE, static_cast<std::size_t>(count)), count, MPI_BYTE, &message,
                    MPI_STATUS_IGNORE),
          "MPI_Mrecv");
    return true;
  }

  /// Returns the memory for the next piece from a rank. After an error, pieces are discarded, because their
  /// senders wait until they are received.
  std::byte* memory_for(int sender, std::size_t size) {
    if (error_) return discarded_.get();
    try {
      auto parcel = std::ranges::find(unfinished_, sender, &Parcel::rank);
      if (parcel == unfinished_.end()) parcel = unfinished_.insert(parcel, Parcel{sender, {}});
      const std::size_t begin = parcel->bytes.size();
      parcel->bytes.resize(begin + size);
      std::byte* const memory = parcel->bytes.data() + begin;
      if (size == piece_bytes_) return memory;
      received_.push_back(std::move(*parcel));  // keeps the memory where it is
      unfinished_.erase(parcel);
      return memory;
    } catch (...) {
      note_error();
      return discarded_.get();
    }
  }

  void note_error() {
    if (!error_) error_ = support::current_error();
    unfinished_.clear();
    received_.clear();
  }

  const Communicator& communicator_;
  const std::size_t piece_bytes_;
  const std::unique_ptr<std::byte[]> discarded_;
  std::vector<MPI_Request> sends_;
  std::vector<Parcel> unfinished_;  // parcels of which further pieces follow
  std::vector<Parcel> received_;
  std::optional<Error> error_;
};

}  // namespace

std::vector<Parcel> exchange(const Communicator& communicator, std::vector<Parcel> outgoing,
                             std::size_t piece_bytes) {
  PLIMSOLL_EXPECT(piece_bytes > 0 && piece_bytes <= max_piece_bytes);
  std::optional<Error> error;
  std::vector<Parcel> received = SparseExchange(communicator, piece_bytes).run(outgoing, error);
  // A rank returns from agree() only after all ranks have stopped receiving.
  agree(communicator, error);
  return received;
}

std::vector<Parcel> exchange_before_agreement(const Communicator& communicator, std::vector<Parcel> outgoing,
                                              std::optional<Error>& error) {
  return SparseExchange(communicator, parcel_piece_bytes).run(outgoing, error);
}

std::vector<Parcel> parcels_of(Messages& messages) {
  std::vector<Parcel> parcels;
  parcels.reserve(messages.size());
  for (auto& [to, message] : messages) parcels.push_back({to, message.take()});
  return parcels;
}

void exchange_messages(const Communicator& communicator, const std::function<void(Messages&)>& write,
                       const std::function<void(int sender, Unpacker& message)>& read) {
  std::vector<Parcel> outgoing;
  agreed(communicator, [&] {
    Messages messages;
    write(messages);
    outgoing = parcels_of(messages);
  });
  const std::vector<Parcel> incoming = exchange(communicator, std::move(outgoing));
  agreed(communicator, [&] {
    for (const Parcel& parcel : incoming)
      for (Unpacker message(parcel.bytes); !message.at_end();) read(parcel.rank, message);
  });
}

}  // namespace plimsoll::mpi
