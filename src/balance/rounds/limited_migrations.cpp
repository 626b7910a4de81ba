#include <algorithm>
#include <functional>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/rounds/needed_migrations.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// The time at which ranks finish is exact up to this power of 2, relative to the maximum.
constexpr int max_halvings = 24;
// Share of the permitted migrations with which the search ends.
constexpr double enough = 0.95;

/// Migrations of one rank, the heaviest first.
class RankMigrations {
 public:
  RankMigrations(LocalRank& rank, std::int32_t self) : self_(self) {
    double load = 0;
    for (LocalObject& object : rank.objects) {
      load += object.load;
      if (object.new_rank != self) away_.push_back(&object);
    }
    std::ranges::stable_sort(away_, std::greater<>(), [](const LocalObject* object) { return object->load; });
    finish_.push_back(rank.overhead + load / rank.speed);
    for (const LocalObject* const object : away_)
      finish_.push_back(finish_.back() - object->load / rank.speed);
  }

  double finish_before() const { return finish_.front(); }
  std::size_t count() const { return away_.size(); }
  /// Returns the number of migrations after which the rank finishes by a time, or of all.
  std::size_t count_for(double latest) const {
    const auto reached =
        std::ranges::partition_point(finish_, [&](double finish) { return finish > latest; });
    return std::min(static_cast<std::size_t>(reached - finish_.begin()), away_.size());
  }
  void keep(std::size_t count) {
    for (std::size_t k = count; k < away_.size(); ++k) away_[k]->new_rank = self_;
  }

 private:
  std::int32_t self_;
  std::vector<LocalObject*> away_;
  std::vector<double> finish_;  // after k migrations
};

}  // namespace

void limit_migrations(RankRounds& rounds, const ScoreTerms& terms, std::int64_t max_moves,
                      std::span<LocalRank> ranks) {
  std::vector<RankMigrations> migrations;
  migrations.reserve(ranks.size());
  for (std::size_t local = 0; local < ranks.size(); ++local)
    migrations.emplace_back(ranks[local], rounds.first_local_rank() + static_cast<std::int32_t>(local));
  std::vector<double> values(ranks.size());
  const auto count_for = [&](double latest) {
    std::ranges::transform(migrations, values.begin(), [&](const RankMigrations& of_rank) {
      return static_cast<double>(of_rank.count_for(latest));
    });
    return rounds.sum(values);
  };
  const auto most = static_cast<double>(max_moves);
  std::ranges::transform(migrations, values.begin(),
                         [](const RankMigrations& of_rank) { return static_cast<double>(of_rank.count()); });
  if (rounds.sum(values) <= most) return;
  std::ranges::transform(migrations, values.begin(), &RankMigrations::finish_before);
  double high = rounds.maximum(values);
  double low = 0;
  double count = 0;  // for `high`
  for (int halving = 0; halving < max_halvings && count < enough * most; ++halving) {
    const double middle = 0.5 * (low + high);
    const double middle_count = count_for(middle);
    (middle_count <= most ? high : low) = middle;
    if (middle_count <= most) count = middle_count;
  }
  for (RankMigrations& of_rank : migrations) of_rank.keep(of_rank.count_for(high));
  // Ranks may receive more than they now send, so that the part may be worse than no migration.
  if (are_harmful(rounds, terms, ranks)) keep_all_objects(rounds, ranks);
}

}  // namespace plimsoll::balance
