#include "balance/database/background_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/database/user_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// A running program uses the median of as many phases (RankMonitor), so that one disturbed phase does not
// count.
constexpr std::int64_t background_phases = 3;

/// Returns the background load in the attributes of the rank object, which cannot migrate.
double background_in(const lbdata::PhaseRecord& record, std::size_t rank, const lbdata::EntityTable& entities,
                     support::JsonParser& parser) {
  constexpr std::string_view name = "background_load";
  const lbdata::TextColumn& attributes = record.tasks.attributes;
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    if (is_migratable(entities, record.tasks.entity[attributes.row(k)])) continue;
    if (attributes.text(k).find(name) == std::string_view::npos) continue;
    try {
      const auto load_s = size_member(user_data_object(parser, attributes.text(k)), name);
      if (load_s) return *load_s;
    } catch (const support::Error& error) {
      throw support::bad_input(fmt::format("attributes of task {} of rank {} in phase {}: {}",
                                           attributes.row(k), rank, record.id, error.what()));
    }
  }
  return 0;
}

}  // namespace

void read_background_loads(const lbdata::Dataset& dataset, std::int64_t phase, LDStats& stats) {
  support::JsonParser parser("");  // the error above names the task
  std::vector<double> loads_s;
  loads_s.reserve(background_phases);
  for (std::size_t rank = 0; rank < stats.procs.size(); ++rank) {
    loads_s.clear();
    for (std::int64_t back = 0; back < background_phases && back <= phase; ++back)
      if (const lbdata::PhaseRecord* record = dataset.ranks[rank].resolve(phase - back).record)
        loads_s.push_back(background_in(*record, rank, dataset.entities, parser));
    if (loads_s.empty()) continue;
    std::ranges::sort(loads_s);
    stats.procs[rank].bg_walltime = static_cast<LBRealType>(loads_s[(loads_s.size() - 1) / 2]);
  }
}

}  // namespace plimsoll::balance
