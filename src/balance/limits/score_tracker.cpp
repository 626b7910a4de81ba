#include "balance/limits/score_tracker.hpp"

#include <algorithm>
#include <utility>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

MaximumTree tree_of(const std::vector<double>& values) {
  MaximumTree tree(values.size());
  for (std::size_t position = 0; position < values.size(); ++position) tree.set(position, values[position]);
  return tree;
}

}  // namespace

ScoreTracker::ScoreTracker(const LDStats& stats, const ScoreTerms& terms, std::vector<std::int32_t> placement)
    : stats_(stats), terms_(terms), placement_(std::move(placement)) {
  if (terms_.kind == ScoreTerms::Kind::none || terms_.kind == ScoreTerms::Kind::own)
    terms_ = ScoreTerms::of_load(true);
  add_columns();
  if (weighs_traffic()) add_traffic();
}

void ScoreTracker::add_columns() {
  const ProcArray procs(stats_);
  const double average = procs.average_load();
  // Communication scores compare whole phases.
  if (terms_.all_loads && !weighs_traffic() && !stats_.subphases.empty()) {
    n_phase_columns_ = stats_.subphases.count;
    for (const std::vector<double>& times : subphase_times(stats_, placement_))
      columns_.push_back(tree_of(times));
  } else {
    columns_.push_back(tree_of(finish_times(stats_, placement_)));
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
    columns_.push_back(tree_of(loads));
    average_.push_back(procs.n_available() > 0 ? sum / procs.n_available() : 0);
  }
}

void ScoreTracker::add_traffic() {
  affinity_.emplace(stats_, terms_.per_message);
  for (const LDCommData& comm : stats_.comm_data)
    if (rank_of(comm.sender) != rank_of(comm.receiver))
      off_rank_bytes_ += comm.bytes + terms_.per_message * static_cast<double>(comm.messages);
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

void ScoreTracker::add_load(std::size_t column, std::int32_t rank, double change) {
  columns_[column].set(at(rank), columns_[column].value(at(rank)) + change);
}

void ScoreTracker::move(std::uint32_t object, std::int32_t to) {
  const std::int32_t from = placement_[object];
  off_rank_bytes_ += added_traffic(object, to);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    add_load(column, from, -load(object, column, from));
    add_load(column, to, load(object, column, to));
  }
  placement_[object] = to;
}

double ScoreTracker::load_with(std::uint32_t object, std::int32_t to, std::span<const double> floor) const {
  return relative_max([&](std::size_t column) {
    return std::max(floor[column], columns_[column].value(at(to)) + load(object, column, to));
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
  for (const MaximumTree& column : columns_) maxima.push_back(column.max());
  return maxima;
}

double ScoreTracker::added_traffic(std::uint32_t object, std::int32_t to) const {
  const std::int32_t from = placement_[object];
  const std::int32_t home = stats_.from_proc[object];
  double added = (to != home ? migration_cost_ : 0) - (from != home ? migration_cost_ : 0);
  for (const Affinity::Partner& partner : partners(object)) {
    const std::int32_t rank = rank_of(partner.end);
    if (rank == from) added += partner.cost;
    if (rank == to) added -= partner.cost;
  }
  return added;
}

}  // namespace plimsoll::balance
