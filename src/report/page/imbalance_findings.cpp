#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/report/html_page.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

using balance::DatasetOverview;
using balance::PhaseOverview;
using support::format_bytes;
using support::format_count;
using support::format_fixed;
using support::format_percentage;
using support::format_seconds;

constexpr double even_imbalance = 0.05;

/// Objects of one rank that together exceed what other ranks carry.
struct HeavyObjects {
  std::size_t n_objects = 0;  ///< of the rank
  std::size_t n_heavy = 0;    ///< the heaviest of them, which explain the excess
  bool can_migrate = false;   ///< whether any of these can
};

/// Finds the fewest objects of a rank without which its load does not exceed the mean.
HeavyObjects heavy_objects(const balance::LDStats& stats, std::int32_t rank, double excess_s) {
  std::vector<const balance::LDObjData*> objects;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.from_proc[object] == rank) objects.push_back(&stats.obj_data[object]);
  std::ranges::sort(objects, std::ranges::greater{}, &balance::LDObjData::walltime);
  HeavyObjects heavy{.n_objects = objects.size()};
  double removed_s = 0;
  for (const balance::LDObjData* object : objects) {
    if (removed_s >= excess_s) break;
    removed_s += static_cast<double>(object->walltime);
    ++heavy.n_heavy;
    heavy.can_migrate = heavy.can_migrate || object->migratable;
  }
  return heavy;
}

std::string cause(const HeavyObjects& heavy) {
  const char* plural = heavy.n_heavy == 1 ? "" : "s";
  const std::string number = heavy.n_heavy == 1 ? "one" : format_count(heavy.n_heavy);
  if (!heavy.can_migrate) return fmt::format("because of {} object{} that cannot migrate", number, plural);
  constexpr std::size_t few = 5;
  if (heavy.n_heavy <= few && heavy.n_heavy < heavy.n_objects)
    return fmt::format("because of {} heavy object{} among {}", number, plural,
                       format_count(heavy.n_objects));
  if (heavy.n_objects == 1) return "with a single object";
  return fmt::format("with its {} objects", format_count(heavy.n_objects));
}

std::string heaviest_rank(const lbdata::Dataset& dataset, const PhaseOverview& phase) {
  const balance::LDStats stats = balance::load_phase(dataset, phase.phase, {.loads_only = true}).stats;
  const std::vector<double> loads_s = balance::finish_times(stats, stats.from_proc);
  const auto heaviest = std::ranges::max_element(loads_s);
  const auto rank = static_cast<std::int32_t>(heaviest - loads_s.begin());
  const HeavyObjects heavy = heavy_objects(stats, rank, *heaviest - phase.quality.mean_time_s);
  return fmt::format("Rank {} carries {} times the mean load in phase {}, {}.", rank,
                     format_fixed(*heaviest / phase.quality.mean_time_s, 1), phase.phase, cause(heavy));
}

/// Returns why a phase loses time: its heaviest rank, or waits after its subphases.
std::string delay(const lbdata::Dataset& dataset, const DatasetOverview& overview,
                  const PhaseOverview& phase) {
  if (!overview.synchronised || !phase.depends_on_synchronisation()) return heaviest_rank(dataset, phase);
  return fmt::format(
      "Phase {} takes {} because its ranks wait for each other after each of {} subphases, and {} "
      "without these waits.",
      phase.phase, format_seconds(phase.synchronised_time_s), phase.n_subphases,
      format_seconds(phase.free_time_s));
}

/// Returns what prevents an even distribution.
const char* obstacle(balance::BoundCause cause) {
  switch (cause) {
    case balance::BoundCause::mean: return "nothing";
    case balance::BoundCause::heaviest_object: return "the heaviest object";
    case balance::BoundCause::pair_of_objects: return "a pair of heavy objects that must share a rank";
    case balance::BoundCause::fixed_load: return "load that cannot migrate";
    case balance::BoundCause::load_unit: return "the size of the objects";
    case balance::BoundCause::subphases: return "the distribution of loads in single subphases";
  }
  return "";
}

struct Times {
  double max_s = 0;    ///< as recorded
  double mean_s = 0;   ///< with an even distribution
  double bound_s = 0;  ///< that no placement can beat
};

Times times_of(const DatasetOverview& overview) {
  Times times;
  for (const PhaseOverview& phase : overview.phases) {
    times.max_s += phase.quality.max_time_s;
    times.mean_s += phase.quality.mean_time_s;
    times.bound_s += std::min(phase.bound.time_s, phase.quality.max_time_s);
  }
  return times;
}

/// Returns what better placements could save in all phases together, and what limits them most.
std::string possible_gain(const DatasetOverview& overview) {
  constexpr double negligible = 0.001;
  const Times times = times_of(overview);
  const double gain = (times.max_s - times.bound_s) / times.max_s;
  std::string best =
      gain < negligible
          ? "No placement takes less time."
          : fmt::format("Better placements could take {} instead of {} ({} less).",
                        format_seconds(times.bound_s), format_seconds(times.max_s), format_percentage(gain));
  if (times.bound_s - times.mean_s < negligible * times.max_s) return best;
  const PhaseOverview& hardest = *std::ranges::max_element(
      overview.phases, {},
      [](const PhaseOverview& phase) { return phase.bound.time_s - phase.quality.mean_time_s; });
  return fmt::format("{} An even distribution would take {}; the main obstacle is {} in phase {}.", best,
                     format_seconds(times.mean_s), obstacle(hardest.bound.cause), hardest.phase);
}

/// Returns how the imbalance changes; empty unless it is highest in the first phase and lowest in the last,
/// or vice versa.
std::string trend(const DatasetOverview& overview) {
  const auto imbalance = [](const PhaseOverview& phase) { return phase.quality.imbalance; };
  const auto [lowest, highest] = std::ranges::minmax_element(overview.phases, {}, imbalance);
  const PhaseOverview& first = overview.phases.front();
  const PhaseOverview& last = overview.phases.back();
  const bool grows = &*lowest == &first && &*highest == &last;
  const bool falls = &*highest == &first && &*lowest == &last;
  constexpr double noticeable = 0.1;
  if (!(grows || falls) || !(imbalance(*highest) - imbalance(*lowest) > noticeable)) return "";
  return fmt::format("The imbalance {} from {} in phase {} to {} in phase {}.", grows ? "grows" : "falls",
                     format_fixed(imbalance(first), 2), first.phase, format_fixed(imbalance(last), 2),
                     last.phase);
}

std::string traffic(const DatasetOverview& overview) {
  const auto most = std::ranges::max_element(
      overview.phases, {}, [](const PhaseOverview& phase) { return phase.quality.off_rank_bytes; });
  if (!(most->quality.off_rank_bytes > 0)) return "No communication between ranks is recorded.";
  return fmt::format("Ranks exchange {} in {} messages in phase {}, the most of any phase.",
                     format_bytes(static_cast<std::uint64_t>(most->quality.off_rank_bytes)),
                     format_count(static_cast<std::uint64_t>(most->quality.off_rank_messages)), most->phase);
}

}  // namespace

std::vector<std::string> find_imbalance(const lbdata::Dataset& dataset, const DatasetOverview& overview) {
  const PhaseOverview* const longest = overview.worst_phase();
  if (longest == nullptr || !(longest->quality.max_time_s > 0)) return {"No loads are recorded."};
  const PhaseOverview& peak = *std::ranges::max_element(overview.phases, {}, [](const PhaseOverview& phase) {
    return phase.quality.max_time_s > 0 ? phase.quality.imbalance : 0;
  });
  if (!(peak.quality.imbalance > even_imbalance))
    return {fmt::format("The work is even: in no phase does a rank carry more than {} times the mean load.",
                        format_fixed(1 + peak.quality.imbalance, 2)),
            traffic(overview)};
  const PhaseOverview& worst = longest->quality.imbalance > even_imbalance ? *longest : peak;
  std::vector<std::string> findings = {delay(dataset, overview, worst), possible_gain(overview)};
  constexpr double noticeable = 0.1;
  std::string third;
  if (peak.quality.imbalance > worst.quality.imbalance + noticeable)
    third = delay(dataset, overview, peak);
  else
    third = trend(overview);
  findings.push_back(third.empty() ? traffic(overview) : third);
  return findings;
}

}  // namespace plimsoll::report
