// The cases of object_messages_bench. Usage: cases small|large. Rank 0 prints one line per result: name,
// value.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "objects/messaging/run_until_quiet.hpp"

namespace {

using plimsoll::mpi::Communicator;
using plimsoll::objects::MessageExchange;
using plimsoll::objects::Quiescence;
using plimsoll::objects::run_until_quiet;
using Bytes = std::span<const std::byte>;

constexpr int repetitions = 7;
constexpr double infinite = std::numeric_limits<double>::infinity();

void print(const Communicator& communicator, const std::string& name, double value) {
  if (communicator.rank() == 0) fmt::print("{} {}\n", name, value);
}

/// Returns the time of the slowest rank.
double seconds_of(const Communicator& communicator, const std::function<void()>& work) {
  communicator.barrier();
  const double start = MPI_Wtime();
  work();
  return communicator.max(MPI_Wtime() - start);
}

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

/// Times transfers of 1 MiB between two ranks. Both ranks have 200 arrays, which do not fit into caches.
class LargeTransfers {
 public:
  explicit LargeTransfers(const Communicator& communicator)
      : communicator_(communicator),
        exchange_(communicator),
        quiescence_(communicator),
        arrays_(count, std::vector<std::byte>(bytes)) {}

  /// Sends the first `n_arrays` arrays in turn, `count` in all, each when the previous one has arrived.
  double ping_pong(std::size_t n_arrays) {
    return seconds_of(communicator_, [&] {
      for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::byte>& array = arrays_[k % n_arrays];
        const int from = static_cast<int>(k % 2);
        if (communicator_.rank() == from)
          MPI_Send(array.data(), bytes, MPI_BYTE, 1 - from, 0, communicator_.handle());
        else
          MPI_Recv(array.data(), bytes, MPI_BYTE, from, 0, communicator_.handle(), MPI_STATUS_IGNORE);
      }
    });
  }
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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Communicator communicator(MPI_COMM_WORLD);
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "small") exchange_small(communicator);
    if (name == "large") transfer_large(communicator);
  }
  MPI_Finalize();
}
