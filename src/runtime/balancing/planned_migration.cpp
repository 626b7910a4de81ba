#include "runtime/balancing/planned_migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Decision of a strategy that runs on one rank. Each rank knows what concerns its own objects.
struct CentralDecision {
  std::vector<LeavingObject> leaving;  ///< in ascending order of `object`

  // The same on all ranks.
  std::int64_t moves = 0;  ///< number of objects that leave any rank
  double max_time_before_s = 0;
  double max_time_after_s = 0;
  double mean_time_s = 0;
  std::string remark;  ///< first remark of the strategy, or why nothing migrates; may be empty
};

constexpr int root = 0;

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// Runs the strategy on the gathered stats and fills the members of the decision that all ranks share.
CentralDecision decide(balance::Strategy& strategy, balance::LDStats& stats) {
  strategy.work(stats);
  const std::vector<double> before = balance::finish_times(stats, stats.from_proc);
  const std::vector<double> after = balance::finish_times(stats, stats.to_proc);
  CentralDecision decision;
  decision.max_time_before_s = std::ranges::max(before);
  decision.max_time_after_s = std::ranges::max(after);
  decision.mean_time_s = mean(after);
  const std::vector<balance::Remark> remarks = balance::remarks_on(strategy, stats);
  if (!remarks.empty()) decision.remark = remarks.front().text;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    decision.moves += stats.to_proc[object] != stats.from_proc[object] ? 1 : 0;
  if (decision.moves == 0 && decision.remark.empty() && strategy.minimises_score())
    decision.remark = fmt::format("{} found no better placement.", strategy.name());
  return decision;
}

/// Packs what a rank needs to know: the shared members, and the objects that leave it.
std::vector<std::byte> message_to(const GatheredStats& gathered, int rank, const CentralDecision& shared) {
  const std::vector<LeavingObject> leaving = gathered.leaving(rank);
  mpi::Packer packer;
  packer.reserve(leaving.size() * sizeof(LeavingObject) + shared.remark.size() + 64);
  packer.value(shared.moves);
  packer.value(shared.max_time_before_s);
  packer.value(shared.max_time_after_s);
  packer.value(shared.mean_time_s);
  packer.text(shared.remark);
  packer.array(leaving);
  return packer.take();
}

CentralDecision unpack(std::span<const std::byte> message) {
  mpi::Unpacker unpacker(message);
  CentralDecision decision;
  decision.moves = unpacker.value<std::int64_t>();
  decision.max_time_before_s = unpacker.value<double>();
  decision.max_time_after_s = unpacker.value<double>();
  decision.mean_time_s = unpacker.value<double>();
  decision.remark = unpacker.text();
  decision.leaving = unpacker.array<LeavingObject>();
  return decision;
}

/// Gathers the stats of all ranks on rank 0, runs the strategy there, and tells each rank about its own
/// objects. Collective. `strategy` must be made from the same specification on all ranks. Only the columns
/// that it needs are sent. Throws on all ranks the Error that the strategy throws, and Error (usage) if the
/// stats lack a column that it needs. Cost on rank 0: 24 bytes per object, the columns that the strategy
/// needs, and the memory of the strategy.
CentralDecision decide_centrally(const mpi::Communicator& communicator, const RankStats& mine,
                                 balance::Strategy& strategy) {
  const std::int64_t objects = communicator.sum(static_cast<std::int64_t>(mine.loads_s.size()));
  GatheredStats gathered(strategy.needs());
  std::vector<std::byte> message;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) gathered.reserve(objects, communicator.size());
    message = pack(mine, strategy.needs());
  });
  mpi::agreed(communicator, [&] {
    mpi::gather(communicator, message, root,
                [&](int, std::span<const std::byte> bytes) { gathered.add_rank(bytes); });
  });
  message = {};
  CentralDecision shared;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) shared = decide(strategy, gathered.complete());
  });
  CentralDecision decision;
  mpi::agreed(communicator, [&] {
    decision = unpack(mpi::scatter(
        communicator, [&](int rank) { return message_to(gathered, rank, shared); }, root));
  });
  return decision;
}

/// Tells a rank about the objects that come to it from one other rank.
struct Notice {
  double load_s = 0;
  double measured_load_s = 0;
  std::vector<ObjectId> objects;
  std::vector<double> bytes;  ///< of each object; empty: unknown
};

/// The notices of a rank to all others.
class Notices {
 public:
  explicit Notices(int ranks) : number_of_rank_(static_cast<std::size_t>(ranks), none) {}

  Notice& to(int rank) {
    std::uint32_t& number = number_of_rank_[static_cast<std::size_t>(rank)];
    if (number == none) {
      number = static_cast<std::uint32_t>(notices_.size());
      ranks_.push_back(rank);
      notices_.emplace_back();
    }
    return notices_[number];
  }

  std::vector<mpi::Parcel> packed() const {
    std::vector<mpi::Parcel> parcels;
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      mpi::Packer message;
      message.value(notices_[k].load_s);
      message.value(notices_[k].measured_load_s);
      message.array(notices_[k].objects);
      message.array(notices_[k].bytes);
      parcels.push_back({ranks_[k], message.take()});
    }
    return parcels;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<std::uint32_t> number_of_rank_;
  std::vector<int> ranks_;
  std::vector<Notice> notices_;
};

Notice unpacked(std::span<const std::byte> bytes) {
  mpi::Unpacker message(bytes);
  Notice notice;
  notice.load_s = message.value<double>();
  notice.measured_load_s = message.value<double>();
  notice.objects = message.array<ObjectId>();
  notice.bytes = message.array<double>();
  return notice;
}

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
    Notices notices(communicator.size());
    for (const LeavingObject& object : leaving) {
      const ObjectId id = mine.ids[object.object];
      const double bytes = mine.memory.empty() ? 0 : mine.memory[object.object].migration_bytes();
      const double load_s = mine.loads_s[object.object];
      const double measured_s = measured_load_s(mine, object.object);
      planned.plan.exports.push_back({id, communicator.rank(), object.to, bytes});
      volume.bytes += bytes;
      outlook.load_s -= load_s;
      outlook.measured_load_s -= measured_s;
      Notice& notice = notices.to(object.to);
      notice.load_s += load_s;
      notice.measured_load_s += measured_s;
      notice.objects.push_back(id);
      if (!mine.memory.empty()) notice.bytes.push_back(bytes);
    }
    volume.objects = static_cast<std::int64_t>(leaving.size());
    outgoing = notices.packed();
  });
  const std::vector<mpi::Parcel> incoming = mpi::exchange(communicator, std::move(outgoing));
  mpi::agreed(communicator, [&] {
    std::size_t bytes = 0;
    for (const mpi::Parcel& parcel : incoming) bytes += parcel.bytes.size();
    planned.plan.imports.reserve(bytes / sizeof(ObjectId));
    for (const mpi::Parcel& parcel : incoming) {
      const Notice notice = unpacked(parcel.bytes);
      outlook.load_s += notice.load_s;
      outlook.measured_load_s += notice.measured_load_s;
      for (std::size_t k = 0; k < notice.objects.size(); ++k)
        planned.plan.imports.push_back({notice.objects[k], parcel.rank, communicator.rank(),
                                        notice.bytes.empty() ? 0 : notice.bytes[k]});
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
    plan.max_time_after_s = communicator.max(mine_s);
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
