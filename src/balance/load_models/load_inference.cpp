#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <plimsoll/balance/load_inference.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/load_models/non_negative_fit.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr double kept_weight = 0.9;      // weight of a phase relative to the phase after it
constexpr double usual_spread = 0.05;    // of packs about which nothing is known
constexpr double lowest_spread = 0.005;  // of the most regular packs
constexpr double first_doubt = 0.15;     // of a cost before the first phase
constexpr double later_doubt = 0.2;      // of a cost that was known in the phase before
constexpr double far_off = 2;            // deviations from which a pack is down-weighted (Huber's k)
constexpr double contradicting = 4;      // deviations from which a pack contradicts the costs
constexpr double same = 0.01;            // deviation of features that count as dependent

/// Returns the position of a product of two features, first <= second, in FeatureSums::products.
std::size_t entry(std::size_t first, std::size_t second) {
  return second * (second + 1) / 2 + first;
}

FeatureMatrix matrix_of(const std::array<double, FeatureSums::n_products>& products, std::size_t size) {
  FeatureMatrix matrix{.size = size};
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      matrix.rows[row][column] = products[entry(std::min(row, column), std::max(row, column))];
  return matrix;
}

void add_products(std::span<const double> values, double weight,
                  std::array<double, FeatureSums::n_products>& products) {
  for (std::size_t second = 0; second < values.size(); ++second)
    for (std::size_t first = 0; first <= second; ++first)
      products[entry(first, second)] += weight * values[first] * values[second];
}

/// Returns whether a pack tells something about the costs.
bool tells(const PackTime& pack) {
  return pack.time_s >= 0 && std::isfinite(pack.time_s) &&
         std::ranges::any_of(pack.features, [](double value) { return value > 0; });
}

double dot(const FeatureValues& costs, std::span<const double> values) {
  double sum = 0;
  for (std::size_t feature = 0; feature < values.size(); ++feature) sum += costs[feature] * values[feature];
  return sum;
}

/// Multiplies all sums by `factor`.
void scale(FeatureSums& sums, double factor) {
  for (double& value : sums.products) value *= factor;
  for (double& value : sums.with_time) value *= factor;
  for (double& value : sums.features) value *= factor;
  for (double* value :
       {&sums.time_squared, &sums.weight, &sums.phases, &sums.n_packs, &sums.n_outliers, &sums.time_s})
    *value *= factor;
}

}  // namespace

void FeatureSums::add_object(std::span<const double> of_object) {
  PLIMSOLL_EXPECT(of_object.size() <= max_features);
  add_products(of_object, 1, object_products);
  for (std::size_t feature = 0; feature < of_object.size(); ++feature) {
    least[feature] = std::min(least[feature], of_object[feature]);
    greatest[feature] = std::max(greatest[feature], of_object[feature]);
  }
}

void merge_sums(FeatureSums& left, const FeatureSums& right) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
  };
  add(left.products, right.products);
  add(left.object_products, right.object_products);
  add(left.with_time, right.with_time);
  add(left.features, right.features);
  for (const auto member : {&FeatureSums::time_squared, &FeatureSums::weight, &FeatureSums::phases,
                            &FeatureSums::n_packs, &FeatureSums::n_outliers, &FeatureSums::time_s})
    left.*member += right.*member;
  for (std::size_t feature = 0; feature < max_features; ++feature) {
    left.least[feature] = std::min(left.least[feature], right.least[feature]);
    left.greatest[feature] = std::max(left.greatest[feature], right.greatest[feature]);
  }
}

LoadInference::LoadInference(std::vector<std::string> features) : features_(std::move(features)) {
  if (features_.empty() || features_.size() > max_features)
    throw support::usage_error(fmt::format("invalid number of features {}: must be between 1 and {}",
                                           features_.size(), max_features));
  for (auto feature = features_.begin(); feature != features_.end(); ++feature) {
    if (feature->empty()) throw support::usage_error("a feature has no name", "use a name such as cells");
    if (std::find(features_.begin(), feature, *feature) != feature)
      throw support::usage_error(fmt::format("duplicate feature {}", support::in_quotes(*feature)),
                                 "use a unique name for each feature");
  }
}

void LoadInference::observe(const PhaseFeatures& mine, const Reduce& reduce) {
  const FeatureSums now = reduce(totals(mine));
  FeatureSums sums;
  if (now.n_packs > 0) forget(now);
  const FeatureValues shares_before = known_shares();
  // The weights depend on the fit, so the second fit refines the first.
  for (int round = 0; round < 2; ++round) {
    sums = reduce(now.n_packs > 0 ? weighted_sums(mine.packs) : FeatureSums());
    if (now.n_packs == 0) continue;
    sums.phases = 1;
    sums.n_packs = now.n_packs;
    sums.time_s = now.time_s;
    sums.features = now.features;
    fit(sums, shares_before);
  }
  if (now.n_packs == 0) return;
  merge_sums(history_, sums);
  objects_ = now;
}

/// Returns the sums that need no weights.
FeatureSums LoadInference::totals(const PhaseFeatures& mine) const {
  FeatureSums sums = mine.objects;
  for (const PackTime& pack : mine.packs) {
    if (!tells(pack)) continue;
    sums.n_packs += 1;
    sums.time_s += pack.time_s;
    for (std::size_t feature = 0; feature < max_features; ++feature)
      sums.features[feature] += pack.features[feature];
    if (is_fitted_ && deviations(pack) > contradicting) sums.n_outliers += 1;
  }
  return sums;
}

/// Forgets a part of the history, or all of it if the packs of a new phase contradict it. A few packs may be
/// disturbed once, but not twice, nor all of them at once. A program that is twice as fast or slow as before
/// has changed in any case: its first phase may have contained initialisation.
void LoadInference::forget(const FeatureSums& now) {
  constexpr double many = 4;
  const double expected_s = dot(costs_, now.features);
  const bool is_another_speed = is_fitted_ && (now.time_s > 2 * expected_s || now.time_s < expected_s / 2);
  const bool contradicts = 4 * now.n_outliers > now.n_packs;
  const bool is_sure = now.n_outliers >= many || now.n_outliers == now.n_packs || contradicted_;
  if (is_another_speed || (contradicts && is_sure)) {
    history_ = FeatureSums();
    is_fitted_ = false;
    spread_.reset();
  }
  contradicted_ = contradicts && is_fitted_;
  doubt_ = is_fitted_ ? later_doubt : first_doubt;
  scale(history_, kept_weight);
  set_scale(now);
}

void LoadInference::set_scale(const FeatureSums& now) {
  mean_time_s_ = (history_.time_s + now.time_s) / (history_.n_packs + now.n_packs);
  for (std::size_t feature = 0; feature < max_features; ++feature) {
    const double sum = history_.features[feature] + now.features[feature];
    scale_[feature] = sum > 0 ? (history_.time_s + now.time_s) / sum : 0;
  }
}

/// Returns what is known about the shares of the features in the time: those of the costs before, or equal
/// ones.
FeatureValues LoadInference::known_shares() const {
  const auto n_known =
      static_cast<double>(std::ranges::count_if(scale_, [](double value) { return value > 0; }));
  FeatureValues shares{};
  for (std::size_t feature = 0; feature < features_.size(); ++feature)
    if (scale_[feature] > 0) shares[feature] = is_fitted_ ? costs_[feature] / scale_[feature] : 1 / n_known;
  return shares;
}

double LoadInference::least_spread() const {
  return std::max(spread_.value_or(usual_spread), lowest_spread);
}

/// Returns the variance of the time of a pack, relative to the squared spread: the product of its expected
/// time and the mean time.
double LoadInference::variance_scale(const PackTime& pack) const {
  const double expected_s = is_fitted_ ? dot(costs_, pack.features) : mean_time_s_;
  return mean_time_s_ * std::max(expected_s, 0.1 * mean_time_s_);
}

/// Returns how many standard deviations the time of a pack is off.
double LoadInference::deviations(const PackTime& pack) const {
  const double off_s = std::abs(pack.time_s - dot(costs_, pack.features));
  return off_s / (least_spread() * std::sqrt(variance_scale(pack)));
}

FeatureSums LoadInference::weighted_sums(const std::vector<PackTime>& packs) const {
  FeatureSums sums;
  if (mean_time_s_ <= 0) return sums;
  for (const PackTime& pack : packs) {
    if (!tells(pack)) continue;
    const double off = is_fitted_ && spread_ ? deviations(pack) : 0;
    const double part = off > far_off ? far_off / off : 1;
    const double weight = part / variance_scale(pack);
    add_products(std::span(pack.features).first(features_.size()), weight, sums.products);
    for (std::size_t feature = 0; feature < features_.size(); ++feature)
      sums.with_time[feature] += weight * pack.features[feature] * pack.time_s;
    sums.time_squared += weight * pack.time_s * pack.time_s;
    sums.weight += part;
  }
  return sums;
}

/// Computes the costs from the history and the weighted sums of the new phase.
void LoadInference::fit(const FeatureSums& now, const FeatureValues& shares_before) {
  FeatureSums all = history_;
  merge_sums(all, now);
  if (mean_time_s_ <= 0) return;
  const std::size_t n = features_.size();
  // Shares of the time instead of costs make the equations independent of units.
  FeatureMatrix equations = matrix_of(all.products, n);
  FeatureValues with_time{};
  FeatureValues right_side{};
  const double stiffness = all.phases * std::pow(least_spread() / doubt_, 2);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column)
      equations.rows[row][column] *= scale_[row] * scale_[column];
    with_time[row] = all.with_time[row] * scale_[row];
    right_side[row] = with_time[row] + stiffness * shares_before[row];
  }
  FeatureMatrix stiff = equations;
  for (std::size_t row = 0; row < n; ++row) stiff.rows[row][row] += stiffness;
  const FeatureValues shares = non_negative_solution(stiff, right_side);

  double squares = all.time_squared;
  for (std::size_t row = 0; row < n; ++row)
    squares += shares[row] * (dot(equations.rows[row], std::span(shares).first(n)) - 2 * with_time[row]);
  const auto n_positive =
      static_cast<double>(std::ranges::count_if(shares, [](double share) { return share > 0; }));
  // Packs whose objects stay repeat their deviations, so phases do not count as independent if one is enough.
  const double free_in_phase = all.weight / all.phases - n_positive;
  const double free = free_in_phase >= 1 ? free_in_phase * all.phases : all.weight - n_positive;
  if (free >= 1) spread_ = std::sqrt(std::max(squares, 0.0) / free);

  const FeatureMatrix inverted = inverse(stiff);
  const double variance = all.phases * least_spread() * least_spread();
  for (std::size_t row = 0; row < n; ++row) {
    costs_[row] = shares[row] * scale_[row];
    for (std::size_t column = 0; column < n; ++column)
      covariance_[row][column] = variance * inverted.rows[row][column] * scale_[row] * scale_[column];
  }
  is_fitted_ = true;
}

std::vector<FeatureCost> LoadInference::costs() const {
  std::vector<FeatureCost> result;
  for (std::size_t feature = 0; feature < features_.size(); ++feature)
    result.push_back({features_[feature], costs_[feature], std::sqrt(covariance_[feature][feature])});
  return result;
}

double LoadInference::load_s(std::span<const double> of_object) const {
  return dot(costs_, of_object);
}

double LoadInference::deviation_s(std::span<const double> of_pack) const {
  double variance = std::pow(least_spread(), 2) * mean_time_s_ * load_s(of_pack);
  for (std::size_t row = 0; row < of_pack.size(); ++row)
    variance += of_pack[row] * dot(covariance_[row], of_pack);
  return std::sqrt(variance);
}

namespace {

std::string list(const std::vector<std::string>& features, const std::vector<std::size_t>& which) {
  std::string text;
  for (std::size_t k = 0; k < which.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : (k + 1 == which.size() ? " and " : ", "),
                        support::in_quotes(features[which[k]]));
  return text;
}

std::string sentence(const std::vector<std::string>& features, const Dependence& dependence,
                     const char* where) {
  if (dependence.others.size() == 1)
    return fmt::format("features {} are proportional {}",
                       list(features, {dependence.others.front(), dependence.feature}), where);
  return fmt::format("feature {} is a combination of {} {}", list(features, {dependence.feature}),
                     list(features, dependence.others), where);
}

}  // namespace

std::vector<std::string> LoadInference::remarks() const {
  std::vector<std::string> remarks;
  if (!has_costs()) return remarks;
  const std::size_t n = features_.size();
  for (std::size_t feature = 0; feature < n; ++feature) {
    const double least = objects_.least[feature];
    if (least != objects_.greatest[feature]) continue;
    if (least == 0)
      remarks.push_back(fmt::format("feature {} is 0 for all objects: its cost is unknown",
                                    support::in_quotes(features_[feature])));
    else
      remarks.push_back(fmt::format("feature {} is {} for all objects: its cost is a time per object",
                                    support::in_quotes(features_[feature]), least));
  }
  const std::vector<Dependence> of_objects = dependences(matrix_of(objects_.object_products, n), same);
  for (const Dependence& dependence : of_objects)
    remarks.push_back(sentence(features_, dependence, "for all objects, to within 1 %") +
                      ": their costs cannot be told apart, which hardly affects the loads");
  for (const Dependence& dependence : dependences(matrix_of(history_.products, n), same)) {
    if (std::ranges::find(of_objects, dependence.feature, &Dependence::feature) != of_objects.end()) continue;
    remarks.push_back(
        sentence(features_, dependence, "on all ranks or packs of recent phases, to within 1 %") +
        ": their costs cannot be told apart until objects migrate or change");
  }
  return remarks;
}

}  // namespace plimsoll::balance
