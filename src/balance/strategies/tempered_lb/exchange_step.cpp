#include "balance/strategies/tempered_lb/exchange_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

#include "balance/rounds/scaled_sum.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/tempered_lb/cluster_swaps.hpp"
#include "balance/strategies/tempered_lb/object_messages.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Clusters of a rank that may take part in a swap. The time of a swap grows with their square.
constexpr std::size_t max_swap_clusters = 64;
/// Ranks that a rank proposes swaps to in an iteration.
constexpr std::size_t max_swap_partners = 8;
/// Proposals that a rank considers in a step.
constexpr std::size_t max_swap_proposals = 4;

std::vector<bool> leaving(const std::vector<ObjectCluster>& clusters, std::span<const std::int32_t> parts,
                          std::size_t n_objects) {
  std::vector<bool> leaves(n_objects);
  for (const std::int32_t part : parts)
    for (const std::uint32_t object : clusters[at(part) - 1]) leaves[object] = true;
  return leaves;
}

/// Returns the cluster at which an offering begins. If proposals fail, every other one offers the next
/// clusters of the order, because none of the first ones may improve any placement.
std::ptrdiff_t first_cluster(std::size_t n_failures, std::size_t n_clusters) {
  const std::size_t n_skipped = n_failures % 2 == 0 ? 0 : (n_failures + 1) / 2 * max_swap_clusters;
  return static_cast<std::ptrdiff_t>(n_skipped % n_clusters);
}

/// Returns the ranks with which a rank communicates, those with most bytes first.
std::vector<std::int32_t> communicating_ranks(const WorkRank& rank) {
  std::map<std::int32_t, double> bytes;
  const auto add = [&](const std::vector<WorkEdge>& edges) {
    for (const WorkEdge& edge : edges)
      if (edge.rank != rank.number) bytes[edge.rank] += edge.sent + edge.received;
  };
  add(rank.fixed_edges);
  for (const WorkObject& object : rank.objects) add(object.edges);
  std::vector<std::int32_t> ranks;
  ranks.reserve(bytes.size());
  for (const auto& [other, of_rank] : bytes) ranks.push_back(other);
  std::ranges::stable_sort(ranks, std::greater<>(), [&](std::int32_t other) { return bytes[other]; });
  return ranks;
}

/// Returns up to `count` known ranks in random order: ranks with little work come early. Source: P.
/// Efraimidis, P. Spirakis, "Weighted random sampling with a reservoir" (2006).
std::vector<std::int32_t> random_known(std::span<const KnownRank> known, std::size_t count,
                                       RankRandom& random) {
  constexpr double smallest_weight = 0.01;
  std::vector<std::pair<double, std::int32_t>> keys;
  keys.reserve(known.size());
  for (const KnownRank& rank : known)
    keys.emplace_back(std::log(1 - random.uniform()) / std::max(smallest_weight, 1.0 - rank.finish),
                      rank.rank);
  std::ranges::sort(keys, std::greater<>());
  std::vector<std::int32_t> ranks;
  ranks.reserve(count);
  for (const auto& [key, rank] : keys | std::views::take(static_cast<std::ptrdiff_t>(count)))
    ranks.push_back(rank);
  return ranks;
}

/// Returns how much more one swap lowers the score of its ranks than another one.
bool lowers_more(const ClusterSwap& one, const ClusterSwap& other) {
  const auto gain = [](const ClusterSwap& swap) {
    return std::tuple(swap.before.n_misplaced - swap.after.n_misplaced,
                      swap.before.memory_excess - swap.after.memory_excess,
                      swap.before.higher_work - swap.after.higher_work);
  };
  return gain(one) > gain(other);
}

double approximate_work(const RankView& view) {
  double load = 0;
  for (const ViewPart& part : view.parts) load += part.load;
  return view.head.fixed_work + view.head.slope * load;
}

}  // namespace

ExchangeStep::ExchangeStep(RankRounds& rounds, const ExchangeOptions& options, std::span<WorkRank> ranks,
                           Gossip& gossip)
    : rounds_(rounds),
      options_(options),
      ranks_(ranks),
      gossip_(gossip),
      node_memory_(rounds, options.rules.limits.max_node_memory_bytes),
      states_(ranks.size()) {}

void ExchangeStep::limit_memory(std::span<const RankWork> work) {
  for (std::size_t i = 0; i < states_.size(); ++i)
    states_[i].allowed_bytes = std::max(options_.rules.limits.max_memory_bytes, work[i].memory_bytes);
}

void ExchangeStep::start(double average) {
  average_ = average;
  std::vector<double> loads(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    for (const WorkObject& object : ranks_[i].objects) loads[i] += object.load;
  mean_load_ = scaled_sum(rounds_, loads) / rounds_.ranks();
  gossip_.next_step();
  rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
    gossip_.receive(local, received);
    set_partners(local);
  });
}

/// Partners by their work and by communication alternate.
void ExchangeStep::set_partners(std::int32_t local) {
  RankRandom random = gossip_.random_of(local);
  const WorkRank& rank = ranks_[at(local)];
  RankState& state = states_[at(local)];
  const std::vector<std::int32_t> by_work = random_known(gossip_.known(local), max_swap_partners, random);
  state.communicating.clear();
  if (options_.rules.coefficients.weigh_traffic()) state.communicating = communicating_ranks(rank);
  state.partners.clear();
  for (std::size_t i = 0; i < max_swap_partners; ++i)
    for (const std::vector<std::int32_t>* const ranks : {&by_work, &std::as_const(state.communicating)}) {
      if (i >= ranks->size() || (*ranks)[i] == rank.number) continue;
      if (std::ranges::find(state.partners, (*ranks)[i]) == state.partners.end())
        state.partners.push_back((*ranks)[i]);
    }
  state.partners.resize(std::min(state.partners.size(), max_swap_partners));
  state.communicating.resize(std::min(state.communicating.size(), max_swap_partners));
  state.next_partner = 0;
}

ClusterKind ExchangeStep::kind() const {
  return options_.clusters[n_steps_ % options_.clusters.size()];
}

ExchangeStep::Offering ExchangeStep::offering_of(std::int32_t local) const {
  const WorkRank& rank = ranks_[at(local)];
  const RankState& state = states_[at(local)];
  const double slope = rank.alpha / rank.speed;
  std::vector<ObjectCluster> clusters = clusters_of(rank, kind(), max_cluster_load());
  if (clusters.size() > max_swap_clusters) {
    std::vector<RankObject> order;
    order.reserve(clusters.size());
    double load = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      order.push_back({0, i});
      for (const std::uint32_t object : clusters[i]) order.back().load += rank.objects[object].load;
      load += order.back().load;
    }
    const double work = rank.alpha * rank.overhead + slope * load;
    sort_objects(order, options_.order, slope > 0 ? std::max(0.0, (work - average_) / slope) : 0);
    std::ranges::rotate(order, order.begin() + first_cluster(state.n_failures, order.size()));
    std::vector<ObjectCluster> first;
    first.reserve(max_swap_clusters);
    for (const RankObject& cluster : std::span(order).first(max_swap_clusters))
      first.push_back(std::move(clusters[cluster.id]));
    clusters = std::move(first);
  }
  RankView view =
      view_of(rank, clusters,
              {.rank = rank.number,
               .is_available = rank.available ? 1 : 0,
               .node = rank.node,
               .fixed_work = rank.alpha * rank.overhead + options_.rules.coefficients.gamma,
               .slope = slope,
               .allowed_bytes = state.allowed_bytes,
               .node_room_bytes = node_memory_.is_limited() ? state.node_room_bytes
                                                            : std::numeric_limits<double>::infinity()});
  return {std::move(clusters), std::move(view)};
}

/// Returns the maximum load of clusters by communication, which become smaller from step to step.
double ExchangeStep::max_cluster_load() const {
  constexpr double sizes[] = {std::numeric_limits<double>::infinity(), 0.5, 0.125};
  return mean_load_ * sizes[n_steps_ / options_.clusters.size() % std::size(sizes)];
}

std::size_t ExchangeStep::steps_per_iteration() const {
  return max_swap_partners * options_.clusters.size();
}

/// Returns whether an overloaded rank waits for proposals in this step, which all ranks know of each other.
/// Partners by communication may be overloaded, too.
bool ExchangeStep::waits(std::int32_t rank) const {
  constexpr double share_of_waiting = 0.5;
  return options_.rules.coefficients.weigh_traffic() &&
         gossip_.random_of_rank(rank).uniform() < share_of_waiting;
}

/// Returns the next of the partners of a rank that is underloaded or waits.
std::optional<std::int32_t> ExchangeStep::next_partner(std::int32_t local) {
  RankState& state = states_[at(local)];
  const std::vector<KnownRank>& known = gossip_.known(local);
  const bool by_bytes = n_steps_ / options_.clusters.size() % 2 == 1 && !state.communicating.empty();
  const std::vector<std::int32_t>& partners = by_bytes ? state.communicating : state.partners;
  for (std::size_t k = 0; k < partners.size(); ++k) {
    const std::int32_t partner = partners[state.next_partner++ % partners.size()];
    if (waits(partner) || std::ranges::find(known, partner, &KnownRank::rank) != known.end()) return partner;
  }
  return {};
}

void ExchangeStep::run() {
  ++n_steps_;
  gossip_.next_step();
  if (node_memory_.is_limited()) {
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      WorkRank& rank = ranks_[at(local)];
      add_objects(received, rank);
      node_memory_.report(local, rank.node, work_of(rank, options_.rules).memory_bytes, outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      node_memory_.grant(local, received, outbox);
    });
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      states_[at(local)].node_room_bytes = NodeMemory::granted(received);
      propose(local, outbox);
    });
  } else {
    rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) {
      add_objects(received, ranks_[at(local)]);
      propose(local, outbox);
    });
  }
  rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) { answer(local, received, outbox); });
  rounds_.run([&](std::int32_t local, Inbox received, Outbox& outbox) { complete(local, received, outbox); });
}

void ExchangeStep::finish() {
  rounds_.run([&](std::int32_t local, Inbox received, Outbox&) { add_objects(received, ranks_[at(local)]); });
}

/// An overloaded rank sends its view to the next of its partners.
void ExchangeStep::propose(std::int32_t local, Outbox& outbox) {
  RankState& state = states_[at(local)];
  const WorkRank& rank = ranks_[at(local)];
  state.is_proposing = false;
  const RankWork work = work_of(rank, options_.rules);
  // Ranks with equal work may all communicate more than needed.
  const double least =
      average_ * (options_.rules.coefficients.weigh_traffic() ? 1 - rounding_error : 1 + rounding_error);
  const bool is_overloaded =
      (work.work > least && work.work > 0) || work.memory_bytes > options_.rules.limits.max_memory_bytes;
  const bool must_leave = !rank.available && !rank.objects.empty();
  if (!is_overloaded && !must_leave) return;
  if (rank.available && waits(rank.number)) return;
  const std::optional<std::int32_t> partner = next_partner(local);
  if (!partner) return;
  state.is_proposing = true;
  state.offering = offering_of(local);
  send_view(state.offering.view, *partner, outbox);
}

/// A rank that does not propose chooses the best of the swaps that are proposed to it.
void ExchangeStep::answer(std::int32_t local, Inbox received, Outbox& outbox) {
  if (states_[at(local)].is_proposing || received.empty()) return;
  std::vector<RankView> proposals = received_views(received);
  std::ranges::stable_sort(proposals, std::greater<>(), approximate_work);
  proposals.resize(std::min(proposals.size(), max_swap_proposals));
  const Offering own = offering_of(local);
  std::optional<ClusterSwap> best;
  std::int32_t proposer = 0;
  for (const RankView& proposal : proposals) {
    ClusterSwap swap = find_swap(proposal, own.view, options_.rules);
    if (swap.given.empty() && swap.taken.empty()) continue;
    if (best && !lowers_more(swap, *best)) continue;
    best = std::move(swap);
    proposer = proposal.head.rank;
  }
  if (!best) return;
  WorkRank& rank = ranks_[at(local)];
  outbox.send(proposer, std::span<const std::int32_t>(best->given));
  send_objects(take_objects(rank, leaving(own.clusters, best->taken, rank.objects.size())), proposer, outbox);
}

/// A rank whose proposal was answered gives and takes what its partner has chosen.
void ExchangeStep::complete(std::int32_t local, Inbox received, Outbox& outbox) {
  RankState& state = states_[at(local)];
  state.n_failures = !received.empty() ? 0 : state.n_failures + (state.is_proposing ? 1 : 0);
  if (received.empty()) return;
  WorkRank& rank = ranks_[at(local)];
  const std::vector<bool> leaves =
      leaving(state.offering.clusters, received.front().items<std::int32_t>(), rank.objects.size());
  send_objects(take_objects(rank, leaves), received.front().sender, outbox);
  add_objects(received.subspan(1), rank);
}

}  // namespace plimsoll::balance
