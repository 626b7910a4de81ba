#include <fmt/format.h>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/database/user_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

RecordedLoads::Phase loads_of_field(const lbdata::PhaseRecord& record, std::size_t rank,
                                    std::string_view field, support::JsonParser& parser) {
  const lbdata::Tasks& tasks = record.tasks;
  RecordedLoads::Phase loads{.time_s = {}, .subphase_time_s = tasks.subphase_time_s};
  loads.time_s.reserve(tasks.size());
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    const auto refuse = [&](const std::string& what) {
      return support::bad_input(
          fmt::format("task {} of rank {} in phase {}: {}", task, rank, record.id, what));
    };
    std::optional<double> load;
    try {
      load = size_in_user_data(tasks, task, field, parser);
    } catch (const support::Error& error) {
      throw refuse(error.what());
    }
    if (!load)
      throw refuse(fmt::format("no number {} in user_defined or attributes", support::in_quotes(field)));
    loads.time_s.push_back(*load);
    const double scale = tasks.time_s[task] > 0 ? *load / tasks.time_s[task] : 0;
    for (std::uint32_t row = tasks.subphase_begin(task); row < tasks.subphase_end[task]; ++row)
      loads.subphase_time_s[row] *= scale;
  }
  return loads;
}

void swap_loads(lbdata::Dataset& dataset, RecordedLoads& loads) {
  PLIMSOLL_EXPECT(loads.ranks.size() <= dataset.ranks.size());
  for (std::size_t rank = 0; rank < loads.ranks.size(); ++rank)
    for (std::size_t phase = 0; phase < loads.ranks[rank].size(); ++phase) {
      lbdata::Tasks& tasks = dataset.ranks[rank].phases[phase].tasks;
      PLIMSOLL_EXPECT(tasks.time_s.size() == loads.ranks[rank][phase].time_s.size());
      tasks.time_s.swap(loads.ranks[rank][phase].time_s);
      tasks.subphase_time_s.swap(loads.ranks[rank][phase].subphase_time_s);
    }
}

}  // namespace

RecordedLoads use_load_field(lbdata::Dataset& dataset, std::string_view field) {
  RecordedLoads loads;
  if (field.empty()) return loads;
  support::JsonParser parser("");  // loads_of_field() names the task
  for (std::size_t rank = 0; rank < dataset.ranks.size(); ++rank) {
    loads.ranks.emplace_back();
    for (const lbdata::PhaseRecord& record : dataset.ranks[rank].phases)
      loads.ranks.back().push_back(loads_of_field(record, rank, field, parser));
  }
  swap_loads(dataset, loads);
  return loads;
}

void restore_loads(lbdata::Dataset& dataset, RecordedLoads&& recorded) {
  swap_loads(dataset, recorded);
}

}  // namespace plimsoll::balance
