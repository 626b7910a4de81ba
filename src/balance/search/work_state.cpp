#include "balance/search/work_state.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

double coefficient(const std::string& owner, const Parameters& parameters, const std::string& name) {
  const auto value = parameters.get<double>(name);
  if (!(std::isfinite(value) && value >= 0)) throw invalid_parameter(owner, name, value, "use a number >= 0");
  return value;
}

}  // namespace

const std::vector<ParameterSpec>& WorkGoal::parameters() {
  static const std::vector<ParameterSpec> parameters = {
      {"alpha", 1.0, "work per second of load (multiplied by the rank's rank_alpha)"},
      {"beta", 0.0, "work per byte of max(sent, received) to and from other ranks"},
      {"beta_node", -1.0, "work per byte between ranks of the same node (-1: use beta)"},
      {"gamma", 0.0, "constant work per rank"},
      {"delta", 0.0, "work per off-home shared-block byte"}};
  return parameters;
}

WorkGoal::WorkGoal(const std::string& owner, const Parameters& parameters)
    : coefficients{.alpha = coefficient(owner, parameters, "alpha"),
                   .beta = coefficient(owner, parameters, "beta"),
                   .gamma = coefficient(owner, parameters, "gamma"),
                   .delta = coefficient(owner, parameters, "delta")},
      limits(parameters) {
  if (parameters.get<double>("beta_node") != -1)
    coefficients.beta_node = coefficient(owner, parameters, "beta_node");
}

WorkGoal WorkGoal::of_time(const Limits& limits) {
  WorkGoal goal;
  goal.limits = limits;
  goal.weigh_ranks = false;
  return goal;
}

Score WorkGoal::score(const LDStats& stats, std::span<const std::int32_t> placement) const {
  const WorkSummary summary = WorkModel(stats, coefficients, limits).evaluate(placement);
  // Ignore waits after subphases, as WorkState does.
  const double max = summary.work.empty() ? 0 : std::ranges::max(summary.work);
  if (summary.within_memory) return {0, max};
  return {limits.memory_excess(MemoryUse(stats, placement, limits.count_serialized), stats.count()), max};
}

Error cannot_evacuate() {
  return support::usage_error(
      "objects on unavailable processors must migrate, but no placement within the limits was found",
      "set a higher max_moves, max_moved_bytes or max_memory_bytes");
}

std::vector<std::int32_t> non_migratable_only(const LDStats& stats) {
  std::vector<std::int32_t> placement = stats.from_proc;
  for (std::size_t object = 0; object < placement.size(); ++object)
    if (stats.obj_data[object].migratable) placement[object] = WorkState::nowhere;
  return placement;
}

WorkState::WorkState(const LDStats& stats, const WorkGoal& goal, std::span<const std::int32_t> placement)
    : stats_(stats),
      goal_(goal),
      placement_(placement.size(), nowhere),
      sent_(stats.procs.size()),
      received_(stats.procs.size()),
      work_(stats.procs.size()),
      first_edge_(placement.size() + 1) {
  PLIMSOLL_EXPECT(placement.size() == stats.obj_data.size());
  if (!stats.memory.empty()) {
    memory_.emplace(stats, stats.from_proc, goal.limits.count_serialized);
    const auto any = std::numeric_limits<std::size_t>::max();
    const std::size_t blocks = goal.max_blocks < 0 ? any : static_cast<std::size_t>(goal.max_blocks);
    allowed_.emplace(goal.limits, *memory_, stats.count());
    for (std::int32_t rank = 0; rank < stats.count(); ++rank)
      allowed_blocks_.push_back(std::max(blocks, memory_->n_blocks(rank)));
    memory_.emplace(stats, placement_, goal.limits.count_serialized);
  }
  for (const ProcStats& proc : stats.procs) {
    slope_.push_back(goal.alpha(proc) / proc.pe_speed);
    finish_s_.push_back(static_cast<double>(proc.bg_walltime));
  }
  if (goal.coefficients.weigh_traffic()) build_edges();
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) refresh(rank);
  for (std::uint32_t object = 0; object < placement.size(); ++object)
    if (placement[object] != nowhere) place(object, placement[object]);
}

void WorkState::build_edges() {
  const auto counted = [&](std::size_t edge) {
    return is_traffic(stats_, edge) && stats_.comm_data[edge].bytes != 0 &&
           stats_.comm_data[edge].sender != stats_.comm_data[edge].receiver;
  };
  for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
    if (!counted(edge)) continue;
    ++first_edge_[stats_.comm_data[edge].sender.index() + 1];
    ++first_edge_[stats_.comm_data[edge].receiver.index() + 1];
  }
  for (std::size_t object = 0; object + 1 < first_edge_.size(); ++object)
    first_edge_[object + 1] += first_edge_[object];
  edges_.resize(first_edge_.back());
  std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge) {
    if (!counted(edge)) continue;
    const LDCommData& data = stats_.comm_data[edge];
    edges_[next[data.sender.index()]++] = {data.receiver.index(), true, data.bytes};
    edges_[next[data.receiver.index()]++] = {data.sender.index(), false, data.bytes};
  }
}

void WorkState::refresh(std::int32_t rank) {
  const std::size_t r = at(rank);
  const double homing = goal_.coefficients.delta != 0 && memory_ ? memory_->homing_bytes(rank) : 0;
  const double work = goal_.alpha(stats_.procs[r]) * finish_s_[r] + std::max(sent_[r], received_[r]) +
                      goal_.coefficients.gamma + goal_.coefficients.delta * homing;
  const double before = work_[r] - level_;
  const double after = work - level_;
  unevenness_ += after * after - before * before;
  work_[r] = work;
}

void WorkState::connect(std::uint32_t object, std::int32_t rank, double sign) {
  const std::int32_t node = stats_.procs[at(rank)].node;
  for (const Edge& edge : edges(object)) {
    const std::int32_t there = placement_[edge.other];
    if (there == nowhere || there == rank) continue;
    const double cost = sign * edge.bytes * goal_.coefficients.of_byte(node, stats_.procs[at(there)].node);
    (edge.outgoing ? sent_ : received_)[at(rank)] += cost;
    (edge.outgoing ? received_ : sent_)[at(there)] += cost;
    refresh(there);
  }
}

void WorkState::place(std::uint32_t object, std::int32_t rank) {
  PLIMSOLL_EXPECT(placement_[object] == nowhere);
  finish_s_[at(rank)] += stats_.load_s(object) / stats_.procs[at(rank)].pe_speed;
  connect(object, rank, 1);
  if (memory_) memory_->add(object, rank);
  placement_[object] = rank;
  refresh(rank);
}

void WorkState::take(std::uint32_t object) {
  const std::int32_t rank = placement_[object];
  PLIMSOLL_EXPECT(rank != nowhere);
  finish_s_[at(rank)] -= stats_.load_s(object) / stats_.procs[at(rank)].pe_speed;
  placement_[object] = nowhere;
  connect(object, rank, -1);
  if (memory_) memory_->remove(object, rank);
  refresh(rank);
}

void WorkState::set_level(double level) {
  level_ = level;
  unevenness_ = 0;
  for (const double work : work_) unevenness_ += (work - level) * (work - level);
}

bool WorkState::fits(std::int32_t rank) const {
  return !memory_ || (memory_->n_blocks(rank) <= allowed_blocks_[at(rank)] && allowed_->fits(*memory_, rank));
}

bool WorkState::allows_the_same(std::int32_t rank, std::int32_t other) const {
  return !memory_ || (memory_->of_rank(rank) == memory_->of_rank(other) &&
                      allowed_->of_rank(rank) == allowed_->of_rank(other) &&
                      allowed_blocks_[at(rank)] == allowed_blocks_[at(other)]);
}

double WorkState::memory_excess() const {
  return memory_ && goal_.limits.limit_memory() ? goal_.limits.memory_excess(*memory_, stats_.count()) : 0;
}

bool has_to_leave(const LDStats& stats, std::size_t object) {
  return stats.obj_data[object].migratable && !stats.procs[at(stats.from_proc[object])].available;
}

std::optional<std::vector<std::int32_t>> evacuated(const LDStats& stats, const WorkGoal& goal) {
  std::vector<std::int32_t> placement = stats.from_proc;
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    if (!has_to_leave(stats, object)) continue;
    leaving.push_back(object);
    placement[object] = WorkState::nowhere;
  }
  if (leaving.empty()) return placement;
  std::ranges::stable_sort(leaving, std::greater(),
                           [&](std::uint32_t object) { return stats.load_s(object); });
  const std::vector<std::int32_t> available = available_ranks(stats);
  WorkState state(stats, goal, placement);
  for (const std::uint32_t object : leaving) {
    std::pair best{std::numeric_limits<double>::infinity(), WorkState::nowhere};
    for (const std::int32_t rank : available) {
      state.place(object, rank);
      if (state.fits(rank)) best = std::min(best, {state.work(rank), rank});
      state.take(object);
    }
    if (best.second == WorkState::nowhere) return {};
    state.place(object, best.second);
  }
  return state.placement();
}

namespace {

/// Work of one rank as a function of the load that it receives.
struct Receiver {
  double base = 0;   ///< fixed work
  double slope = 0;  ///< work per second of load
};

/// Returns the minimum T such that the ranks, filled up to a work of T in whole units, hold `load`.
double even_work(const std::vector<Receiver>& ranks, double load, double unit) {
  if (load == 0 || std::ranges::count(ranks, 0.0, &Receiver::slope) > 0) return 0;
  std::vector<Receiver> sorted = ranks;
  std::ranges::sort(sorted, {}, &Receiver::base);
  double work = 0;
  double base_sum = 0;  // sum of base / slope over the filled ranks
  double rate_sum = 0;  // sum of 1 / slope
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    base_sum += sorted[k].base / sorted[k].slope;
    rate_sum += 1 / sorted[k].slope;
    work = (load + base_sum) / rate_sum;
    if (k + 1 == sorted.size() || work <= sorted[k + 1].base) break;
  }
  // Skip the unit if it is too small to matter or gives too many units to count.
  const double units = load / unit;
  if (!(units < 1e9)) return work;

  constexpr double rounding = 1e-9;
  double room = 0;
  std::priority_queue<std::pair<double, double>, std::vector<std::pair<double, double>>, std::greater<>>
      next;  // (work with one more unit, work per unit) of each rank
  for (const Receiver& rank : ranks) {
    const double of_unit = rank.slope * unit;
    const double whole = std::max(0.0, std::floor((work - rank.base) / of_unit + rounding));
    room += whole;
    next.push({rank.base + (whole + 1) * of_unit, of_unit});
  }
  double lifted = work;
  // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): whole numbers, up to infinity
  for (; room < std::round(units); ++room) {
    const auto [work_after, of_unit] = next.top();
    next.pop();
    lifted = std::max(lifted, work_after);
    next.push({work_after + of_unit, of_unit});
  }
  return lifted;
}

/// Returns the minimum work of the rank that gets two of P + 1 objects, or three of 2 P + 1 objects, and so
/// on.
double shared_work(const std::vector<Receiver>& ranks, const std::vector<double>& heaviest_first) {
  double base = std::numeric_limits<double>::infinity();
  double slope = base;
  for (const Receiver& rank : ranks) {
    base = std::min(base, rank.base);
    slope = std::min(slope, rank.slope);
  }
  double most = 0;
  for (std::size_t together = 2; (together - 1) * ranks.size() < heaviest_first.size(); ++together) {
    const std::size_t last = (together - 1) * ranks.size();
    double load = 0;
    for (std::size_t k = 0; k < together; ++k) load += heaviest_first[last - k];
    most = std::max(most, base + slope * load);
  }
  return most;
}

}  // namespace

double common_unit(std::span<const double> loads) {
  double unit = 0;
  for (double load : loads) {
    while (load != 0) unit = std::exchange(load, std::fmod(unit, load));
  }
  return unit;
}

double work_bound_without_limits(const LDStats& stats, const WorkGoal& goal) {
  std::vector<double> fixed_s(stats.procs.size());
  for (std::size_t rank = 0; rank < fixed_s.size(); ++rank)
    fixed_s[rank] = static_cast<double>(stats.procs[rank].bg_walltime);
  std::vector<double> loads;
  double load_s = 0;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const auto rank = at(stats.from_proc[object]);
    const auto load = stats.load_s(object);
    if (stats.obj_data[object].migratable) {
      loads.push_back(load);
      load_s += load;
    } else {
      fixed_s[rank] += load / stats.procs[rank].pe_speed;
    }
  }
  double bound = 0;
  std::vector<Receiver> receivers;
  for (std::size_t rank = 0; rank < fixed_s.size(); ++rank) {
    const double alpha = goal.alpha(stats.procs[rank]);
    const Receiver receiver{alpha * fixed_s[rank] + goal.coefficients.gamma,
                            alpha / stats.procs[rank].pe_speed};
    bound = std::max(bound, receiver.base);
    if (stats.procs[rank].available) receivers.push_back(receiver);
  }
  if (loads.empty() || receivers.empty()) return bound;

  std::ranges::sort(loads, std::greater());
  double heaviest = std::numeric_limits<double>::infinity();
  for (const Receiver& rank : receivers) heaviest = std::min(heaviest, rank.base + rank.slope * loads[0]);
  return std::max(
      {bound, heaviest, shared_work(receivers, loads), even_work(receivers, load_s, common_unit(loads))});
}

}  // namespace plimsoll::balance
