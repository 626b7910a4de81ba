#include "lbdata/comparing/record_comparison.hpp"

#include <compare>
#include <numeric>
#include <tuple>

#include <plimsoll/support/error.hpp>

#include "lbdata/comparing/json_comparison.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// What identifies an entity, whatever its other members.
struct RecordComparison::Identity {
  std::uint64_t bits = 0;  ///< `id`, else `seq_id`
  bool negative = false;
  std::string_view type;

  friend auto operator<=>(const Identity&, const Identity&) = default;
};

/// Task of one side.
struct RecordComparison::TaskRow {
  Identity identity;
  EntityIndex entity = 0;  ///< index in the common table
  std::uint32_t row = 0;
  const Tasks* tasks = nullptr;
  const NameTable* resources = nullptr;

  double time_s() const { return tasks->time_s[row]; }
  const std::string& resource() const { return (*resources)[tasks->resource[row]]; }
};

/// All edges of one side with the same ends and type, summed.
struct RecordComparison::Edge {
  Identity from;
  Identity to;
  std::string_view type;
  EntityIndex from_entity = 0;  ///< index in the common table
  EntityIndex to_entity = 0;
  double bytes = 0;
  std::int64_t messages = 0;

  auto ends() const { return std::tie(from, to, type, from_entity, to_entity); }
  auto order() const { return std::tie(from, to, type, from_entity, to_entity, bytes); }
};

namespace {

std::vector<EntityIndex> own_indices(const EntityTable& entities) {
  std::vector<EntityIndex> indices(entities.size());
  std::iota(indices.begin(), indices.end(), EntityIndex{0});
  return indices;
}

/// Subphases of a task, by id.
std::vector<std::pair<std::int32_t, double>> subphases_of(const Tasks& tasks, std::uint32_t row) {
  std::vector<std::pair<std::int32_t, double>> subphases;
  for (std::uint32_t k = tasks.subphase_begin(row); k < tasks.subphase_end[row]; ++k)
    subphases.emplace_back(tasks.subphase_id[k], tasks.subphase_time_s[k]);
  std::ranges::sort(subphases);
  return subphases;
}

std::vector<const WorkRecord*> sorted_iterations(const PhaseRecord& phase) {
  std::vector<const WorkRecord*> iterations;
  if (phase.lb_iterations)
    for (const WorkRecord& iteration : *phase.lb_iterations) iterations.push_back(&iteration);
  std::ranges::stable_sort(iterations, {}, &WorkRecord::id);
  return iterations;
}

std::optional<std::string> index_text(const EntityTable& entities, EntityIndex entity) {
  if (!entities.family(entity).has_index) return std::nullopt;
  const IndexTuple index = entities.index(entity);
  std::string text = "[";
  for (std::size_t k = 0; k < index.size(); ++k) text += fmt::format("{}{}", k == 0 ? "" : ",", index[k]);
  return text + "]";
}

std::optional<std::string> seq_id_text(const EntityTable& entities, EntityIndex entity) {
  const EntityFamily& family = entities.family(entity);
  if (!family.has_seq_id) return std::nullopt;
  return to_string(family.has_id ? entities.seq_id(entity) : entities.number(entity));
}

/// Returns the text of a value that only some entities have.
template <class Text>
std::optional<std::string> text_if(bool has_value, Text&& text) {
  return has_value ? std::optional<std::string>(text()) : std::nullopt;
}

}  // namespace

RecordComparison::RecordComparison(const Dataset& first, const Dataset& second, DifferenceList& differences)
    : entities_(first.entities),
      first_{first, own_indices(first.entities)},
      second_{second, entities_.merge(second.entities)},
      differences_(differences) {}

void RecordComparison::compare(const PhaseRecord& first, const PhaseRecord& second) {
  compare_work(first, second);
  match(
      sorted_iterations(first), sorted_iterations(second),
      [](const WorkRecord* record) { return record->id; },
      [&](const WorkRecord* a, const WorkRecord* b) {
        differences_.place.iteration = a->id;
        compare_work(*a, *b);
        differences_.place.iteration.reset();
      },
      [&](const WorkRecord* record, std::size_t a, std::size_t b) {
        differences_.compare_counts(fmt::format("lb_iterations/{}", record->id), a, b);
      });
}

void RecordComparison::compare_work(const WorkRecord& first, const WorkRecord& second) {
  compare_json("user_defined", first.user_defined.value_or(""), second.user_defined.value_or(""),
               differences_);
  compare_tasks(first.tasks, second.tasks);
  compare_edges(first.communications, second.communications);
  differences_.place.object.clear();
}

RecordComparison::Identity RecordComparison::identity_of(EntityIndex entity) const {
  const WideInteger number = entities_.number(entity);
  return {number.bits, number.negative, entities_.family(entity).type};
}

std::string RecordComparison::name_of(const Identity& identity) const {
  return fmt::format("{} {}", identity.type, to_string(WideInteger{identity.bits, identity.negative}));
}

std::vector<RecordComparison::TaskRow> RecordComparison::sorted_tasks(const Tasks& tasks,
                                                                      const Side& side) const {
  std::vector<TaskRow> rows;
  rows.reserve(tasks.size());
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    const EntityIndex entity = side.common[tasks.entity[row]];
    rows.push_back({identity_of(entity), entity, row, &tasks, &side.dataset.resources});
  }
  // An object that has several tasks, which is invalid, has them in an order that depends on their values.
  std::ranges::sort(rows, [](const TaskRow& a, const TaskRow& b) {
    if (a.identity != b.identity) return a.identity < b.identity;
    const auto values = [](const TaskRow& task) {
      return std::tuple(task.entity, task.time_s(), task.tasks->node[task.row],
                        std::string_view(task.resource()), task.tasks->user_defined.at(task.row),
                        task.tasks->attributes.at(task.row));
    };
    return values(a) < values(b);
  });
  return rows;
}

void RecordComparison::compare_tasks(const Tasks& first, const Tasks& second) {
  match(
      sorted_tasks(first, first_), sorted_tasks(second, second_),
      [](const TaskRow& task) { return task.identity; },
      [&](const TaskRow& a, const TaskRow& b) { compare_task(a, b); },
      [&](const TaskRow& task, std::size_t a, std::size_t b) {
        differences_.place.object = name_of(task.identity);
        differences_.compare_counts("task", a, b);
      });
}

void RecordComparison::compare_task(const TaskRow& first, const TaskRow& second) {
  differences_.place.object = name_of(first.identity);
  compare_entities("entity", first.entity, second.entity);
  differences_.compare("node", first.tasks->node[first.row], second.tasks->node[second.row]);
  differences_.compare("resource", first.resource(), second.resource());
  differences_.compare_measured("time", first.time_s(), second.time_s());
  compare_subphases(first, second);
  compare_json("user_defined", first.tasks->user_defined.at(first.row),
               second.tasks->user_defined.at(second.row), differences_);
  compare_json("attributes", first.tasks->attributes.at(first.row), second.tasks->attributes.at(second.row),
               differences_);
}

void RecordComparison::compare_subphases(const TaskRow& first, const TaskRow& second) {
  using Subphase = std::pair<std::int32_t, double>;
  match(
      subphases_of(*first.tasks, first.row), subphases_of(*second.tasks, second.row),
      [](const Subphase& subphase) { return subphase.first; },
      [&](const Subphase& a, const Subphase& b) {
        differences_.compare_measured(fmt::format("subphases/{}/time", a.first), a.second, b.second);
      },
      [&](const Subphase& subphase, std::size_t a, std::size_t b) {
        differences_.compare_counts(fmt::format("subphases/{}", subphase.first), a, b);
      });
}

std::vector<RecordComparison::Edge> RecordComparison::summed_edges(const std::optional<Communications>& edges,
                                                                   const Side& side) const {
  std::vector<Edge> sums;
  if (!edges) return sums;
  sums.reserve(edges->size());
  for (std::size_t k = 0; k < edges->size(); ++k) {
    const EntityIndex from = side.common[edges->from[k]];
    const EntityIndex to = side.common[edges->to[k]];
    sums.push_back({identity_of(from), identity_of(to), side.dataset.categories[edges->category[k]], from, to,
                    edges->bytes[k], edges->messages[k]});
  }
  // Add in the order of bytes, so that the rounded sum does not depend on the order in the file.
  std::ranges::sort(sums, {}, &Edge::order);
  std::size_t n_sums = 0;
  for (const Edge& edge : sums) {
    if (n_sums == 0 || sums[n_sums - 1].ends() != edge.ends()) {
      sums[n_sums++] = edge;
      continue;
    }
    Edge& sum = sums[n_sums - 1];
    sum.bytes += edge.bytes;
    if (__builtin_add_overflow(sum.messages, edge.messages, &sum.messages))
      throw support::bad_input("the messages of an edge exceed 64 bits in total", differences_.place.file,
                               "check the members 'messages' of communications");
  }
  sums.resize(n_sums);
  return sums;
}

void RecordComparison::compare_edges(const std::optional<Communications>& first,
                                     const std::optional<Communications>& second) {
  const auto enter = [&](const Edge& edge) {
    differences_.place.object =
        fmt::format("{} from {} to {}", edge.type, name_of(edge.from), name_of(edge.to));
  };
  match(
      summed_edges(first, first_), summed_edges(second, second_),
      [](const Edge& edge) { return std::tuple(edge.from, edge.to, edge.type); },
      [&](const Edge& a, const Edge& b) {
        enter(a);
        compare_entities("from", a.from_entity, b.from_entity);
        compare_entities("to", a.to_entity, b.to_entity);
        differences_.compare_measured("bytes", a.bytes, b.bytes);
        differences_.compare("messages", a.messages, b.messages);
      },
      [&](const Edge& edge, std::size_t a, std::size_t b) {
        enter(edge);
        differences_.compare_counts("communication", a, b);
      });
}

void RecordComparison::compare_entities(const std::string& field, EntityIndex first, EntityIndex second) {
  if (first == second) return;
  const auto compare = [&](const char* member, const auto& text_of) {
    const std::optional<std::string> a = text_of(first);
    const std::optional<std::string> b = text_of(second);
    if (a != b) differences_.add(field + member, a, b);
  };
  const auto family = [&](EntityIndex entity) -> const EntityFamily& { return entities_.family(entity); };
  compare("/id", [&](EntityIndex entity) {
    return text_if(family(entity).has_id, [&] { return to_string(entities_.number(entity)); });
  });
  compare("/seq_id", [&](EntityIndex entity) { return seq_id_text(entities_, entity); });
  compare("/collection_id", [&](EntityIndex entity) {
    return text_if(family(entity).has_collection_id, [&] { return to_string(family(entity).collection_id); });
  });
  compare("/objgroup_id", [&](EntityIndex entity) {
    return text_if(family(entity).has_objgroup_id, [&] { return to_string(family(entity).objgroup_id); });
  });
  compare("/home", [&](EntityIndex entity) {
    return text_if(family(entity).has_home, [&] { return value_text(entities_.home(entity)); });
  });
  compare("/migratable", [&](EntityIndex entity) {
    return text_if(family(entity).has_migratable, [&] { return value_text(family(entity).migratable); });
  });
  compare("/index", [&](EntityIndex entity) { return index_text(entities_, entity); });
}

}  // namespace plimsoll::lbdata
