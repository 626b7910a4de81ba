#include "balance/strategies/diffusion_lb/diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "balance/search/loads.hpp"
#include "balance/strategies/diffusion_lb/departures.hpp"
#include "balance/strategies/diffusion_lb/load_flow.hpp"
#include "balance/strategies/diffusion_lb/local_objects.hpp"
#include "balance/strategies/diffusion_lb/rank_links.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Maximum number of transfers per flow: objects reach ranks at this distance.
constexpr std::int32_t max_transfers = 100;
/// Number of transfers without a migration after which single objects do not flow any more.
constexpr std::int32_t max_transfers_without_move = 8;
/// Maximum number of transfers that correct the rounding to whole objects.
constexpr std::int32_t max_corrections = 16;
/// Maximum number of transfers that reduce communication at the end, half of them to lower ranks.
constexpr std::int32_t max_savings = 16;
/// Part of the way from the average to the target up to which flows fill a rank. The rest is for the rounding
/// to whole objects.
constexpr double fill_share = 0.97;
/// Excess of an unavailable rank whose objects have no load, relative to the average.
constexpr double excess_without_load = 1e-3;

class Diffusion {
 public:
  Diffusion(RankRounds& rounds, const DiffusionOptions& options, std::span<DiffusionRank> ranks)
      : rounds_(rounds), options_(options), ranks_(ranks), values_(ranks.size()), links_(ranks.size()) {
    average_ = average_finish(rounds, ranks);
    migration_cost_ = options.migration_cost * mean_communication();
    objects_.reserve(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      objects_.emplace_back(rounds_.first_local_rank() + static_cast<std::int32_t>(i), ranks_[i].objects);
  }

  void run() {
    double finish = max_finish();
    for (std::int32_t pass = 0; pass < options_.passes && finish > options_.target * average_; ++pass) {
      remember_ranks();
      if (!compute_flows()) break;
      realise_flows();
      complete_flows();
      correct_rounding();
      const double new_finish = max_finish();
      if (new_finish >= finish) {
        return_objects();
        break;
      }
      finish = new_finish;
    }
    if (finish < std::numeric_limits<double>::infinity())
      save_communication(std::max(finish, options_.target * average_));
  }

 private:
  void remember_ranks() {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      for (DiffusionObject& object : ranks_[i].objects) object.last_rank = objects_[i].self();
  }

  /// Moves objects to where they were at remember_ranks().
  void return_objects() {
    move_objects([&](std::size_t local, Inbox) {
      std::vector<std::int32_t> ranks;
      ranks.reserve(ranks_[local].objects.size());
      for (const DiffusionObject& object : ranks_[local].objects) ranks.push_back(object.last_rank);
      return ranks;
    });
  }

  double sum(const std::function<double(const DiffusionRank&)>& value) {
    return sum_over(rounds_, ranks_, value);
  }

  double mean_communication() {
    const double n_objects =
        sum([](const DiffusionRank& rank) { return static_cast<double>(rank.objects.size()); });
    const double bytes = sum([](const DiffusionRank& rank) {
      double bytes_of_rank = 0;
      for (const DiffusionObject& object : rank.objects)
        for (const DiffusionEdge& edge : object.edges)
          bytes_of_rank += edge.stays ? edge.bytes : edge.bytes / 2;
      return bytes_of_rank;
    });
    return n_objects > 0 ? bytes / n_objects : 0;
  }

  double max_finish() { return maximum_over(rounds_, ranks_, &DiffusionRank::finish); }

  /// Lets ranks that finish after the target get rid of their excess, and the others take equal shares of
  /// their free time. Returns whether load is to flow.
  bool compute_flows() {
    const double unit = average_ > 0 ? average_ : 1;
    const double level = unit * (1 + fill_share * (options_.target - 1));
    const auto excess = [&](const DiffusionRank& rank) {
      const double load = rank.load();
      if (!rank.available && !rank.objects.empty()) return std::max(load, excess_without_load * unit);
      return std::max(0.0, load - rank.capacity(level));
    };
    const auto room = [&](const DiffusionRank& rank) {
      return std::max(0.0, rank.capacity(level) - rank.load());
    };
    const double all_excess = sum(excess);
    const double all_room = sum(room);
    if (all_excess <= 0 || all_room <= 0) return false;

    links_ = link_ranks(rounds_, options_.max_neighbors, ranks_);
    std::vector<double> excesses(ranks_.size());
    target_loads_.resize(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const double surplus = excess(ranks_[i]) - all_excess / all_room * room(ranks_[i]);
      target_loads_[i] = ranks_[i].load() - surplus;
      excesses[i] = surplus;
      values_[i] = std::abs(surplus);
    }
    const double largest = rounds_.maximum(values_);
    for (double& each : excesses) each /= largest;
    set_flows(rounds_, excesses, links_);
    for (std::vector<RankLink>& links : links_)
      for (RankLink& link : links) {
        link.flow *= largest;
        link.is_outlet = link.flow > 0;
      }
    return true;
  }

  /// Ranks first pass on what exceeds their target loads: objects that cross a rank leave before its own.
  void realise_flows() {
    std::vector<std::int32_t> outlets(ranks_.size());  // where all objects of an unavailable rank go
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (!ranks_[i].available && !links_[i].empty())
        outlets[i] = std::ranges::max_element(links_[i], {}, &RankLink::flow)->rank;
    bool moved = true;
    for (std::int32_t transfer = 0; transfer < max_transfers && moved; ++transfer) {
      moved = move_objects([&](std::size_t local, Inbox) {
        const LocalObjects& objects = objects_[local];
        if (!ranks_[local].available)
          return std::vector<std::int32_t>(objects.objects().size(), outlets[local]);
        return choose_departures(objects, {surplus_of(local), migration_cost_}, links_[local]);
      });
    }
  }

  /// Realises flows that are small along each link, but not all together, by single objects. A rank with too
  /// much load asks a rank to which load was to flow; after a refusal, it asks the next. That rank agrees if
  /// it can pass load on and has not too much, or if the load brings it closer to its target.
  void complete_flows() {
    std::vector<std::size_t> refusals(ranks_.size());
    std::int32_t without_move = 0;
    for (std::int32_t transfer = 0; transfer < max_transfers && without_move < max_transfers_without_move;
         ++transfer) {
      rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
        const double surplus = surplus_of(at(local));
        const RankLink* const outlet = outlet_of(at(local), refusals[at(local)]);
        if (outlet != nullptr && surplus > rounding_error * ranks_[at(local)].load())
          outbox.send(outlet->rank, std::span<const double>(&surplus, 1));
      });
      rounds_.run([&](std::int32_t local, Inbox surpluses, Outbox& outbox) {
        const double missing = -surplus_of(at(local));
        const bool passes_on = outlet_of(at(local), 0) != nullptr;
        if (surpluses.empty() || !ranks_[at(local)].available) return;
        if (missing < 0 || (missing == 0 && !passes_on)) return;
        const double max_load = passes_on ? std::numeric_limits<double>::infinity() : 2 * missing;
        outbox.send(sender_of_largest(surpluses), std::span<const double>(&max_load, 1));
      });
      const bool moved = move_objects([&](std::size_t local, Inbox max_loads) {
        const double max_load =
            max_loads.empty() ? 0 : std::min(max_loads[0].items<double>().front(), 2 * surplus_of(local));
        RankLink* const outlet = outlet_of(local, refusals[local]);
        std::vector<RankLink> links;
        if (max_load > 0) links.push_back({outlet->rank, 1, max_load});
        const double one_object = std::numeric_limits<double>::min();
        std::vector<std::int32_t> ranks =
            choose_departures(objects_[local], {one_object, migration_cost_, true}, links);
        const double sent = links.empty() ? 0 : max_load - links[0].flow;
        if (sent > 0) outlet->flow -= sent;
        refusals[local] = sent > 0 ? 0 : refusals[local] + 1;
        return ranks;
      });
      without_move = moved ? 0 : without_move + 1;
    }
  }

  /// Returns the load above the target of the flows.
  double surplus_of(std::size_t local) const { return ranks_[local].load() - target_loads_[local]; }

  /// Returns a link along which load was to flow from a rank: number 0 is that with the largest flow that
  /// remains, and numbers start again after the last. Null if it has none.
  RankLink* outlet_of(std::size_t local, std::size_t number) {
    std::vector<RankLink*> outlets;
    outlets.reserve(links_[local].size());
    for (RankLink& link : links_[local])
      if (link.is_outlet) outlets.push_back(&link);
    if (outlets.empty()) return nullptr;
    std::ranges::stable_sort(outlets, std::greater<>(), [](const RankLink* link) { return link->flow; });
    return outlets[number % outlets.size()];
  }

  static std::int32_t sender_of_largest(Inbox numbers) {
    return std::ranges::max_element(numbers, {},
                                    [](const RoundMessage& number) { return number.items<double>().front(); })
        ->sender;
  }

  /// Ranks that still finish after the target ask those at their links for room. Each of these grants its
  /// room to the rank with the largest excess.
  void correct_rounding() {
    const double finish = options_.target * average_;
    bool moved = true;
    for (std::int32_t transfer = 0; transfer < max_corrections && moved; ++transfer) {
      rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
        const double excess = ranks_[at(local)].load() - ranks_[at(local)].capacity(finish);
        if (excess > rounding_error * ranks_[at(local)].load()) send_to_links(excess, local, outbox);
      });
      rounds_.run([&](std::int32_t local, Inbox excesses, Outbox& outbox) {
        if (excesses.empty()) return;
        const double room = ranks_[at(local)].capacity(finish) - ranks_[at(local)].load();
        if (room > 0) outbox.send(sender_of_largest(excesses), std::span<const double>(&room, 1));
      });
      moved = move_objects([&](std::size_t local, Inbox rooms) {
        for (RankLink& link : links_[local]) link.flow = 0;
        for (const RoundMessage& room : rooms)
          std::ranges::lower_bound(links_[local], room.sender, {}, &RankLink::rank)->flow =
              room.items<double>().front();
        const double excess = ranks_[local].load() - ranks_[local].capacity(finish);
        return choose_departures(objects_[local], {excess, migration_cost_, true}, links_[local]);
      });
    }
  }

  void send_to_links(double value, std::int32_t local, Outbox& outbox) const {
    for (const RankLink& link : links_[at(local)]) outbox.send(link.rank, std::span<const double>(&value, 1));
  }

  /// Moves objects to ranks with which they communicate more than with their own one, as far as these still
  /// finish by `finish`. Alternates between higher and lower ranks, so that no two objects swap in vain.
  void save_communication(double finish) {
    links_ = link_ranks(rounds_, options_.max_neighbors, ranks_);
    std::int32_t without_move = 0;
    for (std::int32_t transfer = 0; transfer < max_savings && without_move < 2; ++transfer) {
      rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
        const DiffusionRank& rank = ranks_[at(local)];
        const double room = std::max(0.0, rank.capacity(finish) - ranks_[at(local)].load());
        const double share = room / static_cast<double>(std::max<std::size_t>(1, links_[at(local)].size()));
        send_to_links(share, local, outbox);
      });
      const bool moved = move_objects([&](std::size_t local, Inbox rooms) {
        const bool upwards = transfer % 2 == 0;
        for (std::size_t i = 0; i < rooms.size(); ++i) {
          RankLink& link = links_[local][i];
          link.flow = (link.rank > objects_[local].self()) == upwards ? rooms[i].items<double>().front() : 0;
        }
        const double all = std::numeric_limits<double>::infinity();
        return choose_departures(objects_[local], {all, migration_cost_, true, true}, links_[local]);
      });
      without_move = moved ? 0 : without_move + 1;
    }
  }

  /// Moves objects to the ranks that `choose` returns for those of a local rank. Returns whether any moves.
  bool move_objects(
      const std::function<std::vector<std::int32_t>(std::size_t local, Inbox received)>& choose) {
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      const std::vector<std::int32_t> ranks = choose(at(local), received);
      values_[at(local)] = static_cast<double>(objects_[at(local)].send(ranks, outbox));
    });
    if (rounds_.maximum(values_) <= 0) return false;
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      objects_[at(local)].welcome(received, outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      objects_[at(local)].forward(received, outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox&) { objects_[at(local)].learn(received); });
    return true;
  }

  RankRounds& rounds_;
  const DiffusionOptions& options_;
  std::span<DiffusionRank> ranks_;
  std::vector<double> values_;                // a value of each local rank, for sums and maxima
  std::vector<std::vector<RankLink>> links_;  // of each local rank
  std::vector<LocalObjects> objects_;         // of each local rank
  std::vector<double> target_loads_;          // of each local rank after the flows
  double average_ = 0;
  double migration_cost_ = 0;
};

}  // namespace

void balance_by_diffusion(RankRounds& rounds, const DiffusionOptions& options,
                          std::span<DiffusionRank> ranks) {
  Diffusion(rounds, options, ranks).run();
}

}  // namespace plimsoll::balance
