#include "balance/load_models/non_negative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Solves the equations of the given features only; the other entries of the result are 0.
FeatureValues solution(const FeatureMatrix& matrix, std::span<const std::size_t> features,
                       const FeatureValues& right_side) {
  std::array<FeatureValues, max_features> factor{};  // lower triangle of the Cholesky decomposition
  FeatureValues values{};
  for (std::size_t row = 0; row < features.size(); ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double rest = matrix.rows[features[row]][features[column]];
      for (std::size_t k = 0; k < column; ++k) rest -= factor[row][k] * factor[column][k];
      PLIMSOLL_EXPECT(column < row || rest > 0);
      factor[row][column] = column < row ? rest / factor[column][column] : std::sqrt(rest);
    }
    double rest = right_side[features[row]];
    for (std::size_t k = 0; k < row; ++k) rest -= factor[row][k] * values[features[k]];
    values[features[row]] = rest / factor[row][row];
  }
  for (std::size_t row = features.size(); row-- > 0;) {
    double rest = values[features[row]];
    for (std::size_t k = row + 1; k < features.size(); ++k) rest -= factor[k][row] * values[features[k]];
    values[features[row]] = rest / factor[row][row];
  }
  return values;
}

/// Returns the feature outside of `positive` whose increase improves the solution most, or `matrix.size`.
std::size_t best_candidate(const FeatureMatrix& matrix, const FeatureValues& right_side,
                           const FeatureValues& values, std::span<const std::size_t> positive) {
  std::size_t best = matrix.size;
  double best_slope = 1e-12;
  for (std::size_t feature = 0; feature < matrix.size; ++feature) {
    if (std::ranges::count(positive, feature) > 0) continue;
    double slope = right_side[feature];
    double scale = std::abs(slope);
    for (const std::size_t other : positive) {
      slope -= matrix.rows[feature][other] * values[other];
      scale += std::abs(matrix.rows[feature][other] * values[other]);
    }
    if (scale > 0 && slope / scale > best_slope) {
      best = feature;
      best_slope = slope / scale;
    }
  }
  return best;
}

/// Moves the values towards `target` until one of them becomes 0. Returns that one, unless all can reach it.
std::optional<std::size_t> approach(const FeatureValues& target, std::span<const std::size_t> positive,
                                    FeatureValues& values) {
  std::optional<std::size_t> zero;
  double step = 1;
  for (const std::size_t feature : positive) {
    if (target[feature] > 0) continue;
    const double way = values[feature] - target[feature];
    const double possible = way > 0 ? values[feature] / way : 0;
    if (zero && possible >= step) continue;
    zero = feature;
    step = possible;
  }
  for (const std::size_t feature : positive) values[feature] += step * (target[feature] - values[feature]);
  if (zero) values[*zero] = 0;
  return zero;
}

}  // namespace

FeatureValues non_negative_solution(const FeatureMatrix& matrix, const FeatureValues& right_side) {
  FeatureValues values{};
  std::vector<std::size_t> positive;
  // Each round improves the solution; rounding could make two sets alternate.
  for (std::size_t round = 0; round < 3 * max_features; ++round) {
    const std::size_t candidate = best_candidate(matrix, right_side, values, positive);
    if (candidate == matrix.size) break;
    positive.push_back(candidate);
    while (const std::optional<std::size_t> zero =
               approach(solution(matrix, positive, right_side), positive, values))
      std::erase(positive, *zero);
  }
  return values;
}

FeatureMatrix inverse(const FeatureMatrix& matrix) {
  std::vector<std::size_t> all(matrix.size);
  for (std::size_t feature = 0; feature < matrix.size; ++feature) all[feature] = feature;
  FeatureMatrix result{.size = matrix.size};
  for (const std::size_t feature : all) {
    FeatureValues unit{};
    unit[feature] = 1;
    result.rows[feature] = solution(matrix, all, unit);
  }
  return result;
}

std::vector<Dependence> dependences(const FeatureMatrix& products, double tolerance) {
  constexpr double least_part = 0.01;  // of a combination
  FeatureMatrix scaled{.size = products.size};
  for (std::size_t row = 0; row < products.size; ++row)
    for (std::size_t column = 0; column < products.size; ++column) {
      const double norm = std::sqrt(products.rows[row][row]) * std::sqrt(products.rows[column][column]);
      scaled.rows[row][column] = norm > 0 ? products.rows[row][column] / norm : 0;
    }
  std::vector<Dependence> found;
  std::vector<std::size_t> independent;
  for (std::size_t feature = 0; feature < products.size; ++feature) {
    if (scaled.rows[feature][feature] <= 0) continue;
    const FeatureValues parts = solution(scaled, independent, scaled.rows[feature]);
    double rest = 1;
    for (const std::size_t other : independent) rest -= parts[other] * scaled.rows[feature][other];
    if (rest > tolerance * tolerance) {
      independent.push_back(feature);
      continue;
    }
    Dependence dependence{.feature = feature};
    for (const std::size_t other : independent)
      if (std::abs(parts[other]) > least_part) dependence.others.push_back(other);
    found.push_back(std::move(dependence));
  }
  return found;
}

}  // namespace plimsoll::balance
