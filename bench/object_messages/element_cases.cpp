// Migration, memory and life of the elements of collections.
#include <cereal/types/vector.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <plimsoll/objects/collection.hpp>

#include "allocated_bytes.hpp"
#include "object_messages/cases.hpp"
#include "rank_timing.hpp"

namespace plimsoll::bench {

namespace {

constexpr std::int64_t million = 1'000'000;

struct Holder : Element<Holder> {
  static constexpr std::size_t words = (1 << 20) / sizeof(double);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }

  std::vector<double> values;
};

/// Element without data of its own.
struct Empty : Element<Empty> {
  void visit() { ++n_visits; }
  template <class Archive>
  void serialize(Archive&) {}

  inline static std::int64_t n_visits = 0;  // on this rank
};

}  // namespace

void migrate_one_mib_elements(ObjectSystem& system) {
  const mpi::Communicator& ranks = system.recorder().communicator();
  constexpr std::size_t count = 200;
  constexpr std::size_t bytes = Holder::words * sizeof(double);
  std::vector<std::vector<std::byte>> arrays(count, std::vector<std::byte>(bytes));
  const auto all_on_rank_0 = [](std::uint64_t, std::uint64_t, int) { return 0; };
  Collection<Holder> holders(system, {.bounds = {count}, .map = all_on_rank_0});
  holders.for_each_local([](Holder& holder) { holder.values.resize(Holder::words, 1); });

  double mpi_s = infinite;
  double cached_mpi_s = infinite;
  const auto migrate_to = [&](int rank) {
    mpi_s = std::min(mpi_s, ping_pong(ranks, arrays, count, count));
    cached_mpi_s = std::min(cached_mpi_s, ping_pong(ranks, arrays, 1, count));
    holders.for_each_local([&](Holder& holder) { holder.migrate_to(rank); });
    const double migration_s = seconds_of(ranks, [&] { system.run_until_quiet(); });
    if (holders.local_count() != (ranks.rank() == rank ? count : 0)) MPI_Abort(ranks.handle(), 1);
    return migration_s;
  };
  // Returns the time in the slower direction: without SystemOptions::keep_freed_memory, one of the ranks may
  // happen to keep its memory.
  const auto migration_s = [&] {
    double there_s = infinite;
    double back_s = infinite;
    for (int k = 0; k < repetitions; ++k) {
      there_s = std::min(there_s, migrate_to(1));
      back_s = std::min(back_s, migrate_to(0));
    }
    return std::max(there_s, back_s);
  };
  const double moving_s = migration_s();

  constexpr double gigabytes = 1e-9 * static_cast<double>(count * bytes);
  print(ranks, "ping_pong_GB_per_s", gigabytes / mpi_s);
  print(ranks, "cached_ping_pong_GB_per_s", gigabytes / cached_mpi_s);
  print(ranks, "of_ping_pong", mpi_s / moving_s);
}

void measure_memory_per_element(ObjectSystem& system) {
  const mpi::Communicator& ranks = system.recorder().communicator();
  const std::size_t before = AllocatedBytes::now;
  AllocatedBytes::reset();
  const Collection<Empty> elements(system, {.bounds = {million * ranks.size()}});
  const auto per_element = [&](std::size_t bytes) {
    return static_cast<double>(bytes - before) / static_cast<double>(million);
  };
  print(ranks, "bytes_per_element", per_element(AllocatedBytes::now));
  print(ranks, "maximum_bytes_per_element", per_element(AllocatedBytes::maximum));
  system.next_phase();
  print(ranks, "bytes_per_element_with_history", per_element(AllocatedBytes::now));
}

void create_million_elements(ObjectSystem& system) {
  const mpi::Communicator& ranks = system.recorder().communicator();
  std::unique_ptr<Collection<Empty>> elements;
  double creation_s = infinite;
  double broadcast_s = infinite;
  double destruction_s = infinite;
  double sum_s = infinite;
  for (int k = 0; k < 3; ++k) {
    Empty::n_visits = 0;
    const double create_s = seconds_of(ranks, [&] {
      elements = std::make_unique<Collection<Empty>>(
          system, CollectionOptions<1>{.bounds = {million * ranks.size()}});
    });
    const double visit_s = seconds_of(ranks, [&] {
      if (ranks.rank() == 0) elements->broadcast<&Empty::visit>();
      system.run_until_quiet();
    });
    const double destroy_s = seconds_of(ranks, [&] { elements.reset(); });
    if (Empty::n_visits != million) MPI_Abort(ranks.handle(), 1);
    creation_s = std::min(creation_s, create_s);
    broadcast_s = std::min(broadcast_s, visit_s);
    destruction_s = std::min(destruction_s, destroy_s);
    sum_s = std::min(sum_s, create_s + visit_s + destroy_s);
    system.next_phase();
  }
  print(ranks, "creation_s", creation_s);
  print(ranks, "broadcast_s", broadcast_s);
  print(ranks, "destruction_s", destruction_s);
  print(ranks, "sum_s", sum_s);
}

}  // namespace plimsoll::bench
