#include "balance/strategies/tempered_lb/work_score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "balance/rounds/scaled_sum.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/object_messages.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Sends the objects to their new ranks. Collective.
void migrate(RankRounds& rounds, std::span<const LocalRank> ranks, std::span<WorkRank> work_ranks) {
  rounds.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    WorkRank& rank = work_ranks[at(local)];
    std::vector<WorkObject> kept;
    std::map<std::int32_t, std::vector<WorkObject>> leaving;
    for (WorkObject& object : rank.objects) {
      const std::int32_t to = ranks[at(local)].objects[object.position].new_rank;
      (to == rank.number ? kept : leaving[to]).push_back(std::move(object));
    }
    rank.objects = std::move(kept);
    for (const auto& [receiver, objects] : leaving) send_objects(objects, receiver, outbox);
  });
  rounds.run(
      [&](std::int32_t local, Inbox received, Outbox&) { add_objects(received, work_ranks[at(local)]); });
}

}  // namespace

void WorkScore::measure() {
  if (rules_.coefficients.weigh_traffic()) update_places(rounds_, ranks_);
  for (std::size_t i = 0; i < ranks_.size(); ++i) work_[i] = work_of(ranks_[i], rules_);
}

PairScore WorkScore::score() {
  measure();
  PairScore score;
  score.n_misplaced = std::llround(sum(
      [](const WorkRank& rank) { return rank.available ? 0 : static_cast<double>(rank.objects.size()); }));
  std::ranges::transform(work_, values_.begin(), [&](const RankWork& work) {
    return std::max(0.0, work.memory_bytes - rules_.limits.max_memory_bytes);
  });
  score.memory_excess = scaled_sum(rounds_, values_);
  std::ranges::transform(work_, values_.begin(), &RankWork::work);
  score.higher_work = rounds_.maximum(values_);
  return score;
}

double WorkScore::total_work() {
  std::ranges::transform(work_, values_.begin(), &RankWork::work);
  return scaled_sum(rounds_, values_);
}

double WorkScore::sum(const std::function<double(const WorkRank&)>& value) {
  std::ranges::transform(ranks_, values_.begin(), value);
  return scaled_sum(rounds_, values_);
}

double WorkScore::maximum(const std::function<double(const WorkRank&)>& value) {
  std::ranges::transform(ranks_, values_.begin(), value);
  return rounds_.maximum(values_);
}

bool work_increases(RankRounds& rounds, const WorkRules& rules, std::span<const LocalRank> ranks,
                    std::span<WorkRank> work_ranks) {
  WorkScore measured(rounds, rules, work_ranks);
  const PairScore before = measured.score();
  migrate(rounds, ranks, work_ranks);
  return before.is_better_than(measured.score());
}

}  // namespace plimsoll::balance
