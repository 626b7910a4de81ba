// The cases of synchronised_bench. Usage: cases free|synchronised. Each rank works on its
// objects in two loops, with a barrier after each. The objects that start on rank 0 have most of their work
// in the first loop, all others in the second. Rank 0 prints one line per result: name, value.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/load_recorder.hpp>

namespace {

using namespace plimsoll;

constexpr std::uint64_t n_objects = 32;  // per rank
constexpr int n_phases = 30;
constexpr int n_measured = 15;  // last phases, after balancing; the fastest had the minimum disturbance
constexpr int heavy = 150'000;
constexpr int light = 10'000;

/// Iterations of an object in the two loops.
struct Work {
  int iterations[2];
};

void compute(int iterations) {
  volatile double sum = 0;
  for (int k = 0; k < iterations; ++k) sum = sum * 0.5 + k;
}

class Program {
 public:
  explicit Program(const Settings& settings) : recorder_(MPI_COMM_WORLD, settings), balancer_(recorder_) {
    const bool is_first = recorder_.rank() == 0;
    for (std::uint64_t k = 0; k < n_objects; ++k) {
      const ObjectHandle object = recorder_.register_object({.index = {static_cast<std::int64_t>(k)}});
      objects_[recorder_.id(object)] = is_first ? Work{{heavy, light}} : Work{{light, heavy}};
    }
    balancer_.balance_at_phase_ends({.size_bytes = [](ObjectId) { return sizeof(Work); },
                                     .pack =
                                         [this](ObjectId id, std::span<std::byte> to) {
                                           std::memcpy(to.data(), &objects_.at(id), sizeof(Work));
                                           return sizeof(Work);
                                         },
                                     .unpack =
                                         [this](ObjectId id, std::span<const std::byte> from) {
                                           std::memcpy(&objects_[id], from.data(), sizeof(Work));
                                           return sizeof(Work);
                                         },
                                     .remove = [this](ObjectId id) { objects_.erase(id); }});
  }

  /// Runs a phase, and returns its time on the slowest rank.
  double step() {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    for (int loop = 0; loop < 2; ++loop) {
      recorder_.set_subphase(loop);
      for (const auto& [id, work] : objects_) {
        const auto scope = recorder_.work_on(recorder_.find(id));
        compute(work.iterations[loop]);
      }
      recorder_.leave_subphase();
      const auto idle = recorder_.wait();
      MPI_Barrier(MPI_COMM_WORLD);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    migrations_ += recorder_.next_phase().balancing.migrations;
    double time_s = 0;
    const double mine_s = elapsed.count();
    MPI_Allreduce(&mine_s, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time_s;
  }

  std::int64_t migrations() const { return migrations_; }
  bool prints() const { return recorder_.rank() == 0; }
  void close() { recorder_.close(); }

 private:
  LoadRecorder recorder_;
  Balancer balancer_;
  std::map<ObjectId, Work> objects_;
  std::int64_t migrations_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Settings settings;
    settings.lb = true;
    settings.lb_name = "RefineLB(tolerance=1.05)";
    settings.lb_quiet = true;
    settings.lb_loads = LoadTime::cpu;
    if (argc > 1 && std::string(argv[1]) == "synchronised")
      settings.lb_subphases = SubphaseMode::synchronised;
    Program program(settings);
    double time_s = std::numeric_limits<double>::infinity();
    for (int phase = 0; phase < n_phases; ++phase) {
      const double phase_s = program.step();
      if (phase >= n_phases - n_measured) time_s = std::min(time_s, phase_s);
    }
    if (program.prints())
      std::printf("phase_s %.6f\nmigrations %lld\n", time_s, static_cast<long long>(program.migrations()));
    program.close();
  }
  MPI_Finalize();
}
