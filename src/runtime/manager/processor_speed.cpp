#include "runtime/manager/processor_speed.hpp"

#include <algorithm>
#include <cmath>

#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr double measured_s = 0.05;
constexpr double noise = 0.05;  // relative error of a measured speed

double cpu_s() {
  return 1e-9 * static_cast<double>(Clock::cpu_nanoseconds());
}

// Returns kernels per second of CPU time. The fastest of several parts was disturbed least.
double own_speed() {
  constexpr int parts = 5;
  constexpr int kernel_length = 10'000;
  double best = 0;
  volatile double sink = 0;
  for (int part = 0; part < parts; ++part) {
    const double begin_s = cpu_s();
    double elapsed_s = 0;
    int kernels = 0;
    do {
      double sum = 0;
      for (int k = 0; k < kernel_length; ++k) sum += std::sqrt(static_cast<double>(k) + sum);
      sink = sum;
      ++kernels;
      elapsed_s = cpu_s() - begin_s;
    } while (elapsed_s < measured_s / parts);
    best = std::max(best, kernels / elapsed_s);
  }
  static_cast<void>(sink);
  return best;
}

}  // namespace

double relative_speed(const mpi::Communicator& communicator) {
  const double mine = own_speed();
  const double fastest =
      communicator.all_reduce<[](double& left, const double& right) { left = std::max(left, right); }>(mine);
  return mine >= (1 - noise) * fastest ? 1 : mine / fastest;
}

}  // namespace plimsoll::runtime
