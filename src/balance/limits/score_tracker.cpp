#include "balance/limits/score_tracker.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

RankMaximum::RankMaximum(std::vector<double> values) : n_leaves_(std::bit_ceil(values.size() + 1)) {
  tree_.assign(2 * n_leaves_, 0);
  std::ranges::copy(values, tree_.begin() + static_cast<std::ptrdiff_t>(n_leaves_));
  for (std::size_t node = n_leaves_ - 1; node > 0; --node)
    tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
}

void RankMaximum::add(std::size_t rank, double change) {
  std::size_t node = n_leaves_ + rank;
  tree_[node] += change;
  while (node > 1) {
    node /= 2;
    tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
  }
}

ScoreTracker::ScoreTracker(const LDStats& stats, const ScoreTerms& terms, std::vector<std::int32_t> placement)
    : stats_(stats), terms_(terms), placement_(std::move(placement)) {
  if (terms_.kind == ScoreTerms::Kind::none || terms_.kind == ScoreTerms::Kind::own)
    terms_ = ScoreTerms::of_load(true);
  add_columns();
  if (weighs_traffic()) connect();
}

void ScoreTracker::add_columns() {
  const ProcArray procs(stats_);
  const double average = procs.average_load();
  // Communication scores compare whole phases.
  if (terms_.all_loads && !weighs_traffic() && !stats_.subphases.empty()) {
    n_phase_columns_ = stats_.subphases.count;
    for (std::vector<double>& times : subphase_times(stats_, placement_))
      columns_.emplace_back(std::move(times));
  } else {
    columns_.emplace_back(finish_times(stats_, placement_));
  }
  average_.assign(n_phase_columns_, average);
  if (weighs_traffic())
    balanced_load_ =
        std::max(terms_.tolerance, average > 0 ? finish_time_bound(stats_, procs).time_s / average : 0.0);
  if (!terms_.all_loads) return;
  for (const LoadDimension& dimension : stats_.more_loads) {
    std::vector<double> loads(stats_.procs.size(), 0.0);
    double sum = 0;
    for (std::size_t object = 0; object < placement_.size(); ++object) {
      const auto load = static_cast<double>(dimension.of_object[object]);
      loads[at(placement_[object])] += load;
      sum += load;
    }
    columns_.emplace_back(std::move(loads));
    average_.push_back(procs.n_available() > 0 ? sum / procs.n_available() : 0);
  }
}

void ScoreTracker::connect() {
  first_partner_.assign(placement_.size() + 2, 0);
  const auto is_edge = [](const LDCommData& comm) { return comm.sender != comm.receiver; };
  for (const LDCommData& comm : stats_.comm_data)
    for (const CommEnd end : {comm.sender, comm.receiver})
      if (is_edge(comm) && end.is_object()) ++first_partner_[end.index() + 2];
  std::partial_sum(first_partner_.begin(), first_partner_.end(), first_partner_.begin());
  partners_.resize(first_partner_.back(), Partner{CommEnd::object(0), 0});
  for (const LDCommData& comm : stats_.comm_data) {
    if (!is_edge(comm)) continue;
    const double bytes = comm.bytes + terms_.per_message * static_cast<double>(comm.messages);
    if (rank_of(comm.sender) != rank_of(comm.receiver)) off_rank_bytes_ += bytes;
    if (comm.sender.is_object())
      partners_[first_partner_[comm.sender.index() + 1]++] = {comm.receiver, bytes};
    if (comm.receiver.is_object())
      partners_[first_partner_[comm.receiver.index() + 1]++] = {comm.sender, bytes};
  }
  first_partner_.pop_back();
  migration_cost_ = cost_per_migration(terms_, stats_);
  for (std::size_t object = 0; object < placement_.size(); ++object)
    if (placement_[object] != stats_.from_proc[object]) off_rank_bytes_ += migration_cost_;
}

double ScoreTracker::load(std::uint32_t object, std::size_t column, std::int32_t rank) const {
  if (column >= n_phase_columns_)
    return static_cast<double>(stats_.more_loads[column - n_phase_columns_].of_object[object]);
  const double load_s = n_phase_columns_ > 1
                            ? stats_.subphases.load_s(object, static_cast<std::uint32_t>(column))
                            : stats_.load_s(object);
  return load_s / stats_.procs[at(rank)].pe_speed;
}

template <typename Value>
double ScoreTracker::relative_max(const Value& value_of_column) const {
  double phase_s = 0;
  for (std::size_t column = 0; column < n_phase_columns_; ++column) phase_s += value_of_column(column);
  double relative = average_[0] > 0 ? phase_s / average_[0] : 0;
  if (weighs_traffic()) relative -= balanced_load_;
  for (std::size_t column = n_phase_columns_; column < columns_.size(); ++column) {
    if (average_[column] <= 0) continue;
    const double of_dimension = value_of_column(column) / average_[column];
    relative = std::max(relative, weighs_traffic() ? of_dimension - terms_.tolerance : of_dimension);
  }
  return std::max(relative, 0.0);
}

Score ScoreTracker::score() const {
  return {relative_max([&](std::size_t column) { return columns_[column].max(); }), off_rank_bytes_};
}

void ScoreTracker::move(std::uint32_t object, std::int32_t to) {
  const std::int32_t from = placement_[object];
  off_rank_bytes_ += added_traffic(object, to);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].add(at(from), -load(object, column, from));
    columns_[column].add(at(to), load(object, column, to));
  }
  placement_[object] = to;
}

double ScoreTracker::load_with(std::uint32_t object, std::int32_t to, std::span<const double> floor) const {
  return relative_max([&](std::size_t column) {
    return std::max(floor[column], columns_[column].of_rank(at(to)) + load(object, column, to));
  });
}

double ScoreTracker::relative_load(std::uint32_t object, std::int32_t rank) const {
  const auto share = [](double load, double average) { return average > 0 ? load / average : 0; };
  double relative = share(stats_.load_s(object) / stats_.procs[at(rank)].pe_speed, average_[0]);
  for (std::size_t column = n_phase_columns_; column < columns_.size(); ++column)
    relative = std::max(relative, share(load(object, column, rank), average_[column]));
  return relative;
}

std::vector<double> ScoreTracker::maxima() const {
  std::vector<double> maxima;
  for (const RankMaximum& column : columns_) maxima.push_back(column.max());
  return maxima;
}

double ScoreTracker::added_traffic(std::uint32_t object, std::int32_t to) const {
  const std::int32_t from = placement_[object];
  const std::int32_t home = stats_.from_proc[object];
  double added = (to != home ? migration_cost_ : 0) - (from != home ? migration_cost_ : 0);
  for (const Partner& partner : partners(object)) {
    const std::int32_t rank = rank_of(partner.end);
    if (rank == from) added += partner.bytes;
    if (rank == to) added -= partner.bytes;
  }
  return added;
}

}  // namespace plimsoll::balance
