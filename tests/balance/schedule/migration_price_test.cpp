#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include <plimsoll/balance/migration_price.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

/// Time of a migration on a machine with these times.
struct Machine {
  double latency_s;
  double s_per_object;
  double s_per_byte;

  double time_s(const MigrationVolume& volume) const {
    return latency_s + s_per_object * static_cast<double>(volume.objects) + s_per_byte * volume.bytes;
  }
};

TEST(MigrationPrice, GuessesBeforeTheFirstMigration) {
  const MigrationPrice price;
  EXPECT_DOUBLE_EQ(price.predict_s({.objects = 1, .bytes = 0}), 70e-6);
  EXPECT_DOUBLE_EQ(price.predict_s({.objects = 1000, .bytes = 1e9}), 50e-6 + 20e-3 + 1);
}

// Two migrations of nearly the same size do not tell the price of a size far from them.
TEST(MigrationPrice, IsWithin30PercentFromTheThirdMigrationOn) {
  int predictions = 0;
  int misses = 0;
  for (const Machine& machine : {Machine{1e-3, 1e-6, 0.2e-9}, Machine{10e-6, 500e-6, 0.2e-9},
                                 Machine{20e-6, 5e-6, 5e-9}, Machine{5e-3, 100e-6, 0.1e-9}}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const double bytes = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1e4 : 1e8;
      MigrationPrice price;
      for (int k = 0; k < 12; ++k) {
        const auto objects = static_cast<std::int64_t>(5 + random.next() % 11);
        const MigrationVolume volume{objects, bytes * static_cast<double>(objects)};
        const double time_s = machine.time_s(volume) * (0.95 + 0.1 * random.uniform());
        if (k >= 2) {
          ++predictions;
          misses += std::abs(price.predict_s(volume) / time_s - 1) > 0.3 ? 1 : 0;
        }
        price.learn(volume, time_s);
      }
    }
  }
  EXPECT_EQ(predictions, 800);
  EXPECT_LE(misses, 8);
}

TEST(MigrationPrice, TellsLatencyFromTimePerObject) {
  const Machine machine{10e-3, 10e-6, 0};
  MigrationPrice price;
  for (const std::int64_t objects : {1, 7, 100, 1, 1000, 7})
    price.learn({objects, 0}, machine.time_s({objects, 0}));
  // One object does not cost a seventh of seven.
  EXPECT_NEAR(price.predict_s({1, 0}), 10e-3, 1e-3);
  EXPECT_NEAR(price.predict_s({7, 0}), 10e-3, 1e-3);
  EXPECT_NEAR(price.predict_s({10'000, 0}), 110e-3, 30e-3);
}

TEST(MigrationPrice, ForgetsOneSlowMigration) {
  const Machine machine{50e-6, 20e-6, 0};
  const MigrationVolume volume{10, 0};
  MigrationPrice price;
  price.learn(volume, 100 * machine.time_s(volume));
  EXPECT_GT(price.predict_s(volume), 10 * machine.time_s(volume));
  for (int phase = 0; phase < 60; ++phase) price.end_phase();
  EXPECT_LT(price.predict_s(volume), 6 * machine.time_s(volume));
  for (int k = 0; k < 5; ++k) price.learn(volume, machine.time_s(volume));
  EXPECT_NEAR(price.predict_s(volume) / machine.time_s(volume), 1, 0.3);
}

TEST(MigrationPrice, RemembersThatMigrationsAreSlow) {
  const MigrationVolume volume{2, 0};
  MigrationPrice price;
  for (int k = 0; k < 4; ++k) price.learn(volume, 0.2);
  for (int phase = 0; phase < 60; ++phase) price.end_phase();
  EXPECT_GT(price.predict_s(volume), 0.1);
}

TEST(MigrationPrice, IgnoresMigrationsOfNothing) {
  MigrationPrice price;
  price.learn({0, 0}, 1);
  price.learn({1, 0}, 0);
  EXPECT_DOUBLE_EQ(price.predict_s({1, 0}), 70e-6);
}

}  // namespace
}  // namespace plimsoll::balance
