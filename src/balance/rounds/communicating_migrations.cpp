#include "balance/rounds/communicating_migrations.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "balance/limits/compare_scores.hpp"
#include "balance/rounds/rank_objects.hpp"
#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::int32_t no_rank = -1;

/// Object that may return, as its initial rank tells that of a neighbour.
struct ReturnCandidate {
  std::uint64_t neighbor = 0;
  std::uint64_t object = 0;
};

}  // namespace

CommunicatingMigrations::CommunicatingMigrations(RankRounds& rounds, const ScoreTerms& terms,
                                                 std::span<LocalRank> ranks)
    : rounds_(rounds),
      ranks_(ranks),
      ends_(rounds, ranks, terms.per_message),
      finish_(rounds, ranks),
      values_(ranks.size()),
      last_ranks_(ranks.size(), no_rank) {
  // No placement finishes before the lower bound that is part of the score, so that it does not change the
  // order of scores.
  target_ = terms.tolerance * average_finish(rounds, ranks) * (1 - rounding_error);
  ends_.update();
  const double n_objects = sum_over(rounds, ranks, [](const LocalRank& rank) {
    return static_cast<double>(rank.objects.size() + rank.n_staying);
  });
  migration_cost_ = 2 * terms.per_migration * sum_of_costs(&EdgeCosts::all) / n_objects;
}

double CommunicatingMigrations::sum_of_costs(double EdgeCosts::*part) {
  for (std::size_t local = 0; local < values_.size(); ++local)
    values_[local] = ends_.costs(static_cast<std::int32_t>(local)).*part;
  return scaled_sum(rounds_, values_);
}

std::weak_ordering CommunicatingMigrations::compare_with_start() {
  const double before = finish_.maximum_before();
  const double after = finish_.maximum();
  const auto excess_of = [&](double finish) { return std::max(0.0, finish - target_); };
  // The first term decides even if the difference is a rounding error, because it has priority.
  if (excess_of(after) > excess_of(before)) return std::weak_ordering::greater;
  if (excess_of(after) < excess_of(before) && after < before * (1 - rounding_error))
    return std::weak_ordering::less;
  for (std::size_t local = 0; local < values_.size(); ++local)
    values_[local] = static_cast<double>(away(static_cast<std::int32_t>(local)).size());
  const double cost_of_moves = migration_cost_ * rounds_.sum(values_);
  const double bytes_before = sum_of_costs(&EdgeCosts::off_rank_before);
  return compare_rounded(sum_of_costs(&EdgeCosts::off_rank) + cost_of_moves, bytes_before, bytes_before);
}

/// In each pass, ranks announce which objects they would take back, so that of two neighbours with different
/// initial ranks only that with the lower number returns.
void CommunicatingMigrations::take_back_needless() {
  std::vector<Objects> candidates(ranks_.size());
  for (int pass = 0; pass < max_return_passes; ++pass) {
    find_last_rank();
    rounds_.run([&](std::int32_t local, Inbox last, Outbox& outbox) {
      last_ranks_[at(local)] = last.empty() ? no_rank : last.front().sender;
      candidates[at(local)] = returnable(local, away(local));
      announce(local, candidates[at(local)], outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox announced, Outbox& outbox) {
      const Objects objects = without_conflicts(local, std::move(candidates[at(local)]), announced);
      std::vector<ReturnedObject> returned = take_back(local, returnable(local, objects));
      values_[at(local)] = static_cast<double>(returned.size());
      finish_.take_back(local, std::move(returned), outbox);
    });
    if (rounds_.maximum(values_) == 0) break;
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) { finish_.give_back(local, received); });
    ends_.update();
  }
}

/// If one rank finishes later than all others and the target, lets it tell the ranks whose objects it has.
void CommunicatingMigrations::find_last_rank() {
  last_ = std::max(target_, finish_.maximum());
  if (last_ <= target_) return;
  const auto is_last = [&](std::int32_t local) { return finish_[local] >= last_ * (1 - rounding_error); };
  for (std::size_t local = 0; local < values_.size(); ++local)
    values_[local] = is_last(static_cast<std::int32_t>(local)) ? 1 : 0;
  if (rounds_.sum(values_) > 1) return;
  rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    if (is_last(local)) outbox.send(finish_.origins(local), std::span<const double>(&last_, 1));
  });
}

/// Returns the objects that leave a rank, the lightest first.
CommunicatingMigrations::Objects CommunicatingMigrations::away(std::int32_t local) const {
  const std::vector<LocalObject>& objects = ranks_[at(local)].objects;
  Objects away;
  for (std::uint32_t object = 0; object < objects.size(); ++object)
    if (objects[object].new_rank != number_of(local)) away.push_back(object);
  std::ranges::stable_sort(away, {}, [&](std::uint32_t object) { return objects[object].load; });
  return away;
}

/// Returns the candidates that may return one after the other: those that save communication, and one that
/// relieves the last rank.
CommunicatingMigrations::Objects CommunicatingMigrations::returnable(std::int32_t local,
                                                                     const Objects& candidates) {
  LocalRank& rank = ranks_[at(local)];
  Objects result;
  if (!rank.available) return result;
  double finish = finish_[local];
  bool relieves = false;
  std::vector<std::int32_t> new_ranks;
  for (const std::uint32_t position : candidates) {
    LocalObject& object = rank.objects[position];
    const double finish_with = finish + object.load / rank.speed;
    const bool fits = finish_with <= last_ * (1 + rounding_error);
    const bool may_relieve = !relieves && object.new_rank == last_ranks_[at(local)] &&
                             finish_with < last_ * (1 - rounding_error) && object.load > 0;
    if (!may_relieve && !(fits && saves_by_return(local, position))) continue;
    finish = finish_with;
    relieves = relieves || may_relieve;
    result.push_back(position);
    new_ranks.push_back(std::exchange(object.new_rank, number_of(local)));
  }
  for (std::size_t k = 0; k < result.size(); ++k) rank.objects[result[k]].new_rank = new_ranks[k];
  return result;
}

/// Returns whether the return of an object saves as much communication as it costs.
bool CommunicatingMigrations::saves_by_return(std::int32_t local, std::uint32_t object) const {
  const LocalRank& rank = ranks_[at(local)];
  const std::int32_t new_rank = rank.objects[object].new_rank;
  double saved = migration_cost_;
  double lost = 0;
  for (const LocalEdge& edge : rank.edges_of(object)) {
    const bool is_neighbor_here = !edge.stays && edge.rank == number_of(local);
    const std::int32_t end =
        is_neighbor_here ? rank.objects[rank.find(edge.neighbor)].new_rank : ends_.rank_of(local, edge);
    if (end == number_of(local)) saved += ends_.cost(edge);
    if (end == new_rank) lost += ends_.cost(edge);
  }
  return lost <= saved * (1 + rounding_error);
}

void CommunicatingMigrations::announce(std::int32_t local, const Objects& candidates, Outbox& outbox) const {
  const LocalRank& rank = ranks_[at(local)];
  std::map<std::int32_t, std::vector<ReturnCandidate>> messages;
  for (const std::uint32_t object : candidates)
    for (const LocalEdge& edge : rank.edges_of(object))
      if (!edge.stays && edge.rank != number_of(local))
        messages[edge.rank].push_back({edge.neighbor, rank.objects[object].number});
  for (const auto& [receiver, message] : messages)
    outbox.send(receiver, std::span<const ReturnCandidate>(message));
}

CommunicatingMigrations::Objects CommunicatingMigrations::without_conflicts(std::int32_t local,
                                                                            Objects candidates,
                                                                            Inbox announced) const {
  const LocalRank& rank = ranks_[at(local)];
  std::vector<bool> yields(rank.objects.size());
  for (const RoundMessage& message : announced)
    for (const ReturnCandidate& other : message.items<ReturnCandidate>())
      if (other.object < other.neighbor) yields[rank.find(other.neighbor)] = true;
  std::erase_if(candidates, [&](std::uint32_t object) { return yields[object]; });
  return candidates;
}

std::vector<ReturnedObject> CommunicatingMigrations::take_back(std::int32_t local, const Objects& objects) {
  std::vector<ReturnedObject> returned;
  returned.reserve(objects.size());
  for (const std::uint32_t position : objects) {
    LocalObject& object = ranks_[at(local)].objects[position];
    returned.push_back({std::exchange(object.new_rank, number_of(local)), object.load});
  }
  return returned;
}

}  // namespace plimsoll::balance
