#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Eleven statistics of an LBStatsfile over a set of finite values, computed in one pass. Parts can be
/// computed separately and merged. Definitions follow vt (`StatisticMsg`), with 64-bit counts. Moments are
/// updated as in P. Pébay, "Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments" (SAND2008-6212). Without values, all statistics are 0.
class Statistics {
 public:
  Statistics() = default;
  /// Computes the statistics of many values in two passes. This is several times as fast as calling add() for
  /// each value.
  explicit Statistics(std::span<const double> values);

  /// Adds one value. Cost: O(1).
  void add(double value);
  /// Adds all values of `other`. Cost: O(1).
  void merge(const Statistics& other);

  std::uint64_t count() const { return count_; }                  ///< named `car` in the files
  std::uint64_t nonzero_count() const { return nonzero_count_; }  ///< named `npr` in the files
  double sum() const { return sum_ + sum_error_; }
  double average() const { return count_ == 0 ? 0 : sum() / static_cast<double>(count_); }
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }
  /// Returns maximum / average - 1; 0 if the average is not positive.
  double imbalance() const;
  double variance() const;  ///< population variance: divided by the count
  double standard_deviation() const;
  /// Returns skewness and excess kurtosis with the sample standard deviation, as in vt: (1/N)
  /// ((N-1)/M2)^(3/2) M3 and (1/N) ((N-1)/M2)^2 M4 - 3. Both are 0 for one value or if all values are equal,
  /// and NaN if powers of the values are beyond the range of double.
  double skewness() const;
  double kurtosis() const;

  /// Statistic with its name.
  struct Quantity {
    std::string_view name;  ///< name of three letters, as in the files
    double value;
  };
  /// Returns all eleven statistics with their names in the files, in alphabetical order: avg, car, imb, kur,
  /// max, min, npr, skw, std, sum, var.
  std::array<Quantity, 11> quantities() const;

 private:
  void add_to_sum(double value);
  bool all_equal() const;

  std::uint64_t count_ = 0;
  std::uint64_t nonzero_count_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
  double sum_ = 0;
  double sum_error_ = 0;  // rounding error of sum_ (Neumaier)
  double mean_ = 0;
  double moment2_ = 0;  // sums of central powers
  double moment3_ = 0;
  double moment4_ = 0;
};

/// Values that split a set of values into four parts of equal size.
struct Quartiles {
  double lower = 0;   ///< a quarter of the values is below it
  double median = 0;  ///< half of the values are below it
  double upper = 0;   ///< three quarters of the values are below it
  friend bool operator==(const Quartiles&, const Quartiles&) = default;
};

/// Computes the quartiles, with linear interpolation between two neighbouring values: the default of NumPy
/// and R (type 7 in R. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996). Changes the
/// order of the values, which must be finite. Without values, all quartiles are 0. Cost: O(n) on average.
Quartiles quartiles(std::span<double> values);

}  // namespace plimsoll::lbdata
