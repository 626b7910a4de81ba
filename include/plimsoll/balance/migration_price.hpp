#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// What a migration between phases transfers on the rank that sends and receives most: the ranks wait for it.
struct MigrationVolume {
  std::int64_t objects = 0;  ///< maximum number of objects that a rank sends and receives
  double bytes = 0;          ///< maximum bytes that a rank sends and receives; 0 if unknown

  friend bool operator==(const MigrationVolume&, const MigrationVolume&) = default;
};

/// Predicts the time of a migration: latency + objects x time per object + bytes x time per byte. The three
/// times are fitted to the recent migrations, with relative errors, so that short and long migrations count
/// alike. Before the first migration they are 50 us, 20 us and 1 ns.
///
/// A migration counts less with each later one, and with each phase, because machines and programs change.
/// The first one counts less from the start: it often contains the set-up of connections and memory. One
/// slow migration therefore delays the next one, but does not prevent it.
class MigrationPrice {
 public:
  /// Values for the latency, the objects and the bytes.
  using Terms = std::array<double, 3>;

  MigrationPrice() = default;
  /// Starts with the given times, in seconds.
  explicit MigrationPrice(const Terms& times_s) : times_s_(times_s) {}

  /// Returns the latency, the time per object and the time per byte, in seconds.
  const Terms& times_s() const { return times_s_; }
  /// Returns the predicted time, in seconds.
  double predict_s(const MigrationVolume& volume) const;
  /// Adds a migration that took this time on the slowest rank. Cost: some microseconds.
  void learn(const MigrationVolume& volume, double measured_s);
  /// Adds a phase, after which what was learned counts less.
  void end_phase();

 private:
  struct Migration {
    MigrationVolume volume;
    double measured_s;
    double weight;
  };
  /// Linear equations for a step of the fit, and its error before the step.
  struct Equations {
    std::array<Terms, 3> matrix = {};
    Terms right = {};
    double error = 0;
  };
  Equations equations(const Terms& logs) const;
  void fit();

  Terms times_s_ = {50e-6, 20e-6, 1e-9};  // latency, per object, per byte
  std::deque<Migration> recent_;          // oldest first
};

}  // namespace plimsoll::balance
