// Messages between elements of collections. Elements pass tokens on, so that all messages are sent by
// elements, as in most programs.
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/objects/collection.hpp>

#include "object_messages/cases.hpp"
#include "rank_timing.hpp"

namespace plimsoll::bench {

namespace {

constexpr std::int64_t elements_per_rank = 1000;

/// Passes tokens of 64 bytes to the element `stride` positions away, around the collection.
struct Passer : Element<Passer> {
  using Token = std::array<std::uint64_t, 8>;  // the first word: number of messages to be sent

  void pass(const Token& token) {
    ++received;
    if (token[0] > 0) send(token);
  }
  void send(Token token) {
    --token[0];
    const std::int64_t size = collection().bounds().sizes[0];
    collection()[{(index()[0] + stride) % size}].send<&Passer::pass>(token);
  }

  inline static std::int64_t stride = 1;
  inline static std::uint64_t received = 0;  // on this rank
};

/// Lets each element start some tokens, and returns the number of messages per second and rank.
double rate_of_passing(ObjectSystem& system, std::uint64_t tokens_per_element) {
  constexpr std::uint64_t messages_per_element = 2000;
  const mpi::Communicator& ranks = system.recorder().communicator();
  Collection<Passer> passers(system, {.bounds = {elements_per_rank * ranks.size()}});
  const std::uint64_t expected = messages_per_element * elements_per_rank;
  double time_s = infinite;
  for (int k = 0; k < repetitions; ++k) {
    Passer::received = 0;
    time_s = std::min(time_s, seconds_of(ranks, [&] {
                        passers.for_each_local([&](Passer& passer) {
                          for (std::uint64_t token = 0; token < tokens_per_element; ++token)
                            passer.send({messages_per_element / tokens_per_element, 1, 2, 3, 4, 5, 6, 7});
                        });
                        system.run_until_quiet();
                      }));
    if (Passer::received != expected) MPI_Abort(ranks.handle(), 1);
    system.next_phase();
  }
  return static_cast<double>(expected) / time_s;
}

/// Has an array of 1 MiB, or waits for that of its partner on the other rank.
struct Holder : Element<Holder> {
  static constexpr std::int64_t count = 200;  // per rank; all arrays do not fit into caches
  static constexpr std::size_t words = (1 << 20) / sizeof(double);

  /// Passes the array to the partner.
  void pass() {
    const std::int64_t partner = (index()[0] + count) % (2 * count);
    collection()[{partner}].send<&Holder::receive>(std::move(values));
  }
  void receive(std::vector<double> new_values) {
    values = std::move(new_values);
    if (is_ping_pong && (index()[0] + 1) % count != 0) collection()[{index()[0] + 1}].invoke<&Holder::pass>();
  }

  std::vector<double> values;
  inline static bool is_ping_pong = true;
};

}  // namespace

void send_64_bytes_here(ObjectSystem& system) {
  Passer::stride = 1;
  print(system.recorder().communicator(), "messages_per_s_and_rank", rate_of_passing(system, 1));
}

void send_64_bytes_to_other_rank(ObjectSystem& system) {
  Passer::stride = elements_per_rank;
  constexpr std::uint64_t tokens_per_element = 10;  // so that no rank waits for the other one
  print(system.recorder().communicator(), "messages_per_s_and_rank",
        rate_of_passing(system, tokens_per_element));
}

void send_one_mib(ObjectSystem& system) {
  const mpi::Communicator& ranks = system.recorder().communicator();
  constexpr auto count = static_cast<std::size_t>(Holder::count);
  constexpr std::size_t bytes = Holder::words * sizeof(double);
  std::vector<std::vector<std::byte>> arrays(count, std::vector<std::byte>(bytes));
  Collection<Holder> holders(system, {.bounds = {2 * Holder::count}});
  holders.for_each_local([&](Holder& holder) {
    // Each pair has one array. The ping-pong and the stream return it to where it was.
    if (holder.index()[0] % 2 == ranks.rank()) holder.values.resize(Holder::words, 1);
  });
  double mpi_s = infinite;
  double cached_mpi_s = infinite;
  double messages_s = infinite;
  double stream_s = infinite;
  for (int k = 0; k < repetitions; ++k) {
    mpi_s = std::min(mpi_s, ping_pong(ranks, arrays, count, count));
    cached_mpi_s = std::min(cached_mpi_s, ping_pong(ranks, arrays, 1, count));
    messages_s = std::min(messages_s, seconds_of(ranks, [&] {
                            Holder::is_ping_pong = true;
                            if (Holder* const first = holders.find({0})) first->pass();
                            system.run_until_quiet();
                          }));
    stream_s = std::min(stream_s, seconds_of(ranks, [&] {
                          Holder::is_ping_pong = false;
                          holders.for_each_local([](Holder& holder) {
                            if (!holder.values.empty()) holder.pass();
                          });
                          system.run_until_quiet();
                        }));
    system.next_phase();
  }
  constexpr double gigabytes = 1e-9 * static_cast<double>(count * bytes);
  print(ranks, "ping_pong_GB_per_s", gigabytes / mpi_s);
  print(ranks, "cached_ping_pong_GB_per_s", gigabytes / cached_mpi_s);
  print(ranks, "messages_of_ping_pong", mpi_s / messages_s);
  print(ranks, "stream_of_ping_pong", mpi_s / stream_s);
}

}  // namespace plimsoll::bench
