#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll::inline v0_1::lbdata {

/// The eleven statistics of an LBStatsfile over a population of finite values, in one pass. Parts can be
/// gathered apart and merged. Definitions are vt's (`StatisticMsg`), counted in 64 bits; moments are updated
/// as in P. Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
/// statistical moments" (SAND2008-6212). Of no values, all are 0.
class Statistics {
 public:
  Statistics() = default;
  /// Of many values at once: in two passes, several times as fast as adding one by one.
  explicit Statistics(std::span<const double> values);

  /// Takes one value in. O(1).
  void add(double value);
  /// Takes in all that `other` got. O(1).
  void merge(const Statistics& other);

  std::uint64_t count() const { return count_; }                  ///< `car`
  std::uint64_t nonzero_count() const { return nonzero_count_; }  ///< `npr`
  double sum() const { return sum_ + sum_error_; }
  double average() const { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }
  /// maximum / average - 1; 0 if the average is not positive.
  double imbalance() const;
  double variance() const;  ///< of the population: divided by the count
  double standard_deviation() const;
  /// Skewness and excess kurtosis with the deviation estimated from a sample, as vt does:
  /// (1/N) ((N-1)/M2)^(3/2) M3 and (1/N) ((N-1)/M2)^2 M4 - 3. 0 for one value or values that are all equal.
  double skewness() const;
  double kurtosis() const;

  /// A statistic with its name.
  struct Quantity {
    std::string_view name;  ///< three letters, as in the files
    double value;
  };
  /// All eleven under their names in the files, in alphabetical order:
  /// avg, car, imb, kur, max, min, npr, skw, std, sum, var.
  std::array<Quantity, 11> quantities() const;

 private:
  void add_to_sum(double value);
  bool all_equal() const;

  std::uint64_t count_ = 0;
  std::uint64_t nonzero_count_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
  double sum_ = 0;
  double sum_error_ = 0;  // what rounding took from sum_ (Neumaier)
  double mean_ = 0;
  double moment2_ = 0;  // sums of central powers
  double moment3_ = 0;
  double moment4_ = 0;
};

}  // namespace plimsoll::lbdata
