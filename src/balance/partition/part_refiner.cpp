#include "balance/partition/part_refiner.hpp"

#include <algorithm>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr int max_rounds = 10;
// Number of migrations without improvement after which a round ends. Larger values gain nothing.
constexpr std::size_t patience = 50;
// Number of neighbours above which the gain of a vertex is only updated when its turn comes, because each
// update takes time proportional to it.
constexpr std::size_t many_neighbors = 256;

}  // namespace

PartRefiner::PartRefiner(const LDStats& stats, const FreeObjects& free, const RankTargets& targets,
                         Partition& parts)
    : free_(free),
      targets_(targets),
      parts_(parts),
      n_dimensions_(static_cast<std::size_t>(targets.shares.n_dimensions)),
      part_of_rank_(stats.procs.size(), -1),
      loads_(targets.rooms.size(), 0.0),
      connection_(static_cast<std::size_t>(targets.n_parts()), 0) {
  PLIMSOLL_EXPECT(parts.size() == free.object.size());
  for (std::size_t part = 0; part < targets.ranks.size(); ++part)
    part_of_rank_[static_cast<std::size_t>(targets.ranks[part])] = static_cast<std::int32_t>(part);
  home_.reserve(parts.size());
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    home_.push_back(part_of_rank_[static_cast<std::size_t>(stats.from_proc[free.object[vertex]])]);
    for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
      part_load(parts[vertex])[dimension] += free.load(vertex)[dimension];
  }
}

std::span<double> PartRefiner::part_load(std::int32_t part) {
  return std::span(loads_).subspan(static_cast<std::size_t>(part) * n_dimensions_, n_dimensions_);
}

bool PartRefiner::fits(std::int32_t vertex, std::int32_t part) {
  const std::span<const double> load = free_.load(static_cast<std::size_t>(vertex));
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
    if (part_load(part)[dimension] + load[dimension] >
        targets_.capacities[static_cast<std::size_t>(part) * n_dimensions_ + dimension])
      return false;
  return true;
}

bool PartRefiner::above_capacity(std::int32_t part) {
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
    if (part_load(part)[dimension] >
        targets_.capacities[static_cast<std::size_t>(part) * n_dimensions_ + dimension] *
            (1 + rounding_error))
      return true;
  return false;
}

double PartRefiner::relative_load(std::int32_t part) {
  double most = 0;
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
    const double capacity = targets_.capacities[static_cast<std::size_t>(part) * n_dimensions_ + dimension];
    if (capacity > 0) most = std::max(most, part_load(part)[dimension] / capacity);
  }
  return most;
}

void PartRefiner::connect(std::int32_t vertex) {
  const auto add = [&](std::int32_t part, std::int32_t weight) {
    std::int64_t& connection = connection_[static_cast<std::size_t>(part)];
    if (connection == 0) connected_.push_back(part);
    connection += weight;
  };
  const auto row = static_cast<std::size_t>(vertex);
  for (auto edge = static_cast<std::size_t>(free_.graph.begin[row]);
       edge < static_cast<std::size_t>(free_.graph.begin[row + 1]); ++edge)
    add(parts_[static_cast<std::size_t>(free_.graph.neighbors[edge])], free_.graph.edge_weights[edge]);
  for (const FreeObjects::Tie& tie : free_.ties_of(row))
    if (const std::int32_t part = part_of_rank_[static_cast<std::size_t>(tie.rank)]; part >= 0)
      add(part, tie.weight);
}

void PartRefiner::disconnect() {
  for (const std::int32_t part : connected_) connection_[static_cast<std::size_t>(part)] = 0;
  connected_.clear();
}

PartRefiner::Move PartRefiner::best_move(std::int32_t vertex) {
  connect(vertex);
  const std::int32_t here = parts_[static_cast<std::size_t>(vertex)];
  const std::int32_t home = home_[static_cast<std::size_t>(vertex)];
  Move best;
  for (const std::int32_t part : connected_) {
    const std::int64_t gain =
        connection_[static_cast<std::size_t>(part)] - connection_[static_cast<std::size_t>(here)];
    const bool better = best.to < 0 || gain > best.gain || (gain == best.gain && part == home);
    if (part != here && better && fits(vertex, part)) best = {part, gain};
  }
  disconnect();
  return best;
}

PartRefiner::Move PartRefiner::move_to_most_room(std::int32_t vertex) {
  const std::int32_t here = parts_[static_cast<std::size_t>(vertex)];
  const std::int32_t to = by_load_.begin()->second;
  if (to == here || !fits(vertex, to)) return {};
  connect(vertex);
  const Move move{to,
                  connection_[static_cast<std::size_t>(to)] - connection_[static_cast<std::size_t>(here)]};
  disconnect();
  return move;
}

PartRefiner::Candidate PartRefiner::candidate(std::int32_t vertex, const Move& move) const {
  double relative = 0;
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension)
    if (targets_.heaviest[dimension] > 0)
      relative += free_.load(static_cast<std::size_t>(vertex))[dimension] / targets_.heaviest[dimension];
  const auto gain = static_cast<double>(move.gain);
  return {gain > 0 ? gain * relative : gain / relative, vertex};
}

void PartRefiner::apply(std::int32_t vertex, std::int32_t to) {
  const std::int32_t from = parts_[static_cast<std::size_t>(vertex)];
  const bool sorted = !by_load_.empty();
  if (sorted)
    for (const std::int32_t part : {from, to}) by_load_.erase({relative_load(part), part});
  for (std::size_t dimension = 0; dimension < n_dimensions_; ++dimension) {
    const double load = free_.load(static_cast<std::size_t>(vertex))[dimension];
    part_load(from)[dimension] -= load;
    part_load(to)[dimension] += load;
  }
  parts_[static_cast<std::size_t>(vertex)] = to;
  if (sorted)
    for (const std::int32_t part : {from, to}) by_load_.insert({relative_load(part), part});
}

void PartRefiner::restore_capacities() {
  for (std::int32_t part = 0; part < targets_.n_parts(); ++part) by_load_.insert({relative_load(part), part});
  const auto find_move = [&](std::int32_t vertex) {
    const Move near = best_move(vertex);
    return near.to >= 0 ? near : move_to_most_room(vertex);
  };
  const auto weightless = [&](std::int32_t vertex) {
    return std::ranges::all_of(free_.load(static_cast<std::size_t>(vertex)),
                               [](double load) { return load == 0; });
  };
  std::priority_queue<Candidate> candidates;
  for (std::int32_t vertex = 0; vertex < free_.n_vertices(); ++vertex) {
    if (!above_capacity(parts_[static_cast<std::size_t>(vertex)]) || weightless(vertex)) continue;
    if (const Move move = find_move(vertex); move.to >= 0) candidates.push(candidate(vertex, move));
  }
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    if (!above_capacity(parts_[static_cast<std::size_t>(best.vertex)])) continue;
    const Move move = find_move(best.vertex);
    if (move.to < 0) continue;
    // Recompute the migration: other migrations may have made it worse.
    const Candidate now = candidate(best.vertex, move);
    if (now.gain_per_load < best.gain_per_load && !candidates.empty() && now < candidates.top()) {
      candidates.push(now);
    } else {
      apply(best.vertex, move.to);
    }
  }
  by_load_.clear();
}

std::span<const std::int32_t> PartRefiner::neighbors(std::int32_t vertex) const {
  const auto row = static_cast<std::size_t>(vertex);
  const std::int32_t begin = free_.graph.begin[row];
  return std::span(free_.graph.neighbors)
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(free_.graph.begin[row + 1] - begin));
}

bool PartRefiner::is_inside(std::int32_t vertex) const {
  const std::int32_t here = parts_[static_cast<std::size_t>(vertex)];
  return free_.ties_of(static_cast<std::size_t>(vertex)).empty() &&
         std::ranges::all_of(neighbors(vertex), [&](std::int32_t neighbor) {
           return parts_[static_cast<std::size_t>(neighbor)] == here;
         });
}

std::optional<PartRefiner::Step> PartRefiner::best_step(std::int32_t vertex) {
  const Move move = best_move(vertex);
  if (move.to < 0 || move.gain < 0) return std::nullopt;
  const auto is_home = [&](std::int32_t part) {
    return part == home_[static_cast<std::size_t>(vertex)] ? 1 : 0;
  };
  const std::int32_t here = parts_[static_cast<std::size_t>(vertex)];
  return Step{{move.gain, is_home(move.to) - is_home(here)}, vertex, move.to};
}

/// Runs one round, in which each vertex migrates at most once. Returns the vertices to visit in the next
/// round: those near the migrated ones.
std::vector<std::int32_t> PartRefiner::improve_traffic(const std::vector<std::int32_t>& to_visit) {
  std::vector<Step> steps;
  for (const std::int32_t vertex : to_visit)
    if (const std::optional<Step> step = best_step(vertex)) steps.push_back(*step);
  std::priority_queue<Step> queue({}, std::move(steps));

  struct Origin {
    std::int32_t vertex;
    std::int32_t part;
  };
  std::vector<Origin> migrated;
  std::vector<bool> done(parts_.size(), false);
  Gain gain;
  Gain best;
  std::size_t n_best = 0;  // number of migrations that lead to the best partition
  while (!queue.empty() && migrated.size() - n_best < patience) {
    const Step queued = queue.top();
    queue.pop();
    const auto row = static_cast<std::size_t>(queued.vertex);
    if (done[row]) continue;
    // Recompute the step: other migrations may have made it worse.
    const std::optional<Step> step = best_step(queued.vertex);
    if (!step) continue;
    if (step->gain < queued.gain && !queue.empty() && *step < queue.top()) {
      queue.push(*step);
      continue;
    }
    migrated.push_back({step->vertex, parts_[row]});
    done[row] = true;
    apply(step->vertex, step->to);
    gain = {gain.traffic + step->gain.traffic, gain.at_home + step->gain.at_home};
    if (gain > best) {
      best = gain;
      n_best = migrated.size();
    }
    for (const std::int32_t neighbor : neighbors(step->vertex)) {
      if (done[static_cast<std::size_t>(neighbor)] || neighbors(neighbor).size() > many_neighbors) continue;
      if (const std::optional<Step> next = best_step(neighbor)) queue.push(*next);
    }
  }
  for (; migrated.size() > n_best; migrated.pop_back()) apply(migrated.back().vertex, migrated.back().part);

  std::vector<std::int32_t> near;
  for (const Origin& origin : migrated) {
    const std::span<const std::int32_t> around = neighbors(origin.vertex);
    near.push_back(origin.vertex);
    near.insert(near.end(), around.begin(), around.end());
  }
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

void PartRefiner::reduce_traffic() {
  std::vector<std::int32_t> to_visit;
  for (std::int32_t vertex = 0; vertex < free_.n_vertices(); ++vertex)
    if (!is_inside(vertex)) to_visit.push_back(vertex);
  for (int round = 0; round < max_rounds && !to_visit.empty(); ++round) to_visit = improve_traffic(to_visit);
}

}  // namespace plimsoll::balance
