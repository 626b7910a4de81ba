#include "pelayout/models/curve_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr CurveTerms whole_form{true, true};
constexpr std::size_t enough = 7;    // points required to separate noise from errors of the formula
constexpr double negligible = 1e-6;  // relative to the maximum cost; smaller errors and costs are ignored

/// Points without outliers. Errors are assumed to be proportional to the cost, like the noise of machines.
class Data {
 public:
  Data(std::span<const ModelPoint> points, const std::vector<bool>& outliers) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double size = std::max(points[i].cost, negligible);
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
    const double variance = std::max(sum / count, negligible * negligible);
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

/// Fits points whose maximum cost is 1, so that squares of costs do not overflow in any unit.
CurveFit fit_scaled(std::span<const ModelPoint> points) {
  CurveFit fit{{}, find_outliers(points)};
  const Data data(points, fit.outliers);
  const CurveTerms plain{false, points.size() > 1};
  fit.curve = data.fit(plain, true);
  if (!data.rises()) return fit;
  double minimum = data.price(fit.curve, plain.parameters());
  for (const CurveTerms terms : {CurveTerms{true, false}, whole_form}) {
    const ScalingCurve curve = data.fit(terms, true);
    if (const double price = data.price(curve, terms.parameters()); price < minimum) {
      minimum = price;
      fit.curve = curve;
    }
  }
  return fit;
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

}  // namespace plimsoll::pelayout
