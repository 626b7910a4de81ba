#include "pelayout/models/curve_fit.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <numbers>
#include <numeric>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr CurveTerms whole_form{.growing = true, .constant = true};
constexpr std::size_t enough = 7;  // points required to separate noise from errors of the formula
// Relative to the maximum cost. Smaller errors and costs are ignored.
constexpr double negligible_cost = 1e-6;

/// Points without outliers. Errors are assumed to be proportional to the cost, like the noise of machines.
class Data {
 public:
  Data(std::span<const ModelPoint> points, const std::vector<bool>& outliers) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double size = std::max(points[i].cost, negligible_cost);
      if (!outliers[i])
        points_.push_back({static_cast<double>(points[i].tasks), points[i].cost, 1 / (size * size)});
      outliers_ += outliers[i] ? 1 : 0;
    }
  }

  ScalingCurve fit(CurveTerms terms, bool fine) const { return least_squares(points_, terms, fine); }

  /// Returns -2 log likelihood of the curve for normal relative errors, plus the penalty for its parameters.
  double price(const ScalingCurve& curve, int parameters) const {
    const auto count = static_cast<double>(points_.size());
    const double all = count + outliers_;
    const double freedom = count - parameters;
    if (freedom <= 0) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const WeightedPoint& point : points_)
      sum += point.weight * std::pow(point.cost - curve(point.tasks), 2);
    const double variance = std::max(sum / count, negligible_cost * negligible_cost);
    return all * std::log(variance) + 2 * all * std::log(all / freedom) + 4 * outliers_ * std::log(all);
  }

  /// Returns whether the costs rise at more than the last point: the last two are not below an earlier one.
  bool rises() const {
    if (points_.size() < 4) return false;
    const auto last = points_.end() - 2;
    const double minimum = std::ranges::min_element(points_.begin(), last, {}, &WeightedPoint::cost)->cost;
    return last[0].cost >= minimum && last[1].cost >= minimum;
  }

 private:
  std::vector<WeightedPoint> points_;
  double outliers_ = 0;
};

double price_of(std::span<const ModelPoint> points, const std::vector<bool>& outliers, bool fine) {
  const Data data(points, outliers);
  return data.price(data.fit(whole_form, fine), whole_form.parameters());
}

/// Returns up to `limit` points, those farthest from a curve fitted to all points except the outliers.
std::vector<std::size_t> suspects(std::span<const ModelPoint> points, const std::vector<bool>& outliers,
                                  std::size_t limit) {
  const ScalingCurve curve = Data(points, outliers).fit(whole_form, false);
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!outliers[i]) {
      const double model = curve(static_cast<double>(points[i].tasks));
      distances.emplace_back(std::abs(points[i].cost - model) /
                                 std::max({model, points[i].cost, std::numeric_limits<double>::min()}),
                             i);
    }
  }
  std::ranges::sort(distances, std::greater{});
  distances.resize(std::min(distances.size(), limit));
  std::vector<std::size_t> found;
  std::ranges::transform(distances, std::back_inserter(found), &std::pair<double, std::size_t>::second);
  return found;
}

/// Returns the maximum number of outliers for a number of points. A few outliers among thousands of points do
/// no harm.
std::size_t max_outliers(std::size_t points) {
  return points < enough || points > 1000 ? 0 : std::min<std::size_t>((points - 4) / 3, 10);
}

/// Finds the points without which the full formula fits so much better that they must be wrong. It removes
/// one point at a time, or two at once, because each of two outliers can hide the other.
std::vector<bool> find_outliers(std::span<const ModelPoint> points) {
  constexpr std::size_t few = 16;  // maximum number of points for which testing pairs is fast
  std::vector<bool> outliers(points.size());
  std::size_t left = max_outliers(points.size());
  double minimum = left == 0 ? 0 : price_of(points, outliers, false);
  while (left > 0) {
    std::vector<bool> best;
    const auto consider = [&](std::initializer_list<std::size_t> suspected) {
      std::vector<bool> candidate = outliers;
      std::ranges::for_each(suspected, [&](std::size_t i) { candidate[i] = true; });
      if (const double price = price_of(points, candidate, false); price < minimum) {
        minimum = price;
        best = candidate;
      }
    };
    const std::vector<std::size_t> suspected = suspects(points, outliers, few);
    for (std::size_t i = 0; i < suspected.size(); ++i) {
      consider({suspected[i]});
      for (std::size_t j = i + 1; left > 1 && points.size() <= few && j < suspected.size(); ++j)
        consider({suspected[i], suspected[j]});
    }
    // Reject points that are outliers only because of a coarse exponent.
    if (best.empty() || price_of(points, best, true) >= price_of(points, outliers, true)) break;
    left -= static_cast<std::size_t>(std::ranges::count(best, true) - std::ranges::count(outliers, true));
    outliers = best;
  }
  return outliers;
}

/// Returns the curve through a single point, of whose cost scaling_share scales perfectly.
CurveFit fit_of_point(const ModelPoint& point) {
  const double scaling = scaling_share * point.cost;
  return {{.a = scaling * static_cast<double>(point.tasks), .b = 0, .c = 0, .d = point.cost - scaling},
          {false}};
}

/// Fits points whose maximum cost is 1, so that squares of costs do not overflow in any unit.
CurveFit fit_scaled(std::span<const ModelPoint> points) {
  if (points.size() == 1) return fit_of_point(points.front());
  CurveFit fit{{}, find_outliers(points)};
  const Data data(points, fit.outliers);
  const CurveTerms plain{.constant = true, .root = points.size() > 2};
  fit.curve = data.fit(plain, true);
  if (!data.rises()) return fit;
  double minimum = data.price(fit.curve, plain.parameters());
  for (const CurveTerms terms : {CurveTerms{.growing = true}, whole_form}) {
    const ScalingCurve curve = data.fit(terms, true);
    if (const double price = data.price(curve, terms.parameters()); price < minimum) {
      minimum = price;
      fit.curve = curve;
    }
  }
  return fit;
}

constexpr double max_exponent = 3;
constexpr std::size_t terms_count = 3;  // a/n, b n^c, d

using Vector = std::array<double, terms_count>;
using Matrix = std::array<Vector, terms_count>;

/// Solves the equations for the unknowns in `used` by elimination; the others are 0. Empty if the equations
/// do not determine them.
std::optional<Vector> solve(Matrix matrix, Vector right, unsigned used) {
  constexpr double singular = 1e-13;  // the diagonal is 1 before elimination
  Vector solution{};
  for (std::size_t i = 0; i < terms_count; ++i) {
    if (!(used >> i & 1U)) continue;
    if (matrix[i][i] < singular) return std::nullopt;
    for (std::size_t j = i + 1; j < terms_count; ++j) {
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = i; k < terms_count; ++k) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  }
  for (std::size_t i = terms_count; i-- > 0;) {
    if (used >> i & 1U) {
      double value = right[i];
      for (std::size_t k = i + 1; k < terms_count; ++k) value -= matrix[i][k] * solution[k];
      solution[i] = value / matrix[i][i];
    }
  }
  return solution;
}

/// Least-squares problem that is solved for one exponent c after another.
class Projection {
 public:
  Projection(std::span<const WeightedPoint> points, CurveTerms terms)
      : allowed_(1U | (terms.growing || terms.root ? 2U : 0U) | (terms.constant ? 4U : 0U)),
        rows_(points.size()) {
    max_tasks_ = std::ranges::max(points, {}, &WeightedPoint::tasks).tasks;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Row& row = rows_[i];
      row.root_weight = std::sqrt(points[i].weight);
      row.cost = row.root_weight * points[i].cost;
      row.log_tasks = std::log(points[i].tasks / max_tasks_);
      row.basis[0] = row.root_weight * max_tasks_ / points[i].tasks;
      row.basis[2] = row.root_weight;
    }
  }

  /// Returns the best curve with this c, and its error.
  std::pair<ScalingCurve, double> best(double c) {
    for (Row& row : rows_) row.basis[1] = row.root_weight * std::exp(c * row.log_tasks);
    const Vector scale = column_lengths();
    const auto [matrix, right] = normal_equations(scale);
    Vector best{};
    double lowest_error = error(best);
    for (unsigned used = 1; used < 1U << terms_count; ++used) {
      if ((used & ~allowed_) != 0) continue;
      std::optional<Vector> found = solve(matrix, right, used);
      if (!found || std::ranges::any_of(*found, [](double value) { return value < 0; })) continue;
      for (std::size_t i = 0; i < terms_count; ++i) (*found)[i] /= scale[i];
      if (const double sum = error(*found); sum < lowest_error) {
        lowest_error = sum;
        best = *found;
      }
    }
    const bool grows = best[1] > 0;
    return {{best[0] * max_tasks_, grows ? best[1] * std::pow(max_tasks_, -c) : 0, grows ? c : 0, best[2]},
            lowest_error};
  }

 private:
  struct Row {
    double root_weight = 0;
    double cost = 0;  ///< cost times the square root of the weight; the basis has the same factor
    double log_tasks = 0;
    Vector basis{};
  };

  Vector column_lengths() const {
    Vector lengths{};
    for (const Row& row : rows_)
      for (std::size_t i = 0; i < terms_count; ++i) lengths[i] += row.basis[i] * row.basis[i];
    for (double& length : lengths) length = std::sqrt(length);
    return lengths;
  }

  /// Builds the normal equations for a basis of vectors of length 1.
  std::pair<Matrix, Vector> normal_equations(const Vector& scale) const {
    Matrix matrix{};
    Vector right{};
    for (const Row& row : rows_) {
      for (std::size_t i = 0; i < terms_count; ++i) {
        right[i] += row.basis[i] / scale[i] * row.cost;
        for (std::size_t j = 0; j < terms_count; ++j)
          matrix[i][j] += row.basis[i] / scale[i] * row.basis[j] / scale[j];
      }
    }
    return {matrix, right};
  }

  double error(const Vector& values) const {
    double sum = 0;
    for (const Row& row : rows_) {
      double difference = row.cost;
      for (std::size_t i = 0; i < terms_count; ++i) difference -= values[i] * row.basis[i];
      sum += difference * difference;
    }
    return sum;
  }

  unsigned allowed_;  ///< allowed terms, one bit each
  std::vector<Row> rows_;
  double max_tasks_ = 1;
};

/// Minimises a unimodal function between `low` and `high` (golden-section search).
template <class Function>
double golden_section(Function function, double low, double high) {
  constexpr double ratio = std::numbers::phi - 1;
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  while (high - low > 1e-7) {
    if (at_left <= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = function(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = function(right);
    }
  }
  return (low + high) / 2;
}

}  // namespace

CurveFit fit_curve(std::span<const ModelPoint> points) {
  PLIMSOLL_EXPECT(!points.empty());
  PLIMSOLL_EXPECT(std::ranges::is_sorted(points, {}, &ModelPoint::tasks));
  const double maximum = std::ranges::max(points, {}, &ModelPoint::cost).cost;
  if (maximum <= 0) return {{}, std::vector<bool>(points.size())};
  std::vector<ModelPoint> scaled(points.begin(), points.end());
  for (ModelPoint& point : scaled) point.cost /= maximum;
  CurveFit fit = fit_scaled(scaled);
  fit.curve.a *= maximum;
  fit.curve.b *= maximum;
  fit.curve.d *= maximum;
  return fit;
}

ScalingCurve least_squares(std::span<const WeightedPoint> points, CurveTerms terms, bool fine) {
  PLIMSOLL_EXPECT(!points.empty());
  Projection projection(points, terms);
  if (!terms.growing) return projection.best(terms.root ? 0.5 : 0).first;
  const double step = fine ? 0.125 : 0.25;
  double best_c = 0;
  double lowest_error = std::numeric_limits<double>::infinity();
  for (int k = 0; k * step <= max_exponent; ++k) {
    const double c = k * step;
    if (const double error = projection.best(c).second; error < lowest_error) {
      lowest_error = error;
      best_c = c;
    }
  }
  if (!fine) return projection.best(best_c).first;
  const double refined = golden_section([&](double c) { return projection.best(c).second; },
                                        std::max(0.0, best_c - step), std::min(max_exponent, best_c + step));
  const auto [curve, error] = projection.best(refined);
  return error < lowest_error ? curve : projection.best(best_c).first;
}

}  // namespace plimsoll::pelayout
