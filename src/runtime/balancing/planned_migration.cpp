#include "runtime/balancing/planned_migration.hpp"

#include <chrono>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/mpi/packing.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "runtime/balancing/central_decision.hpp"

namespace plimsoll::inline v0_1::runtime {

namespace {

/// Tells a rank about an object that comes to it.
struct Notice {
  ObjectId object = ObjectId::none;
  double bytes = 0;
  double load_s = 0;
  double measured_load_s = 0;
};

/// Removes an object of each collection whose objects would all leave this rank.
void keep_last_elements(const RankStats& mine, std::vector<LeavingObject>& leaving) {
  if (mine.collections.empty()) return;
  std::unordered_map<std::uint64_t, std::size_t> remaining;
  for (const std::uint64_t collection : mine.collections) ++remaining[collection];
  std::erase_if(leaving, [&](const LeavingObject& object) {
    std::size_t& left = remaining[mine.collections[object.object]];
    if (left == 1) return true;
    --left;
    return false;
  });
}

/// Objects that leave ranks, and their bytes.
struct Volume {
  std::int64_t objects = 0;
  double bytes = 0;
};

void add_volume(Volume& left, const Volume& right) {
  left.objects += right.objects;
  left.bytes += right.bytes;
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double measured_load_s(const RankStats& stats, std::size_t object) {
  return stats.measured_s.empty() ? stats.loads_s[object] : stats.measured_s[object];
}

}  // namespace

PlannedMigration announce(const mpi::Communicator& communicator, const RankStats& mine,
                          std::vector<LeavingObject> leaving, const MigrationRules& rules) {
  PlannedMigration planned;
  LoadOutlook& outlook = planned.outlook;
  outlook.load_s = outlook.load_before_s = total(mine.loads_s);
  outlook.measured_load_s = outlook.measured_load_before_s =
      mine.measured_s.empty() ? outlook.load_s : total(mine.measured_s);
  Volume volume;
  std::vector<mpi::Parcel> outgoing;
  mpi::agreed(communicator, [&] {
    if (rules.keep_last_element) keep_last_elements(mine, leaving);
    planned.plan.exports.reserve(leaving.size());
    std::map<int, mpi::Packer> messages;
    for (const LeavingObject& object : leaving) {
      const Notice notice{mine.ids[object.object],
                          mine.memory.empty() ? 0 : mine.memory[object.object].migration_bytes(),
                          mine.loads_s[object.object], measured_load_s(mine, object.object)};
      planned.plan.exports.push_back({notice.object, communicator.rank(), object.to, notice.bytes});
      ++volume.objects;
      volume.bytes += notice.bytes;
      outlook.load_s -= notice.load_s;
      outlook.measured_load_s -= notice.measured_load_s;
      messages[object.to].value(notice);
    }
    for (auto& [rank, message] : messages) outgoing.push_back({rank, message.take()});
  });
  const std::vector<mpi::Parcel> incoming = mpi::exchange(communicator, std::move(outgoing));
  mpi::agreed(communicator, [&] {
    std::size_t bytes = 0;
    for (const mpi::Parcel& parcel : incoming) bytes += parcel.bytes.size();
    planned.plan.imports.reserve(bytes / sizeof(Notice));
    for (const mpi::Parcel& parcel : incoming) {
      mpi::Unpacker message(parcel.bytes);
      while (!message.at_end()) {
        const auto notice = message.value<Notice>();
        planned.plan.imports.push_back({notice.object, parcel.rank, communicator.rank(), notice.bytes});
        outlook.load_s += notice.load_s;
        outlook.measured_load_s += notice.measured_load_s;
      }
    }
  });
  const Volume all = communicator.all_reduce<&add_volume>(volume);
  planned.plan.moves = all.objects;
  outlook.bytes = all.bytes;
  return planned;
}

PlannedMigration plan_migration(const mpi::Communicator& communicator, const RankStats& mine,
                                balance::Strategy& strategy, const MigrationRules& rules) {
  CentralDecision decision = decide_centrally(communicator, mine, strategy);
  PlannedMigration planned = announce(communicator, mine, std::move(decision.leaving), rules);
  MigrationPlan& plan = planned.plan;
  plan.strategy = strategy.name();
  plan.max_time_before_s = decision.max_time_before_s;
  plan.max_time_after_s = decision.max_time_after_s;
  plan.mean_time_s = decision.mean_time_s;
  plan.remark = std::move(decision.remark);
  if (rules.keep_last_element) {  // some objects stay, so the strategy's prediction does not hold
    const double mine_s = planned.outlook.load_s / mine.proc.pe_speed + mine.proc.bg_walltime;
    plan.max_time_after_s =
        communicator.all_reduce<[](double& left, const double& right) { left = std::max(left, right); }>(
            mine_s);
  }
  if (decision.moves > 0 && plan.empty())
    plan.remark = "Only objects that are the last of their collection on their rank were to migrate.";
  return planned;
}

PlannedMigration timed_decision(const mpi::Communicator& communicator,
                                const std::function<PlannedMigration()>& decide) {
  const auto begin = std::chrono::steady_clock::now();
  PlannedMigration planned = decide();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  planned.plan.decision_s = communicator.max(elapsed.count());
  return planned;
}

}  // namespace plimsoll::runtime
