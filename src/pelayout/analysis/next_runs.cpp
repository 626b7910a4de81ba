#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double min_share_of_time = 0.01;
constexpr double min_doublings = 1.0 / 3;

std::vector<std::int64_t> admitted_counts(const CostTable& table, std::int64_t threads) {
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table.threads.empty() || table.threads[k] == threads) counts.push_back(table.tasks_of(k));
  return counts;
}

/// Returns a count below a component's count and one above it, unless they are close to known counts. Each is
/// halfway to the next measured count. If no further count was measured, the next one is assumed two
/// doublings away.
std::vector<std::int64_t> counts_nearby(std::int64_t own, const std::vector<std::int64_t>& measured,
                                        const std::vector<std::int64_t>& admitted) {
  std::vector<std::int64_t> counts;
  const auto add = [&](double other) {
    const std::int64_t middle = std::llround(std::sqrt(static_cast<double>(own) * other));
    const auto near = [&](std::int64_t count) { return doublings(count, std::max<std::int64_t>(middle, 1)); };
    const auto count = std::ranges::min_element(admitted, {}, near);
    const auto known = [&](std::int64_t other_count) {
      return doublings(*count, other_count) < min_doublings - 1e-9;
    };
    if (count == admitted.end() || known(own) || std::ranges::any_of(measured, known)) return;
    counts.push_back(*count);
  };
  const auto below = std::ranges::lower_bound(measured, own);
  const auto above = std::ranges::upper_bound(measured, own);
  add(below == measured.begin() ? static_cast<double>(own) / 4 : static_cast<double>(*std::prev(below)));
  add(above == measured.end() ? static_cast<double>(own) * 4 : static_cast<double>(*above));
  return counts;
}

class RunFinder {
 public:
  RunFinder(const Planner& planner, const Solution& solution, std::int64_t total)
      : planner_(planner), solution_(solution), total_(total) {}

  NextRuns find(std::size_t max_runs) {
    weigh_counts();
    if (max_runs > 0) result_.runs.push_back(layout_run());
    const bool is_sequential = planner_.problem().coupler != Coupler::oasis;
    for (std::size_t number = 0; result_.runs.size() < max_runs && any_left(number); ++number)
      result_.runs.push_back(is_sequential ? sequential_run(number) : concurrent_run(number));
    return std::move(result_);
  }

 private:
  void weigh_counts() {
    const std::vector<ComponentModel> models = planner_.models(total_);
    const ComponentCosts slacks = slack(planner_.layout().expression, costs(solution_));
    for (const CostTable& table : planner_.layout_problem(total_).tables) {
      const Place& place = *solution_.find(table.component);
      const Uncertainty uncertainty(*planner_.problem().find(place.component), place.threads,
                                    *find_model(models, place.component, place.threads));
      const auto weigh = [&](std::int64_t tasks) {
        const double felt = uncertainty.share(tasks) * place.cost - slacks.at(place.component);
        return WorthMeasuring{place.component, tasks, place.threads, felt * (1 + planner_.layout().overhead),
                              uncertainty.reason(tasks)};
      };
      keep(weigh(place.tasks));
      std::vector<WorthMeasuring>& nearby = nearby_[place.component];
      for (const std::int64_t tasks :
           counts_nearby(place.tasks, uncertainty.measured(), admitted_counts(table, place.threads)))
        if (keep(weigh(tasks))) nearby.push_back(result_.counts.back());
      std::ranges::stable_sort(nearby, std::ranges::greater{}, &WorthMeasuring::doubt);
    }
    std::ranges::stable_sort(result_.counts, std::ranges::greater{}, &WorthMeasuring::doubt);
  }

  bool keep(WorthMeasuring count) {
    if (count.doubt <= 0 || count.doubt < min_share_of_time * solution_.time) return false;
    result_.counts.push_back(std::move(count));
    return true;
  }

  bool any_left(std::size_t number) const {
    return std::ranges::any_of(nearby_, [&](const auto& entry) { return entry.second.size() > number; });
  }

  PesEntry layout_run() const {
    PesEntry entry = to_pes(planner_.problem(), solution_, fmt::format("best_{}", total_));
    entry.comment = fmt::format("{}: {}", to_string(planner_.layout().expression), entry.comment);
    return entry;
  }

  PesEntry sequential_run(std::size_t number) const {
    Solution run = solution_;
    for (Place& place : run.places) {
      place.root = solution_.partitions.empty() ? 0 : first_processor(solution_.partitions, place.partition);
      if (const auto tasks = recommended(place, number)) set_tasks(place, *tasks);
    }
    PesEntry entry = to_pes(planner_.problem(), run, fmt::format("sequence_{}_{}", total_, number + 1));
    entry.comment = "all components in sequence, with recommended task counts";
    return entry;
  }

  /// Makes a run in which all components are concurrent. They keep their counts if the recommended ones do
  /// not fit on the total.
  PesEntry concurrent_run(std::size_t number) const {
    Solution run = solution_;
    std::int64_t spare = total_ - solution_.processors;
    std::int64_t root = 0;
    for (Place& place : run.places) {
      const std::int64_t before = place.processors;
      const std::int64_t per_task = before / place.tasks;
      if (const auto tasks = recommended(place, number); tasks && *tasks * per_task - before <= spare)
        set_tasks(place, *tasks);
      spare -= place.processors - before;
      place.root = root;
      root += place.processors;
    }
    PesEntry entry = to_pes(planner_.problem(), run, fmt::format("counts_{}_{}", total_, number + 1));
    entry.comment = "all components concurrently, with recommended task counts";
    return entry;
  }

  /// Returns the recommended task count number k of a component; empty if it has fewer.
  std::optional<std::int64_t> recommended(const Place& place, std::size_t k) const {
    const std::vector<WorthMeasuring>& counts = nearby_.at(place.component);
    return k < counts.size() ? std::optional(counts[k].tasks) : std::nullopt;
  }

  static void set_tasks(Place& place, std::int64_t tasks) {
    place.processors = place.processors / place.tasks * tasks;
    place.tasks = tasks;
  }

  const Planner& planner_;
  const Solution& solution_;
  std::int64_t total_;
  std::map<std::string, std::vector<WorthMeasuring>> nearby_;  // candidates except counts of the solution
  NextRuns result_;
};

}  // namespace

NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t max_runs) {
  return RunFinder(planner, solution, total).find(max_runs);
}

}  // namespace plimsoll::pelayout
