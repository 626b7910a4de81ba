#include "balance/partition/part_refiner.hpp"

#include <algorithm>

#include "balance/search/rounding_error.hpp"

namespace plimsoll::inline v0_1::balance {

namespace {

constexpr int max_rounds = 10;

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

bool PartRefiner::is_inside(std::int32_t vertex) const {
  const auto row = static_cast<std::size_t>(vertex);
  const std::int32_t here = parts_[row];
  for (auto edge = static_cast<std::size_t>(free_.graph.begin[row]);
       edge < static_cast<std::size_t>(free_.graph.begin[row + 1]); ++edge)
    if (parts_[static_cast<std::size_t>(free_.graph.neighbors[edge])] != here) return false;
  return free_.ties_of(row).empty();
}

void PartRefiner::reduce_traffic() {
  std::vector<std::int32_t> to_look_at;
  for (std::int32_t vertex = 0; vertex < free_.n_vertices(); ++vertex)
    if (!is_inside(vertex)) to_look_at.push_back(vertex);
  for (int round = 0; round < max_rounds && !to_look_at.empty(); ++round) {
    std::vector<std::int32_t> touched;
    for (const std::int32_t vertex : to_look_at) {
      const Move move = best_move(vertex);
      const bool comes_home = move.to >= 0 && move.to == home_[static_cast<std::size_t>(vertex)];
      if (move.to < 0 || move.gain < 0 || (move.gain == 0 && !comes_home)) continue;
      apply(vertex, move.to);
      const auto row = static_cast<std::size_t>(vertex);
      touched.insert(touched.end(), free_.graph.neighbors.begin() + free_.graph.begin[row],
                     free_.graph.neighbors.begin() + free_.graph.begin[row + 1]);
    }
    // Visit the neighbours of migrated vertices next. Other vertices have a better part only if that part had
    // no room for them before.
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    to_look_at = std::move(touched);
  }
}

}  // namespace plimsoll::balance
