#include "balance/strategies/tempered_lb/rank_pair.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::size_t part_of(std::int32_t part) {
  return static_cast<std::size_t>(part);
}

}  // namespace

RankPair::RankPair(const RankView& first, const RankView& second, const WorkRules& rules)
    : rules_(rules), heads_{first.head, second.head}, n_first_(first.parts.size()) {
  add_parts(first, 0);
  add_parts(second, 1);
  if (rules.coefficients.weigh_traffic()) add_edges(first, second);
  update();
  memory_before_ = {memory(state_[0]), memory(state_[1])};
}

void RankPair::add_parts(const RankView& view, std::size_t side) {
  const std::size_t begin = parts_.size();
  for (const ViewPart& part : view.parts) {
    parts_.push_back({.load = part.load,
                      .footprint_bytes = part.footprint_bytes,
                      .working_bytes = part.working_bytes,
                      .serialized_bytes = part.serialized_bytes,
                      .n_objects = part.n_objects});
    side_.push_back(side);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> known;
  for (std::size_t block = 0; block < blocks_.size(); ++block)
    known.emplace(blocks_[block].block.key(), block);
  for (const ViewBlock& use : view.blocks) {
    const auto [place, is_new] = known.emplace(use.block.key(), blocks_.size());
    if (is_new) blocks_.push_back({use.block, {}});
    parts_[begin + static_cast<std::size_t>(use.part)].blocks.push_back({place->second, use.n_objects});
  }
}

void RankPair::add_edges(const RankView& first, const RankView& second) {
  bytes_.assign(parts_.size() * parts_.size(), 0.0);
  const double cost = rules_.coefficients.of_byte(heads_[0].node, heads_[1].node);
  for (const ViewPair& pair : first.pairs) bytes(part_of(pair.from), part_of(pair.to)) += pair.bytes * cost;
  for (const ViewPair& pair : second.pairs)
    bytes(n_first_ + part_of(pair.from), n_first_ + part_of(pair.to)) += pair.bytes * cost;

  // Both ends know their edges: of those between the two ranks, the ones of the first rank count.
  std::unordered_map<std::uint64_t, std::size_t> part_of_second;
  for (const ViewEdge& edge : second.edges)
    if (edge.is_fixed == 0) part_of_second.emplace(edge.object, n_first_ + part_of(edge.part));
  std::unordered_set<std::uint64_t> objects_of_first;
  for (const ViewEdge& edge : first.edges) {
    if (edge.is_fixed == 0) objects_of_first.insert(edge.object);
    std::size_t other = none;
    if (edge.fixed_rank == heads_[1].rank) other = n_first_;
    if (edge.fixed_rank < 0)
      if (const auto found = part_of_second.find(edge.other); found != part_of_second.end())
        other = found->second;
    if (other == none) {
      add_external(edge, part_of(edge.part));
      continue;
    }
    bytes(part_of(edge.part), other) += edge.sent * cost;
    bytes(other, part_of(edge.part)) += edge.received * cost;
  }
  for (const ViewEdge& edge : second.edges) {
    const bool is_between =
        edge.fixed_rank >= 0 ? edge.fixed_rank == heads_[0].rank : objects_of_first.contains(edge.other);
    if (!is_between) add_external(edge, n_first_ + part_of(edge.part));
  }
}

void RankPair::add_external(const ViewEdge& edge, std::size_t part) {
  for (const std::size_t side : {0, 1}) {
    const double cost = rules_.coefficients.of_byte(heads_[side].node, edge.other_node);
    parts_[part].sent[side] += edge.sent * cost;
    parts_[part].received[side] += edge.received * cost;
  }
}

std::vector<std::size_t> RankPair::movable(std::size_t side) const {
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (side_[part] == side && part != 0 && part != n_first_) parts.push_back(part);
  return parts;
}

void RankPair::add(const Part& part, Side& side, std::size_t number, double sign) const {
  side.load += sign * part.load;
  side.sent += sign * part.sent[number];
  side.received += sign * part.received[number];
  side.footprint_bytes += sign * part.footprint_bytes;
  side.n_objects += sign > 0 ? part.n_objects : -part.n_objects;
}

void RankPair::update() {
  state_ = {};
  for (UsedBlock& block : blocks_) block.n_objects = {};
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    add(parts_[part], state_[side_[part]], side_[part], 1);
    for (const Part::Block& block : parts_[part].blocks)
      blocks_[block.index].n_objects[side_[part]] += block.n_objects;
  }
  for (const UsedBlock& block : blocks_)
    for (const std::size_t side : {0, 1}) {
      if (block.n_objects[side] == 0) continue;
      state_[side].block_bytes += block.block.bytes;
      if (block.block.home != heads_[side].rank) state_[side].homing_bytes += block.block.bytes;
    }
  set_largest(none, none, state_);
  if (bytes_.empty()) return;
  for (std::size_t from = 0; from < parts_.size(); ++from) {
    Part& part = parts_[from];
    const std::size_t here = side_[from];
    part.to_other = {};
    for (std::size_t to = 0; to < parts_.size(); ++to) {
      if (to == from) continue;
      const bool is_cut = side_[to] != here;
      if (is_cut) state_[here].to_other += bytes(from, to);
      // After the change, the part sends from the other side.
      part.to_other[is_cut ? here : 1 - here] += is_cut ? -bytes(from, to) : bytes(from, to);
      part.to_other[is_cut ? 1 - here : here] += is_cut ? -bytes(to, from) : bytes(to, from);
    }
  }
}

/// Updates the blocks of both sides for parts that change them.
void RankPair::move_blocks(const Part* given, const Part* taken, Sides& sides) const {
  const auto count_in = [](const Part* part, std::size_t block) -> std::int64_t {
    if (part == nullptr) return 0;
    const auto found = std::ranges::find(part->blocks, block, &Part::Block::index);
    return found == part->blocks.end() ? 0 : found->n_objects;
  };
  const auto update_block = [&](std::size_t index) {
    const UsedBlock& block = blocks_[index];
    const std::int64_t moved = count_in(given, index) - count_in(taken, index);
    for (const std::size_t side : {0, 1}) {
      const std::int64_t before = block.n_objects[side];
      const std::int64_t after = before + (side == 0 ? -moved : moved);
      const double change = (after > 0 ? block.block.bytes : 0) - (before > 0 ? block.block.bytes : 0);
      sides[side].block_bytes += change;
      if (block.block.home != heads_[side].rank) sides[side].homing_bytes += change;
    }
  };
  if (given != nullptr)
    for (const Part::Block& block : given->blocks) update_block(block.index);
  if (taken != nullptr)
    for (const Part::Block& block : taken->blocks)
      if (count_in(given, block.index) == 0) update_block(block.index);
}

/// Sets the largest working and serialised bytes of both sides after parts have changed them.
void RankPair::set_largest(std::size_t given, std::size_t taken, Sides& sides) const {
  for (Side& side : sides) side.working_bytes = side.serialized_bytes = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    Side& side = sides[part == given || part == taken ? 1 - side_[part] : side_[part]];
    side.working_bytes = std::max(side.working_bytes, parts_[part].working_bytes);
    side.serialized_bytes = std::max(side.serialized_bytes, parts_[part].serialized_bytes);
  }
}

double RankPair::work(const Sides& sides, std::size_t side) const {
  const Side& own = sides[side];
  const Side& other = sides[1 - side];
  return heads_[side].fixed_work + heads_[side].slope * own.load +
         std::max(own.sent + own.to_other, own.received + other.to_other) +
         rules_.coefficients.delta * own.homing_bytes;
}

double RankPair::memory(const Side& side) const {
  return side.footprint_bytes + side.block_bytes + side.working_bytes +
         (rules_.limits.count_serialized ? side.serialized_bytes : 0);
}

bool RankPair::is_allowed(const Sides& sides) const {
  if (!rules_.limits.limit_memory()) return true;
  std::array<double, 2> more{};
  for (const std::size_t side : {0, 1}) {
    const double bytes = memory(sides[side]);
    if (bytes > std::max(heads_[side].allowed_bytes, memory_before_[side])) return false;
    more[side] = bytes - memory_before_[side];
  }
  if (heads_[0].node >= 0 && heads_[0].node == heads_[1].node)
    return more[0] + more[1] <= std::max(heads_[0].node_room_bytes, heads_[1].node_room_bytes);
  return more[0] <= heads_[0].node_room_bytes && more[1] <= heads_[1].node_room_bytes;
}

PairScore RankPair::score_of(const Sides& sides) const {
  PairScore score;
  for (const std::size_t side : {0, 1}) {
    if (heads_[side].is_available == 0) score.n_misplaced += sides[side].n_objects;
    if (rules_.limits.limit_memory())
      score.memory_excess += std::max(0.0, memory(sides[side]) - rules_.limits.max_memory_bytes);
  }
  const double first = work(sides, 0);
  const double second = work(sides, 1);
  score.higher_work = std::max(first, second);
  score.lower_work = std::min(first, second);
  for (const Side& side : sides) score.traffic += side.sent + side.received + 2 * side.to_other;
  return score;
}

bool RankPair::may_swap(std::size_t given, std::size_t taken, PairScore& after) const {
  Sides sides = state_;
  for (const std::size_t part : {given, taken}) {
    if (part == none) continue;
    const std::size_t from = side_[part];
    add(parts_[part], sides[from], from, -1);
    add(parts_[part], sides[1 - from], 1 - from, 1);
    for (const std::size_t side : {0, 1}) sides[side].to_other += parts_[part].to_other[side];
    if (heads_[1 - from].is_available == 0) return false;
  }
  if (!bytes_.empty() && given != none && taken != none) {
    // Messages between the two parts remain messages between the ranks, in the opposite direction.
    const double between = bytes(given, taken) + bytes(taken, given);
    for (Side& side : sides) side.to_other += between;
  }
  if (!blocks_.empty())
    move_blocks(given != none ? &parts_[given] : nullptr, taken != none ? &parts_[taken] : nullptr, sides);
  if (rules_.limits.limit_memory()) set_largest(given, taken, sides);
  if (!is_allowed(sides)) return false;
  after = score_of(sides);
  return true;
}

void RankPair::swap(std::size_t given, std::size_t taken) {
  if (given != none) side_[given] = 1;
  if (taken != none) side_[taken] = 0;
  update();
}

}  // namespace plimsoll::balance
