// The cases of migration_bench. Usage: cases lookups|large|small|plan. Rank 0 prints one line per result:
// name, value.
#include <malloc.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/directory.hpp>
#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/runtime/plan.hpp>

#include "allocated_bytes.hpp"
#include "rank_timing.hpp"

namespace {

using namespace plimsoll;
using namespace plimsoll::bench;
using plimsoll::mpi::Communicator;

/// Waits without using a core, so that rank 0 computes undisturbed.
void sleep_until_all_arrive(const Communicator& communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator.handle(), &request);
  for (int arrived = 0; arrived == 0;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived == 0) usleep(1000);
  }
}

/// Looks up 10^6 random IDs of 10^6 objects on each rank.
void look_up(const Communicator& communicator) {
  constexpr std::uint64_t n_objects = 1'000'000;
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const auto size = static_cast<std::uint64_t>(communicator.size());
  Directory directory(communicator);
  std::vector<ObjectId> here;
  const auto declare = [&](std::uint64_t moved) {
    here.clear();
    for (std::uint64_t k = 0; k < n_objects; ++k)
      if ((k < moved ? k + 1 : k) % size == rank) here.push_back(static_cast<ObjectId>(k));
    return seconds_of(communicator, [&] { directory.update(here); });
  };
  std::mt19937_64 random(rank);
  std::vector<ObjectId> ids(n_objects);
  for (ObjectId& id : ids) id = static_cast<ObjectId>(random() % n_objects);
  const auto ask = [&] { return seconds_of(communicator, [&] { directory.owner(ids); }); };
  print(communicator, "declare_s", declare(0));
  print(communicator, "first_s", ask());
  print(communicator, "again_s", ask());
  print(communicator, "update_1_percent_s", declare(n_objects / 100));
  print(communicator, "after_update_s", ask());
}

/// Objects with memory of their own on both ranks, so that allocation is not measured.
class Objects {
 public:
  Objects(std::size_t count, std::size_t bytes)
      : bytes_(bytes), memory_(count, std::vector<std::byte>(bytes)) {}

  std::vector<std::vector<std::byte>>& memory() { return memory_; }
  runtime::ObjectTransport transport() {
    return {.size_bytes = [this](ObjectId) { return bytes_; },
            .pack =
                [this](ObjectId id, std::span<std::byte> to) {
                  std::memcpy(to.data(), memory_[static_cast<std::size_t>(id)].data(), bytes_);
                  return bytes_;
                },
            .unpack =
                [this](ObjectId id, std::span<const std::byte> from) {
                  std::memcpy(memory_[static_cast<std::size_t>(id)].data(), from.data(), bytes_);
                  return bytes_;
                },
            .remove = [](ObjectId) {}};
  }

 private:
  std::size_t bytes_;
  std::vector<std::vector<std::byte>> memory_;
};

/// Returns the time to migrate all objects from rank 0 to rank 1, or back.
double migrate_all(const Communicator& communicator, Objects& objects, std::size_t count, int from) {
  std::vector<Move> moves;
  for (std::size_t k = 0; k < count; ++k) moves.push_back({static_cast<ObjectId>(k), from, 1 - from});
  const std::vector<Move> none;
  const bool exports = communicator.rank() == from;
  return seconds_of(communicator, [&] {
    migrate(communicator, exports ? moves : none, exports ? none : moves, objects.transport());
  });
}

void migrate_large(const Communicator& communicator) {
  constexpr std::size_t count = 200;
  constexpr std::size_t bytes = 1 << 20;
  Objects objects(count, bytes);
  double ping_pong_s = infinite;
  double cached_ping_pong_s = infinite;
  double migration_s = infinite;
  for (int k = 0; k < repetitions; ++k) {
    ping_pong_s = std::min(ping_pong_s, ping_pong(communicator, objects.memory(), count, count));
    cached_ping_pong_s = std::min(cached_ping_pong_s, ping_pong(communicator, objects.memory(), 1, count));
    migration_s = std::min(migration_s, migrate_all(communicator, objects, count, k % 2));
  }
  constexpr double gigabytes = 1e-9 * count * bytes;
  print(communicator, "ping_pong_GB_per_s", gigabytes / ping_pong_s);
  print(communicator, "cached_ping_pong_GB_per_s", gigabytes / cached_ping_pong_s);
  print(communicator, "migration_GB_per_s", gigabytes / migration_s);
  print(communicator, "of_ping_pong", ping_pong_s / migration_s);
}

void migrate_small(const Communicator& communicator) {
  constexpr std::size_t count = 100'000;
  Objects objects(count, 100);
  double migration_s = infinite;
  for (int k = 0; k < repetitions; ++k)
    migration_s = std::min(migration_s, migrate_all(communicator, objects, count, k % 2));
  print(communicator, "objects_per_s", count / migration_s);
}

/// Plans 10^6 objects with GreedyLB, and compares with the strategy alone on rank 0. Both start with the
/// memory that the program itself uses, as at the end of a phase; `of_warm_strategy` compares with a strategy
/// that finds the memory of its last run still mapped.
void plan_greedily(const Communicator& communicator) {
  constexpr std::size_t n_objects = 1'000'000;
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const auto size = static_cast<std::size_t>(communicator.size());
  std::mt19937_64 random(1);
  balance::LDStats all;
  std::vector<ObjectId> ids;
  std::vector<double> loads_s;
  for (std::size_t k = 0; k < n_objects; ++k) {
    const double load_s = 1e-9 * static_cast<double>(random() % 1'000'000) * (k < n_objects / size ? 4 : 1);
    const std::size_t at = k * size / n_objects;
    if (rank == 0) {
      all.obj_data.push_back({.walltime = load_s});
      all.from_proc.push_back(static_cast<std::int32_t>(at));
    }
    if (at != rank) continue;
    ids.push_back(static_cast<ObjectId>(k));
    loads_s.push_back(load_s);
  }
  all.procs.resize(size);
  all.to_proc = all.from_proc;
  double alone_s = infinite;
  double warm_s = infinite;
  double plan_s = infinite;
  double bytes = infinite;
  for (int k = 0; k < repetitions; ++k) {
    if (rank == 0) {
      const auto run = [&] {
        const double start = MPI_Wtime();
        balance::make_strategy(balance::StrategySpec{"GreedyLB"})->work(all);
        return MPI_Wtime() - start;
      };
      malloc_trim(0);
      alone_s = std::min(alone_s, run());
      warm_s = std::min(warm_s, run());
    }
    malloc_trim(0);
    sleep_until_all_arrive(communicator);
    AllocatedBytes::reset();
    const std::size_t before = AllocatedBytes::now;
    plan_s = std::min(plan_s, seconds_of(communicator, [&] {
                        plan(communicator, {.ids = ids, .loads_s = loads_s}, {.strategy = "GreedyLB"});
                      }));
    bytes = std::min(bytes, static_cast<double>(AllocatedBytes::maximum - before));
  }
  print(communicator, "plan_s", plan_s);
  print(communicator, "strategy_s", alone_s);
  print(communicator, "of_strategy", plan_s / alone_s);
  print(communicator, "of_warm_strategy", plan_s / warm_s);
  print(communicator, "bytes_per_object", bytes / n_objects);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Communicator communicator(MPI_COMM_WORLD);
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "lookups") look_up(communicator);
    if (name == "large") migrate_large(communicator);
    if (name == "small") migrate_small(communicator);
    if (name == "plan") plan_greedily(communicator);
  }
  MPI_Finalize();
}
