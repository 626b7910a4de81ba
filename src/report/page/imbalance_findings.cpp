#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/balance/finish_times.hpp>
#include <plimsoll/report/data_set_section.hpp>
#include <plimsoll/support/format.hpp>

namespace plimsoll::inline v0_1::report {

namespace {

using balance::DatasetOverview;
using balance::PhaseOverview;
using support::format_bytes;
using support::format_count;
using support::format_fixed;
using support::format_percentage;
using support::format_seconds;

/// Imbalance below which the work counts as even.
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

/// Returns what limits the time of the best placement.
const char* limit_of(balance::BoundCause cause) {
  switch (cause) {
    case balance::BoundCause::mean: return "an even distribution";
    case balance::BoundCause::heaviest_object: return "the heaviest object";
    case balance::BoundCause::pair_of_objects: return "two heavy objects that must share a rank";
    case balance::BoundCause::fixed_load: return "objects that cannot migrate";
    case balance::BoundCause::load_unit: return "an even distribution of whole objects";
  }
  return "";
}

std::string possible_gain(const DatasetOverview& overview) {
  double max_s = 0;
  double bound_s = 0;
  for (const PhaseOverview& phase : overview.phases) {
    max_s += phase.quality.max_time_s;
    bound_s += std::min(phase.bound.time_s, phase.quality.max_time_s);
  }
  const double gain = (max_s - bound_s) / max_s;
  const PhaseOverview& worst = *overview.worst_phase();
  const char* limit = limit_of(worst.bound.cause);
  constexpr double negligible = 0.001;
  if (gain < negligible) return fmt::format("No placement takes less time: the limit is {}.", limit);
  if (gain < even_imbalance)
    return fmt::format("A better placement saves at most {} of the time: the limit is {}.",
                       format_percentage(gain), limit);
  return fmt::format("A better placement could take {} instead of {} ({} less); the limit is {}.",
                     format_seconds(bound_s), format_seconds(max_s), format_percentage(gain), limit);
}

/// Returns how the imbalance changes from the first to the last phase; empty if it does not.
std::string trend(const DatasetOverview& overview) {
  if (overview.phases.size() < 2) return "";
  const PhaseOverview& first = overview.phases.front();
  const PhaseOverview& last = overview.phases.back();
  const double before = first.quality.imbalance;
  const double after = last.quality.imbalance;
  constexpr double noticeable = 0.1;
  if (!(std::abs(after - before) > noticeable)) return "";
  return fmt::format("The imbalance {} from {} in phase {} to {} in phase {}.",
                     after > before ? "grows" : "falls", format_fixed(before, 2), first.phase,
                     format_fixed(after, 2), last.phase);
}

std::string traffic(const DatasetOverview& overview) {
  const auto most = std::ranges::max_element(
      overview.phases, {}, [](const PhaseOverview& phase) { return phase.quality.off_rank_bytes; });
  if (!(most->quality.off_rank_bytes > 0)) return "No data are recorded between ranks.";
  return fmt::format("Ranks exchange {} in {} messages in phase {}, the most of any phase.",
                     format_bytes(static_cast<std::uint64_t>(most->quality.off_rank_bytes)),
                     format_count(static_cast<std::uint64_t>(most->quality.off_rank_messages)), most->phase);
}

}  // namespace

std::vector<std::string> find_imbalance(const lbdata::Dataset& dataset, const DatasetOverview& overview) {
  const PhaseOverview* const worst = overview.worst_phase();
  if (worst == nullptr || !(worst->quality.max_time_s > 0)) return {"No loads are recorded."};
  std::vector<std::string> findings;
  if (worst->quality.imbalance > even_imbalance) {
    findings.push_back(heaviest_rank(dataset, *worst));
    findings.push_back(possible_gain(overview));
  } else {
    findings.push_back(
        fmt::format("The work is even: in no phase does a rank carry more than {} times the mean load.",
                    format_fixed(1 + worst->quality.imbalance, 2)));
  }
  const std::string development = trend(overview);
  findings.push_back(development.empty() ? traffic(overview) : development);
  return findings;
}

}  // namespace plimsoll::report
