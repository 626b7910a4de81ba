#include <algorithm>
#include <cmath>
#include <limits>

#include <plimsoll/lbdata/statistics.hpp>
#include <plimsoll/support/imbalance.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

Statistics::Statistics(std::span<const double> values) : count_(values.size()) {
  if (values.empty()) return;
  minimum_ = maximum_ = values.front();
  for (const double value : values) {
    add_to_sum(value);
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
    nonzero_count_ += value != 0 ? 1 : 0;
  }
  mean_ = sum() / static_cast<double>(count_);
  for (const double value : values) {
    const double distance = value - mean_;
    const double square = distance * distance;
    moment2_ += square;
    moment3_ += square * distance;
    moment4_ += square * square;
  }
}

void Statistics::add(double value) {
  Statistics one;
  one.count_ = 1;
  one.nonzero_count_ = value != 0 ? 1 : 0;
  one.minimum_ = one.maximum_ = one.mean_ = one.sum_ = value;
  merge(one);
}

void Statistics::merge(const Statistics& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const auto left = static_cast<double>(count_);
  const auto right = static_cast<double>(other.count_);
  const double both = left + right;
  const double delta = other.mean_ - mean_;
  const double step = delta / both;
  const double term = delta * step * left * right;  // contribution of the distance of the means to M2

  moment4_ += other.moment4_ + term * step * step * (left * left - left * right + right * right) +
              6 * step * step * (left * left * other.moment2_ + right * right * moment2_) +
              4 * step * (left * other.moment3_ - right * moment3_);
  moment3_ +=
      other.moment3_ + term * step * (left - right) + 3 * step * (left * other.moment2_ - right * moment2_);
  moment2_ += other.moment2_ + term;
  mean_ += step * right;

  count_ += other.count_;
  nonzero_count_ += other.nonzero_count_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
  add_to_sum(other.sum_);
  sum_error_ += other.sum_error_;
}

void Statistics::add_to_sum(double value) {
  const double total = sum_ + value;
  sum_error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - total) + value : (value - total) + sum_;
  sum_ = total;
}

bool Statistics::all_equal() const {
  // Ignore differences within the rounding errors of the values.
  const double size = std::max(std::abs(minimum_), std::abs(maximum_));
  return count_ < 2 || maximum_ - minimum_ <= 4 * std::numeric_limits<double>::epsilon() * size;
}

double Statistics::imbalance() const {
  return support::imbalance(maximum_, average());
}

double Statistics::variance() const {
  return count_ == 0 ? 0 : moment2_ / static_cast<double>(count_);
}

double Statistics::standard_deviation() const {
  return std::sqrt(variance());
}

double Statistics::skewness() const {
  if (all_equal()) return 0;
  const auto number = static_cast<double>(count_);
  const double inverse = (number - 1) / moment2_;
  return inverse * std::sqrt(inverse) * moment3_ / number;
}

double Statistics::kurtosis() const {
  if (all_equal()) return 0;
  const auto number = static_cast<double>(count_);
  const double inverse = (number - 1) / moment2_;
  return inverse * inverse * moment4_ / number - 3;
}

std::array<Statistics::Quantity, 11> Statistics::quantities() const {
  return {{{"avg", average()},
           {"car", static_cast<double>(count_)},
           {"imb", imbalance()},
           {"kur", kurtosis()},
           {"max", maximum_},
           {"min", minimum_},
           {"npr", static_cast<double>(nonzero_count_)},
           {"skw", skewness()},
           {"std", standard_deviation()},
           {"sum", sum()},
           {"var", variance()}}};
}

Quartiles quartiles(std::span<double> values) {
  if (values.empty()) return {};
  const auto quantile = [&](double share) {
    const double position = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), begin, values.end());
    if (below + 1 == values.size()) return *begin;
    const double next = *std::min_element(begin + 1, values.end());
    return std::lerp(*begin, next, position - static_cast<double>(below));
  };
  return {quantile(0.25), quantile(0.5), quantile(0.75)};
}

}  // namespace plimsoll::lbdata
