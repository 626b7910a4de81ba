#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::string ComposedModel::text(const LoadModel* bottom) const {
  if (base_.get() == bottom) return own_text();
  const std::string below = base_->text(bottom);
  const std::string own = own_text();
  const bool goes_without_saying =
      below == "NaivePersistence" || (below == "RawData" && own == "NaivePersistence");
  return goes_without_saying ? own : below + " | " + own;
}

LoadModelInfo RawData::info() {
  return {.name = "RawData", .help = "measured loads; must be first in a pipeline", .example = "RawData"};
}

double RawData::load_s(ObjectIndex object, PhaseOffset when) const {
  if (!when.is_past())
    throw support::usage_error("RawData does not predict future phases", "use NaivePersistence on top of it");
  return when.is_whole() ? history_->load_s(object, -when.phases)
                         : history_->subphase_load_s(object, -when.phases, when.subphase);
}

OffRankTraffic RawData::traffic(ObjectIndex object, PhaseOffset when) const {
  return history_->traffic(object, when.is_past() ? -when.phases : 1);
}

std::string RawData::text(const LoadModel*) const {
  return "RawData";
}

std::vector<double> next_phase_loads(const LoadModel& model) {
  std::vector<double> loads(model.n_objects());
  double sum_s = 0;
  for (ObjectIndex object = 0; object < loads.size(); ++object) {
    const double load_s = model.load_s(object, {});
    // Negate the comparison so that NaN reaches the sum.
    loads[object] = !(load_s < 0) ? load_s : 0;
    sum_s += loads[object];
  }
  if (!std::isfinite(sum_s))
    throw support::usage_error(
        fmt::format("the sum of the loads that {} predicts is not finite", model.text()),
        "use smaller weights or fewer phases");
  return loads;
}

void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model) {
  using Traffic = LoadHistory::Traffic;
  const LoadHistory history = dataset_history(dataset, phase.phase, model.past_phases_needed(),
                                              model.needs_traffic() ? Traffic::count : Traffic::ignore);
  model.use(history);
  const std::vector<double> loads = next_phase_loads(model);
  LDStats& stats = phase.stats;
  for (ProcStats& proc : stats.procs) proc.total_walltime = 0;
  for (std::size_t object = 0; object < loads.size(); ++object) {
    stats.obj_data[object].walltime = static_cast<LBRealType>(loads[object]);
    stats.procs[static_cast<std::size_t>(stats.from_proc[object])].total_walltime +=
        stats.obj_data[object].walltime;
  }
}

}  // namespace plimsoll::balance
