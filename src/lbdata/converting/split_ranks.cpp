#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "lbdata/converting/rank_source.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Rows of a table, sorted by the rank that they belong to.
class RowsByRank {
 public:
  void add(std::size_t rank) { rows_.emplace_back(rank, rows_.size()); }
  void sort() { std::ranges::sort(rows_); }

  template <class Visit>
  void for_each_of(std::size_t rank, const Visit& visit) const {
    auto row = std::ranges::lower_bound(rows_, rank, {}, &Row::first);
    for (; row != rows_.end() && row->first == rank; ++row) visit(row->second);
  }

 private:
  using Row = std::pair<std::size_t, std::size_t>;
  std::vector<Row> rows_;
};

/// Ranks of the tasks and edges of a record.
struct RecordDivision {
  RowsByRank tasks;
  RowsByRank edges;
};

/// Data of a file, and the ranks that its records belong to.
class SplitFile {
 public:
  SplitFile(LoadedRank&& file, std::size_t ranks, std::size_t own_rank)
      : file_(std::move(file)), ranks_(ranks), own_rank_(own_rank) {
    for (const PhaseRecord& phase : file_.data().phases) {
      divisions_.push_back(divide(phase, phase.id));
      if (!phase.lb_iterations) continue;
      for (const WorkRecord& iteration : *phase.lb_iterations)
        divisions_.push_back(divide(iteration, phase.id));
    }
  }

  LoadedRank rank(std::size_t rank) const {
    LoadedRank part{.name = file_.name, .dataset = {}, .findings = {}};
    const Dataset& whole = file_.dataset;
    part.dataset.resources = whole.resources;
    part.dataset.categories = whole.categories;
    RankData& data = part.dataset.ranks.emplace_back();
    data.metadata = metadata(rank);
    auto division = divisions_.begin();
    for (const PhaseRecord& phase : whole.ranks.front().phases) {
      PhaseRecord& record = data.phases.emplace_back();
      copy(phase, *division++, rank, record, part.dataset.entities);
      if (!phase.lb_iterations) continue;
      record.lb_iterations.emplace();
      for (const WorkRecord& iteration : *phase.lb_iterations)
        copy(iteration, *division++, rank, record.lb_iterations->emplace_back(), part.dataset.entities);
    }
    if (rank == own_rank_) part.findings = file_.findings;
    return part;
  }

 private:
  using Number = std::pair<bool, std::uint64_t>;
  using RankOfNumber = std::vector<std::pair<Number, std::size_t>>;

  Number number(EntityIndex entity) const {
    const WideInteger number = file_.dataset.entities.number(entity);
    return {number.negative, number.bits};
  }

  RecordDivision divide(const WorkRecord& record, std::int64_t phase) const {
    RecordDivision division;
    RankOfNumber ranks;
    for (std::size_t task = 0; task < record.tasks.size(); ++task) {
      const std::size_t rank = checked_rank(record.tasks, task, phase);
      division.tasks.add(rank);
      ranks.emplace_back(number(record.tasks.entity[task]), rank);
    }
    division.tasks.sort();
    std::ranges::sort(ranks);
    if (!record.communications) return division;
    const Communications& edges = *record.communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      const auto receiver = rank_of(edges.to[edge], ranks);
      const auto sender = rank_of(edges.from[edge], ranks);
      division.edges.add(receiver ? *receiver : sender.value_or(own_rank_));
    }
    division.edges.sort();
    return division;
  }

  std::size_t checked_rank(const Tasks& tasks, std::size_t task, std::int64_t phase) const {
    const std::int32_t node = tasks.node[task];
    if (node >= 0 && static_cast<std::size_t>(node) < ranks_) return static_cast<std::size_t>(node);
    const std::string object = to_string(file_.dataset.entities.number(tasks.entity[task]));
    throw support::bad_input(fmt::format("object {} ran on rank {} in phase {}: must be between 0 and {}",
                                         object, node, phase, ranks_ - 1),
                             file_.name, "use the number of ranks of the program");
  }

  /// Returns the rank of an end of an edge, if the record contains its task or the end is a rank.
  std::optional<std::size_t> rank_of(EntityIndex end, const RankOfNumber& ranks) const {
    const EntityKind kind = file_.dataset.entities.kind(end);
    const Number wanted = number(end);
    if (kind == EntityKind::node && !wanted.first && wanted.second < ranks_)
      return static_cast<std::size_t>(wanted.second);
    if (kind != EntityKind::object) return std::nullopt;
    const auto found = std::ranges::lower_bound(ranks, wanted, {}, &RankOfNumber::value_type::first);
    if (found == ranks.end() || found->first != wanted) return std::nullopt;
    return found->second;
  }

  RankMetadata metadata(std::size_t rank) const {
    const RankMetadata& whole = file_.dataset.ranks.front().metadata;
    RankMetadata metadata;
    if (rank == own_rank_) metadata = whole;
    metadata.top_level_type = whole.top_level_type;
    metadata.phases = whole.phases;
    metadata.present = true;
    metadata.type = "LBDatafile";
    metadata.rank = static_cast<std::int64_t>(rank);
    return metadata;
  }

  /// Copies the part of a record that belongs to a rank. The file's own rank gets the values of the record.
  void copy(const WorkRecord& whole, const RecordDivision& division, std::size_t rank, WorkRecord& part,
            EntityTable& entities) const {
    part.id = whole.id;
    if (rank == own_rank_) part.user_defined = whole.user_defined;
    const auto replace = [&](EntityIndex& entity) {
      entity = entities.intern(file_.dataset.entities, entity);
    };
    division.tasks.for_each_of(rank, [&](std::size_t task) {
      part.tasks.append(whole.tasks, task);
      replace(part.tasks.entity.back());
    });
    if (!whole.communications) return;
    part.communications.emplace();
    division.edges.for_each_of(rank, [&](std::size_t edge) {
      part.communications->append(*whole.communications, edge);
      replace(part.communications->from.back());
      replace(part.communications->to.back());
    });
  }

  LoadedRank file_;
  std::size_t ranks_;
  std::size_t own_rank_;
  std::vector<RecordDivision> divisions_;  // one per phase and per iteration, in order
};

}  // namespace

RankSource split_ranks(LoadedRank&& file, std::size_t ranks, std::size_t own_rank) {
  const auto split = std::make_shared<const SplitFile>(std::move(file), ranks, own_rank);
  return {.ranks = ranks,
          .load = [split](std::size_t rank) { return split->rank(rank); },
          .runs = {},
          .files = {}};
}

}  // namespace plimsoll::lbdata
