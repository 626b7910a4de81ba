// What a run prints: its particles, the time of its steps, and whether all particles are where they must be.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include <plimsoll/runtime.hpp>

#include "command_line.hpp"
#include "mesh.hpp"

// Adds up what every run must reproduce exactly, however its blocks are placed.
struct Result {
  std::int64_t count = 0;
  std::int64_t sum_of_numbers = 0;
  std::int64_t checksum = 0;
  std::int64_t misplaced = 0;  // particles that are not at their exact position after `steps` steps

  void add(const std::vector<Particle>& particles, const Mesh& mesh, int steps) {
    for (const Particle& particle : particles) {
      count += 1;
      sum_of_numbers += particle.number;
      checksum += ::checksum(particle);
      misplaced += mesh.error(particle, steps) < 1e-6 ? 0 : 1;
    }
  }
  // Adds up the results of all ranks.
  void add_ranks() { MPI_Allreduce(MPI_IN_PLACE, &count, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); }
};

class Report {
 public:
  // Starts the clock. `start` is the result before the first step.
  Report(const Arguments& arguments, const plimsoll::LoadRecorder& recorder, const Result& start)
      : steps_(arguments.steps),
        particles_(start.count),
        settings_(recorder.settings()),
        prints_(recorder.rank() == 0) {
    if (prints_) {
      std::printf("%lld particles (%s) on %d x %d cells in %d blocks on %d ranks\n",
                  static_cast<long long>(particles_), arguments.distribution_name.c_str(),
                  arguments.mesh.cells, arguments.mesh.cells, arguments.mesh.block_count(),
                  recorder.rank_count());
    }
    start_s_ = MPI_Wtime();
  }

  // Each step is one phase.
  void add_step(const plimsoll::PhaseSummary& summary) {
    last_imbalance_ = summary.rank_load_s.imbalance();
    migrations_ += summary.balancing.migrations;
    if (summary.phase == 0) first_imbalance_ = last_imbalance_;
  }

  // Stops the clock.
  void end_steps() { time_s_ = MPI_Wtime() - start_s_; }

  // Prints the report. Returns whether the result is correct.
  bool print(const Result& result) const {
    const bool complete =
        result.count == particles_ && result.sum_of_numbers == particles_ * (particles_ + 1) / 2;
    const bool correct = complete && result.misplaced == 0;
    if (!prints_) return correct;
    std::printf("time: %.3f s, %.3f ms per step\n", time_s_, 1e3 * time_s_ / steps_);
    std::printf("imbalance: %.4f in the first step, %.4f in the last\n", first_imbalance_, last_imbalance_);
    std::printf("migrations: %lld\n", static_cast<long long>(migrations_));
    std::printf("checksum: %lld\n", static_cast<long long>(result.checksum));
    std::printf("%s: %s, %lld misplaced\n", correct ? "verified" : "NOT VERIFIED",
                complete ? "all particles present" : "particles lost or doubled",
                static_cast<long long>(result.misplaced));
    if (settings_.lb_data)
      std::printf("LB data: %s\n", plimsoll::runtime::data_file_pattern(settings_).c_str());
    return correct;
  }

 private:
  int steps_;
  std::int64_t particles_;
  const plimsoll::Settings& settings_;
  bool prints_;
  double start_s_ = 0;
  double time_s_ = 0;
  double first_imbalance_ = 0;
  double last_imbalance_ = 0;
  std::int64_t migrations_ = 0;
};
