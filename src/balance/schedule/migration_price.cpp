#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <plimsoll/balance/migration_price.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::array<double, 3> first_guess_s = {50e-6, 20e-6, 1e-9};
// Weights of the guess, which is known to within powers of 10, relative to that of a new migration.
constexpr double guess_weight = 0.001;
constexpr double first_migration_weight = 0.3;
constexpr double weight_per_migration = 0.7;
constexpr std::size_t most_migrations = 12;  // the weight of the 13th is about 0.01
constexpr double half_life_phases = 5;  // of what one migration tells; n migrations last n^2 times as long

using Terms = MigrationPrice::Terms;

Terms terms(const Terms& times_s, const MigrationVolume& volume) {
  return {times_s[0], times_s[1] * static_cast<double>(volume.objects), times_s[2] * volume.bytes};
}

double sum(const Terms& of) {
  return of[0] + of[1] + of[2];
}

/// Solves a symmetric, positive definite system of three equations by elimination.
Terms solve(std::array<Terms, 3> matrix, Terms right) {
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t row = k + 1; row < 3; ++row) {
      const double factor = matrix[row][k] / matrix[k][k];
      for (std::size_t column = k; column < 3; ++column) matrix[row][column] -= factor * matrix[k][column];
      right[row] -= factor * right[k];
    }
  for (std::size_t k = 3; k-- > 0;) {
    for (std::size_t column = k + 1; column < 3; ++column) right[k] -= matrix[k][column] * right[column];
    right[k] /= matrix[k][k];
  }
  return right;
}

/// Returns the times of these logarithms, relative to the guess.
Terms times_of(const Terms& logs) {
  Terms times = first_guess_s;
  for (std::size_t k = 0; k < 3; ++k) times[k] *= std::exp(logs[k]);
  return times;
}

}  // namespace

double MigrationPrice::predict_s(const MigrationVolume& volume) const {
  return sum(terms(times_s_, volume));
}

// Linearises the fit at these logarithms of the times.
MigrationPrice::Equations MigrationPrice::equations(const Terms& logs) const {
  Equations at;
  for (std::size_t k = 0; k < 3; ++k) {
    at.matrix[k][k] = guess_weight;
    at.right[k] = -guess_weight * logs[k];
    at.error += guess_weight * logs[k] * logs[k];
  }
  const Terms times = times_of(logs);
  for (const Migration& migration : recent_) {
    Terms slope = terms(times, migration.volume);
    const double predicted_s = sum(slope);
    for (double& part : slope) part /= predicted_s;
    const double missing = std::log(migration.measured_s / predicted_s);
    at.error += migration.weight * missing * missing;
    for (std::size_t k = 0; k < 3; ++k) {
      at.right[k] += migration.weight * slope[k] * missing;
      for (std::size_t other = 0; other < 3; ++other)
        at.matrix[k][other] += migration.weight * slope[k] * slope[other];
    }
  }
  return at;
}

void MigrationPrice::learn(const MigrationVolume& volume, double measured_s) {
  if (volume.objects <= 0 || measured_s <= 0) return;
  for (Migration& earlier : recent_) earlier.weight *= weight_per_migration;
  const bool is_first = recent_.empty();
  if (recent_.size() == most_migrations) recent_.pop_front();
  recent_.push_back({volume, measured_s, is_first ? first_migration_weight : 1});
  fit();
}

void MigrationPrice::end_phase() {
  if (recent_.empty()) return;
  const auto n = static_cast<double>(recent_.size());
  const double factor = std::exp2(-1 / (half_life_phases * n * n));
  for (Migration& migration : recent_) migration.weight *= factor;
  fit();
}

// Minimises the sum of weight x (log predicted - log measured)^2 over the migrations, plus guess_weight x
// (log time - log guess)^2 over the three times, in the logarithms of the times, which keeps them above 0.
// Source: D. Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters", 1963.
void MigrationPrice::fit() {
  constexpr int most_steps = 60;
  constexpr double converged = 1e-6;
  Terms logs = {};  // of the times, relative to the guess
  double damping = 1e-3;
  Equations at = equations(logs);
  for (int step = 0; step < most_steps; ++step) {
    std::array<Terms, 3> matrix = at.matrix;
    for (std::size_t k = 0; k < 3; ++k) matrix[k][k] += damping;
    const Terms change = solve(matrix, at.right);
    Terms next = logs;
    for (std::size_t k = 0; k < 3; ++k) next[k] += change[k];
    const Equations there = equations(next);
    const bool is_better = there.error < at.error;
    damping *= is_better ? 0.3 : 4;
    if (!is_better) continue;
    const bool is_done = at.error - there.error < converged * at.error;
    logs = next;
    at = there;
    if (is_done) break;
  }
  times_s_ = times_of(logs);
}

}  // namespace plimsoll::balance
