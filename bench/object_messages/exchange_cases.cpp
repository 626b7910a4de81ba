// Messages of MessageExchange between two ranks, without elements.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "object_messages/cases.hpp"
#include "objects/messaging/quiescence.hpp"
#include "rank_timing.hpp"

namespace plimsoll::bench {

namespace {

using plimsoll::mpi::Communicator;
using plimsoll::objects::MessageExchange;
using plimsoll::objects::Quiescence;
using plimsoll::objects::run_until_quiet;
using Bytes = std::span<const std::byte>;

/// Times transfers of 1 MiB between two ranks. Both ranks have 200 arrays, which do not fit into caches.
class LargeTransfers {
 public:
  explicit LargeTransfers(const Communicator& communicator)
      : communicator_(communicator),
        exchange_(communicator),
        quiescence_(communicator),
        arrays_(count, std::vector<std::byte>(bytes)) {}

  double ping_pong(std::size_t n_arrays) { return bench::ping_pong(communicator_, arrays_, n_arrays, count); }
  /// Does the same with messages, into which arrays are copied, and from which they are copied.
  double ping_pong_of_messages(std::size_t n_arrays) {
    if (communicator_.rank() == 0) send(0, n_arrays);
    std::size_t last = 0;
    return run(
        [&](Bytes message) {
          last += communicator_.rank() == 0 || last > 0 ? 2 : 1;
          copy(message, last % n_arrays);
          if (last + 1 < count) send(last + 1, n_arrays);
        },
        [] { return false; });
  }
  /// Sends all arrays from rank 0 to rank 1 without waiting for each.
  double stream_of_messages() {
    std::size_t sent = communicator_.rank() == 0 ? 0 : count;
    std::size_t received = 0;
    return run([&](Bytes message) { copy(message, received++); },
               [&] {
                 if (sent == count) return false;
                 send(sent++, count);
                 return true;
               });
  }

  static constexpr std::size_t count = 200;
  static constexpr std::size_t bytes = 1 << 20;

 private:
  void send(std::size_t k, std::size_t n_arrays) {
    std::memcpy(exchange_.append(1 - communicator_.rank(), bytes).data(), arrays_[k % n_arrays].data(),
                bytes);
  }
  void copy(Bytes message, std::size_t array) { std::memcpy(arrays_[array].data(), message.data(), bytes); }
  template <class Deliver, class LocalWork>
  double run(const Deliver& deliver, const LocalWork& local_work) {
    return seconds_of(communicator_, [&] {
      run_until_quiet(
          exchange_, quiescence_, [&](int, Bytes message) { deliver(message); }, local_work);
    });
  }

  const Communicator& communicator_;
  MessageExchange exchange_;
  Quiescence quiescence_;
  std::vector<std::vector<std::byte>> arrays_;
};

}  // namespace

/// Both ranks send messages of 64 bytes to each other until quiet.
void exchange_small(const Communicator& communicator) {
  constexpr std::uint64_t count = 4'000'000;
  constexpr std::uint64_t count_per_step = 100;
  constexpr std::size_t words = 8;
  MessageExchange exchange(communicator);
  Quiescence quiescence(communicator);
  const int other = 1 - communicator.rank();
  double time_s = infinite;
  for (int k = 0; k < repetitions; ++k) {
    std::uint64_t sent = 0;
    std::uint64_t sum = 0;
    const auto deliver = [&](int, Bytes message) {
      std::uint64_t content[words];
      std::memcpy(content, message.data(), sizeof content);
      for (const std::uint64_t word : content) sum += word;
    };
    const auto send_some = [&] {
      if (sent == count) return false;
      for (const std::uint64_t end = sent + count_per_step; sent < end; ++sent) {
        const std::uint64_t content[words] = {sent, 1, 1, 1, 1, 1, 1, 1};
        std::memcpy(exchange.append(other, sizeof content).data(), content, sizeof content);
      }
      return true;
    };
    time_s = std::min(
        time_s, seconds_of(communicator, [&] { run_until_quiet(exchange, quiescence, deliver, send_some); }));
    if (sum != count * (count - 1) / 2 + 7 * count) MPI_Abort(communicator.handle(), 1);
  }
  print(communicator, "messages_per_s_and_rank", count / time_s);
}

void transfer_large(const Communicator& communicator) {
  LargeTransfers transfers(communicator);
  double mpi_s = infinite;
  double cached_mpi_s = infinite;
  double messages_s = infinite;
  double cached_messages_s = infinite;
  double stream_s = infinite;
  for (int k = 0; k < repetitions; ++k) {
    mpi_s = std::min(mpi_s, transfers.ping_pong(LargeTransfers::count));
    cached_mpi_s = std::min(cached_mpi_s, transfers.ping_pong(1));
    messages_s = std::min(messages_s, transfers.ping_pong_of_messages(LargeTransfers::count));
    cached_messages_s = std::min(cached_messages_s, transfers.ping_pong_of_messages(1));
    stream_s = std::min(stream_s, transfers.stream_of_messages());
  }
  constexpr double gigabytes = 1e-9 * LargeTransfers::count * LargeTransfers::bytes;
  print(communicator, "ping_pong_GB_per_s", gigabytes / mpi_s);
  print(communicator, "cached_ping_pong_GB_per_s", gigabytes / cached_mpi_s);
  print(communicator, "messages_of_ping_pong", mpi_s / messages_s);
  print(communicator, "cached_messages_of_ping_pong", cached_mpi_s / cached_messages_s);
  print(communicator, "stream_of_ping_pong", mpi_s / stream_s);
}

}  // namespace plimsoll::bench
