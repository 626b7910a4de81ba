// Carries out a law of work on MPI ranks: objects compute for a number of steps that the law says, and carry
// bytes of memory that migrate with them. Prints the wall-clock time, the time that a placement at the lower
// bound would have taken, and the migrations.
//
// Usage: scenario LAW PHASES OBJECTS_PER_RANK BYTES MEAN_MS [settings of Plimsoll]
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/runtime.hpp>

#include "balance/schedule/scenarios.hpp"

namespace {

using plimsoll::ObjectId;
using plimsoll::balance::testing::WorkLaw;

struct Object {
  std::uint64_t number = 0;
  std::vector<std::byte> memory;
};

/// Computes for so many steps of some nanoseconds.
double compute(double steps) {
  double value = 1;
  for (double done = 0; done < steps; done += 1) value = std::sqrt(value + done);
  return value;
}

/// Returns the steps per second of one undisturbed core.
double steps_per_s() {
  constexpr double steps = 2e6;
  double best_s = 1;
  volatile double sink = 0;
  for (int k = 0; k < 20; ++k) {
    const double begin_s = MPI_Wtime();
    sink = compute(steps);
    best_s = std::min(best_s, MPI_Wtime() - begin_s);
  }
  static_cast<void>(sink);
  return steps / best_s;
}

plimsoll::ObjectTransport transport_of(std::map<ObjectId, Object>& objects) {
  return {.size_bytes = [&](ObjectId id) { return objects.at(id).memory.size() + sizeof(std::uint64_t); },
          .pack =
              [&](ObjectId id, std::span<std::byte> bytes) {
                const Object& object = objects.at(id);
                std::memcpy(bytes.data(), &object.number, sizeof object.number);
                std::memcpy(bytes.data() + sizeof object.number, object.memory.data(), object.memory.size());
                return bytes.size();
              },
          .unpack =
              [&](ObjectId id, std::span<const std::byte> bytes) {
                Object& object = objects[id];
                std::memcpy(&object.number, bytes.data(), sizeof object.number);
                object.memory.assign(bytes.begin() + sizeof object.number, bytes.end());
                return bytes.size();
              },
          .remove = [&](ObjectId id) { objects.erase(id); }};
}

int run(int argc, char** argv) {
  plimsoll::LoadRecorder recorder(argc, argv);
  if (argc != 6) return 2;
  const auto& laws = plimsoll::balance::testing::work_laws();
  const auto law = std::ranges::find(laws, std::string(argv[1]), &WorkLaw::name);
  if (law == laws.end()) return 2;
  const int n_phases = std::atoi(argv[2]);
  const auto per_rank = static_cast<std::size_t>(std::atoi(argv[3]));
  const auto bytes = static_cast<std::size_t>(std::atof(argv[4]));
  const double mean_s = 1e-3 * std::atof(argv[5]);
  const auto n_ranks = static_cast<std::size_t>(recorder.rank_count());
  const std::size_t n_objects = n_ranks * per_rank;

  plimsoll::Balancer balancer(recorder);
  std::map<ObjectId, Object> objects;
  for (std::size_t k = 0; k < per_rank; ++k) {
    const std::uint64_t number = static_cast<std::size_t>(recorder.rank()) * per_rank + k;
    const auto handle = recorder.register_object({.number = number});
    objects[recorder.id(handle)] = {number, std::vector<std::byte>(bytes, std::byte{1})};
  }
  balancer.balance_at_phase_ends(transport_of(objects));
  double speed = steps_per_s();
  MPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double steps_of_mean = speed * mean_s / static_cast<double>(per_rank);
  const auto work = [&](std::size_t object, int phase) {
    return law->work(object, n_objects, n_ranks, phase, n_phases);
  };

  std::int64_t migrations = 0;
  std::int64_t unexplained = 0;
  double bound_s = 0;
  volatile double sink = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  for (int phase = 0; phase < n_phases; ++phase) {
    for (auto& [id, object] : objects) {
      const auto scope = recorder.work_on(recorder.find(id));
      sink = compute(steps_of_mean * work(object.number, phase));
    }
    const plimsoll::PhaseSummary summary = recorder.next_phase();
    migrations += summary.balancing.migrations;
    const bool has_reason = summary.balancing.migrations > 0 || summary.balancing.not_balanced.has_value();
    if (summary.rank_load_s.imbalance() > 0.1 && !has_reason) ++unexplained;
  }
  const double time_s = MPI_Wtime() - begin_s;
  static_cast<void>(sink);
  for (int phase = 0; phase < n_phases; ++phase) {
    double sum = 0;
    double heaviest = 0;
    for (std::size_t k = 0; k < n_objects; ++k) {
      sum += work(k, phase);
      heaviest = std::max(heaviest, work(k, phase));
    }
    bound_s +=
        mean_s / static_cast<double>(per_rank) * std::max(heaviest, sum / static_cast<double>(n_ranks));
  }
  recorder.close();
  if (recorder.rank() == 0)
    std::printf("time: %.6f\nbound: %.6f\nmigrations: %lld\nunexplained: %lld\n", time_s, bound_s,
                static_cast<long long>(migrations), static_cast<long long>(unexplained));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
