#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <plimsoll/balance/load_inference.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Symmetric matrix of the first `size` features.
struct FeatureMatrix {
  std::size_t size = 0;
  std::array<FeatureValues, max_features> rows{};
};

/// Returns the x >= 0 that minimises x'Ax / 2 - b'x, i.e. the non-negative least-squares solution for the
/// normal equations Ax = b. `matrix` must be positive definite. Algorithm: NNLS of Lawson and Hanson, Solving
/// Least Squares Problems (1974), on the normal equations as in Bro and de Jong, Journal of Chemometrics 11
/// (1997). Cost: O(size^3) per change of the set of positive entries.
FeatureValues non_negative_solution(const FeatureMatrix& matrix, const FeatureValues& right_side);

/// Returns the inverse of a positive definite matrix, by Cholesky decomposition.
FeatureMatrix inverse(const FeatureMatrix& matrix);

/// A feature that is almost a combination of features before it.
struct Dependence {
  std::size_t feature = 0;
  std::vector<std::size_t> others;  ///< the features that it is a combination of, ascending
};

/// Returns the features of which the combination of others explains all but the share `tolerance` (root mean
/// square). `products` are the sums of the products of the features over some rows. Skips features that are 0
/// in all rows.
std::vector<Dependence> dependences(const FeatureMatrix& products, double tolerance);

}  // namespace plimsoll::balance
