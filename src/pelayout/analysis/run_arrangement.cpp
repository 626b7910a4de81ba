#include "pelayout/analysis/run_arrangement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <plimsoll/support/contract.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/layout/default_layout.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

/// Answers to the questions that ranks do not decide.
struct Assumption {
  /// Share of the ranks of the smaller component from which two components ran in sequence if they share
  /// some ranks.
  double overlap = 0;
  bool dependence_is_sequence = true;  ///< whether dependent components on separate ranks ran in sequence
};

/// Assumptions in the order in which they are preferred. Components that share all ranks of one of them
/// certainly ran in sequence, but files may describe them with small differences.
constexpr std::array<Assumption, 6> assumptions = {
    {{0, true}, {0, false}, {0.5, true}, {0.5, false}, {0.99, true}, {0.99, false}}};

/// Relative difference below which two assumptions explain a total equally well.
constexpr double equally_near = 0.02;

/// Position of a component among parts that run in sequence, by the usual order of CIME's driver.
std::size_t order_in_driver(const std::string& component) {
  constexpr std::array<std::string_view, 5> first = {"ICE", "LND", "ROF", "WAV", "ATM"};
  constexpr std::array<std::string_view, 2> last = {"CPL", "OCN"};
  const auto early = std::ranges::find(first, component);
  if (early != first.end()) return static_cast<std::size_t>(early - first.begin());
  const auto late = std::ranges::find(last, component);
  return first.size() + (late == last.end() ? 0 : 1 + static_cast<std::size_t>(late - last.begin()));
}

/// Pairs of components that ran in sequence, and the expression that follows from them.
class Arranger {
 public:
  using Members = std::vector<std::size_t>;

  Arranger(const TimingFile& run, std::vector<std::string> names, Assumption assumption)
      : names_(std::move(names)), links_(names_.size(), std::vector<double>(names_.size())) {
    std::ranges::stable_sort(names_, {}, order_in_driver);
    for (std::size_t one = 0; one < names_.size(); ++one)
      for (std::size_t other = 0; other < one; ++other)
        links_[one][other] = links_[other][one] =
            link(*run.find(names_[one]), *run.find(names_[other]), assumption);
  }

  LayoutExpression arrange() {
    Members all(names_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    return arrange(all);
  }

 private:
  /// Returns the number of ranks over which two components wait for each other; 0 if they ran concurrently.
  static double link(const ComponentTiming& one, const ComponentTiming& other, Assumption assumption) {
    const double shared = shared_ranks(one, other);
    const double share = shared / static_cast<double>(std::min(one.tasks, other.tasks));
    if (shared > 0) return share >= assumption.overlap ? shared : 0;
    const bool may_wait =
        assumption.dependence_is_sequence && !driver_permits(std::minmax(one.component, other.component));
    return may_wait ? 1 : 0;
  }

  LayoutExpression arrange(const Members& members) {
    if (members.size() == 1)
      return {.kind = Kind::component, .component = names_[members.front()], .parts = {}};
    const std::vector<Members> groups = connected(members);
    if (groups.size() > 1) {
      LayoutExpression concurrent{.kind = Kind::side_by_side, .component = {}, .parts = {}};
      for (const Members& group : groups) concurrent.parts.push_back(arrange(group));
      return concurrent;
    }
    return sequence(members);
  }

  /// Arranges connected components: those linked to all others run in sequence with the rest.
  LayoutExpression sequence(const Members& members) {
    Members linked_to_all;
    Members rest;
    for (const std::size_t one : members) {
      const bool is_linked = std::ranges::all_of(
          members, [&](std::size_t other) { return other == one || links_[one][other] > 0; });
      (is_linked ? linked_to_all : rest).push_back(one);
    }
    if (linked_to_all.empty()) {
      remove_weakest_link(members);
      return arrange(members);
    }
    LayoutExpression result{.kind = Kind::sequence, .component = {}, .parts = {}};
    if (!rest.empty()) result.parts.push_back(arrange(rest));
    for (const std::size_t one : linked_to_all) result.parts.push_back(arrange({one}));
    return result;
  }

  std::vector<Members> connected(const Members& members) const {
    std::vector<Members> groups;
    for (const std::size_t one : members) {
      Members joined = {one};
      std::erase_if(groups, [&](const Members& group) {
        const bool is_linked =
            std::ranges::any_of(group, [&](std::size_t other) { return links_[one][other] > 0; });
        if (is_linked) joined.insert(joined.end(), group.begin(), group.end());
        return is_linked;
      });
      std::ranges::sort(joined);
      groups.push_back(std::move(joined));
    }
    std::ranges::sort(groups);
    return groups;
  }

  /// Removes the link of the fewest ranks, because no expression represents a chain of overlaps.
  void remove_weakest_link(const Members& members) {
    std::pair<std::size_t, std::size_t> weakest;
    double fewest = std::numeric_limits<double>::infinity();
    for (const std::size_t one : members)
      for (const std::size_t other : members)
        if (links_[one][other] > 0 && links_[one][other] < fewest) {
          fewest = links_[one][other];
          weakest = {one, other};
        }
    links_[weakest.first][weakest.second] = links_[weakest.second][weakest.first] = 0;
  }

  std::vector<std::string> names_;          ///< in the order of the driver
  std::vector<std::vector<double>> links_;  ///< number of ranks by pair of components
};

/// Returns how far the measured times of components in an arrangement are from a total, as a ratio.
double distance(const LayoutExpression& arrangement, const TimingFile& run, double total) {
  const double time = critical_path(arrangement, run, CostUnit::seconds_per_day);
  return time > 0 ? std::abs(std::log(time / total)) : 0;
}

}  // namespace

std::optional<double> total_time(const TimingFile& run, CostUnit unit) {
  const std::optional<double> total =
      unit == CostUnit::total_seconds ? run.total_seconds : run.total_seconds_per_day;
  return total && *total > 0 ? total : std::nullopt;
}

std::vector<std::string> active_components(const TimingFile& run) {
  std::vector<std::string> names;
  for (const ComponentTiming& timing : run.components)
    if (timing.seconds_per_day > 0) names.push_back(timing.component);
  return names;
}

double end_rank(const ComponentTiming& timing) {
  const double stride = static_cast<double>(std::max<std::int64_t>(timing.stride, 1));
  return static_cast<double>(timing.root) + static_cast<double>(timing.tasks - 1) * stride + 1;
}

std::int64_t end_of(std::span<const ComponentTiming> components, bool counts_threads) {
  double end = 1;
  for (const ComponentTiming& timing : components)
    end = std::max(end, end_rank(timing) * static_cast<double>(counts_threads ? timing.threads : 1));
  return static_cast<std::int64_t>(std::min(end, static_cast<double>(max_count)));
}

double shared_ranks(const ComponentTiming& one, const ComponentTiming& other) {
  const double first = static_cast<double>(std::max(one.root, other.root));
  const double common = std::min(end_rank(one), end_rank(other)) - first;
  const bool interleaved =
      one.stride == other.stride && one.stride > 1 && (one.root - other.root) % one.stride != 0;
  if (common <= 0 || interleaved) return 0;
  const double stride = static_cast<double>(std::max<std::int64_t>({one.stride, other.stride, 1}));
  return std::ceil(common / stride);
}

double critical_path(const LayoutExpression& arrangement, const TimingFile& run, CostUnit unit) {
  Layout layout;
  layout.expression = arrangement;
  ComponentCosts costs;
  for (const std::string& name : components(arrangement)) costs[name] = cost_of(*run.find(name), run, unit);
  return layout_time(layout, costs);
}

LayoutExpression arrangement_in_run(const TimingFile& run, const std::vector<std::string>& components) {
  PLIMSOLL_EXPECT(!components.empty());
  if (run.coupler == Coupler::oasis) return concurrent_arrangement(components);
  LayoutExpression best = Arranger(run, components, assumptions.front()).arrange();
  const std::optional<double> total = total_time(run, CostUnit::seconds_per_day);
  if (!total) return best;
  double nearest = distance(best, run, *total);
  for (const Assumption assumption : std::span(assumptions).subspan(1)) {
    LayoutExpression other = Arranger(run, components, assumption).arrange();
    const double its_distance = distance(other, run, *total);
    if (its_distance >= nearest - equally_near) continue;
    nearest = its_distance;
    best = std::move(other);
  }
  return best;
}

}  // namespace plimsoll::pelayout
