#include <cmath>
#include <cstdint>

#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/pelayout/answer.hpp>

#include "documents/describe.hpp"
#include "documents/layout_models.hpp"
#include "documents/layout_runs.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using namespace pelayout;

namespace {

/// A layout in a list.
struct ListedLayout {
  std::string name;
  std::string description;
  std::optional<std::string> expression;
  std::optional<std::vector<std::string>> components;
};

std::vector<ListedLayout> listed_layouts(const LayoutList&) {
  std::vector<ListedLayout> list;
  for (const Layout& layout : built_in_layouts())
    list.push_back(
        {layout.name, layout.description, to_string(layout.expression), components(layout.expression)});
  list.push_back({"Sequential", sequential_layout, {}, {}});
  return list;
}

/// A component of the solution, with its sensitivity if known.
struct PlaceInfo {
  const Place* place = nullptr;
  const ComponentSensitivity* sensitivity = nullptr;
};

std::vector<PlaceInfo> places_of(const Study& study) {
  std::vector<PlaceInfo> places;
  for (std::size_t k = 0; k < study.solution.places.size(); ++k) {
    const bool is_known = study.sensitivity && k < study.sensitivity->components.size();
    places.push_back({&study.solution.places[k], is_known ? &study.sensitivity->components[k] : nullptr});
  }
  return places;
}

using Count = std::variant<std::int64_t, double>;

NamedValues<Count> values_of(const Study& study) {
  NamedValues<Count> values;
  for (const auto& [name, value] : study.values) {
    const bool is_count = name.starts_with("N") && std::abs(value) < 9e15;
    values.emplace_back(name, is_count ? Count(std::int64_t{std::llround(value)}) : Count(value));
  }
  return values;
}

NamedValues<std::int64_t> tasks_of_places(const Solution& solution) {
  NamedValues<std::int64_t> tasks;
  for (const Place& place : solution.places) tasks.emplace_back(place.component, place.tasks);
  return tasks;
}

NamedValues<std::int64_t> tasks_of(const PesEntry& run) {
  NamedValues<std::int64_t> tasks;
  for (const auto& [component, pes] : run.components)
    if (pes.tasks) tasks.emplace_back(component, *pes.tasks);
  return tasks;
}

}  // namespace

template <>
inline constexpr std::array fields<ListedLayout> = {
    members<&ListedLayout::name, &ListedLayout::description>(),
    member<&ListedLayout::expression>("`null` for `Sequential`, which contains the components of the data"),
    member<&ListedLayout::components>("`null` for `Sequential`"),
};

template <>
inline constexpr std::array fields<LayoutList> = {field<listed_layouts>("layouts")};

template <>
inline constexpr std::array fields<Layout> = {
    members<&Layout::name, &Layout::description>(),
    field<[](const Layout& layout) {
      const bool is_empty = layout.expression.component.empty() && layout.expression.parts.empty();
      return is_empty ? "" : to_string(layout.expression);
    }>("expression", "`null` for an external solver")
        .or_null(),
};

template <>
inline constexpr std::array fields<Nodes> = {
    member<&Nodes::tasks_per_node>("in the unit of totals"),
    member<&Nodes::processors_per_node>(),
    member<&Nodes::shared>("whether concurrent components may share a node"),
    field<[](const Nodes& nodes, const Study& study) { return nodes.count(study.total); }>("total",
                                                                                           "number of nodes"),
    field<[](const Nodes& nodes, const Study& study) { return nodes.count(study.solution.processors); }>(
        "used", "number of nodes"),
};

template <>
inline constexpr std::array fields<Partition> = {
    member<&Partition::name>(),
    field<&Partition::n_nodes>("nodes", "number of nodes"),
    field<[](const Partition& partition) { return partition.nodes.count(partition.processors); }>(
        "used", "number of nodes"),
    field<[](const Partition& partition) { return partition.nodes.tasks_per_node; }>("tasks_per_node",
                                                                                     "in the unit of totals"),
    field<[](const Partition& partition) { return partition.nodes.shared; }>(
        "shared", "whether concurrent components may share a node"),
};

template <>
inline constexpr std::array fields<Place> = {
    members<&Place::component, &Place::tasks, &Place::threads, &Place::blocks, &Place::processors>(),
    member<&Place::root>("its first processor"),
    field<[](const Place& place) { return place.nodes == 0 ? std::nullopt : std::optional(place.nodes); }>(
        "nodes", "number of nodes that it runs on"),
    field<[](const Place& place, const Study& study) {
      const std::vector<Partition>& kinds = study.solution.partitions;
      return kinds.empty() ? std::nullopt : std::optional(kinds[place.partition].name);
    }>("partition", "its kind of nodes; `null` unless several exist"),
    member<&Place::cost>(),
    member<&Place::start>("when it begins"),
    member<&Place::end>("when it ends"),
};

template <>
inline constexpr std::array fields<ComponentSensitivity> = {
    member<&ComponentSensitivity::limiting>("whether it is on the critical path"),
    member<&ComponentSensitivity::slack>("time by which it may slow down"),
    member<&ComponentSensitivity::gain_of_block>("time saved if only this component gets one more block"),
    member<&ComponentSensitivity::waiting>("time for which its processors wait for concurrent parts; the "
                                           "widest component of a part has its wait. If your own layout is "
                                           "kept, it includes waiting that was measured in the component"),
    member<&ComponentSensitivity::share>("share of all processor time"),
    member<&ComponentSensitivity::extrapolated>(),
};

template <>
inline constexpr std::array fields<PlaceInfo> = {
    merged<&PlaceInfo::place>(),
    merged<&PlaceInfo::sensitivity>().or_absent(),
};

template <>
inline constexpr std::array fields<LeftOutComponent> = {
    members<&LeftOutComponent::component, &LeftOutComponent::tasks, &LeftOutComponent::cost>(),
};

template <>
inline constexpr std::array fields<Alternative> = {
    members<&Alternative::name, &Alternative::expression>(),
    merged<[](const Alternative& alternative, const Study& study) {
      const double time = alternative.expected.time;
      return cost_of(study, time, study.core_hours(alternative.solution, time, study.total));
    }>(),
    field<[](const Alternative& alternative) {
      return std::array{alternative.expected.range.min, alternative.expected.range.max};
    }>("range", "minimum and maximum of the time with a probability of 90 %"),
    field<&Alternative::solution, &Solution::time>("by_models",
                                                   "what its components add up to; `time` is expected"),
    member<&Alternative::solution, &Solution::places>(),
};

template <>
inline constexpr std::array fields<ComputedLayout> = {
    field<[](const ComputedLayout& computed) { return to_string(computed.layout.expression); }>("expression"),
    merged<[](const ComputedLayout& computed, const Study& study) {
      const double time = computed.expected.time;
      return cost_of(study, time, study.core_hours(computed.solution, time, study.total));
    }>(),
    field<[](const ComputedLayout& computed) {
      return std::array{computed.expected.range.min, computed.expected.range.max};
    }>("range", "minimum and maximum of the time with a probability of 90 %"),
    member<&ComputedLayout::solution, &Solution::places>(),
};

template <>
inline constexpr std::array fields<Sensitivity> = {
    member<&Sensitivity::idle>("share of the processor time in which no component computes"),
    member<&Sensitivity::block>(
        "number of processors in the largest block, in whole nodes unless they are shared"),
    field<&Sensitivity::one_block_more>("time_with_one_block_more"),
    field<&Sensitivity::one_block_less>("time_with_one_block_less"),
    member<&Sensitivity::sequential_cost>(
        "relative increase of the time if all components run in sequence, compared with the best layout with "
        "concurrent parts, by the models"),
    member<&Sensitivity::layout_hardly_matters>(
        "whether the best and the worst layout differ by less than 5 %"),
    member<&Sensitivity::alternatives>(),
};

template <>
inline constexpr std::array fields<SweepPoint> = {
    field<&SweepPoint::total>("total_tasks"),
    field<[](const SweepPoint& point, const Study& study) {
      const auto& nodes = study.plan.nodes;
      return nodes ? std::optional(nodes->count(point.total)) : std::nullopt;
    }>("nodes", "`null` if unknown"),
    merged<[](const SweepPoint& point, const Study& study) {
      return cost_of(study, point.time, point.core_hours);
    }>(),
    member<&SweepPoint::pareto>(),
    field<&SweepPoint::solution, tasks_of_places>("tasks", "of each component"),
};

template <>
inline constexpr std::array fields<TotalChoice> = {
    member<&TotalChoice::objective>(),
    field<[](const TotalChoice& choice) { return choice.sweep.points[choice.chosen].total; }>("chosen",
                                                                                              "a total"),
    field<&TotalChoice::sweep,
          [](const Sweep& sweep) {
            return sweep.knee ? std::optional(sweep.points[*sweep.knee].total) : std::nullopt;
          }>("knee", "a total"),
    member<&TotalChoice::sweep, &Sweep::points>(),
    member<&TotalChoice::sweep, &Sweep::infeasible>("totals"),
};

template <>
inline constexpr std::array fields<WorthMeasuring> = {
    members<&WorthMeasuring::component, &WorthMeasuring::tasks, &WorthMeasuring::threads>(),
    member<&WorthMeasuring::doubt>("uncertainty"),
    member<&WorthMeasuring::reason>(),
};

template <>
inline constexpr std::array fields<PesEntry> = {
    members<&PesEntry::pesize, &PesEntry::comment>(),
    field<tasks_of>("tasks"),
};

template <>
inline constexpr std::array fields<NextRuns> = {members<&NextRuns::counts, &NextRuns::runs>()};

template <>
inline constexpr std::array fields<Answer> = {
    field<&Answer::headline>("headline", "the first line of the text"),
    member<&Answer::remarks>("how the time compares with runs, and from what it follows"),
    member<&Answer::notes>("faster layouts, the critical path, the cost of waiting, and other totals"),
};

template <>
inline constexpr std::array fields<Study> = {
    field<[](const Study& study) { return answer(study); }>("answer", "the advice, in the text's sentences"),
    member<&Study::layout>(),
    field<&Study::total>("total_tasks", "the total used"),
    field<[](const Study& study) { return json_name(study.problem.unit); }>(
        "unit", "`seconds_per_day`, `total_seconds` or `seconds_per_step`"),
    member<&Study::plan, &PlanOptions::model>("the model used"),
    member<&Study::solver>("the solver used"),
    member<&Study::plan, &PlanOptions::exact_sum>("the option used"),
    member<&Study::counts_threads>("whether totals count processors (tasks × threads) rather than tasks"),
    merged<[](const Study& study) {
      return cost_of(study, study.solution, study.keeps_own_layout() ? study.own->total : study.total);
    }>(),
    member<&Study::expected>(
        "the first line of the text; see [how certain the time "
        "is](../explanation/layout-analysis.md#first-lines-check-how-certain-the-time-is). "
        "`null` for an external solver"),
    member<&Study::solution, &Solution::processors>("number of processors from the first to the last used; "
                                                    "without shared nodes, up to the end of the last node"),
    member<&Study::plan, &PlanOptions::nodes>("`null` if nodes are ignored or of two kinds"),
    member<&Study::solution, &Solution::partitions>("the two kinds of nodes of `--partition`; empty for one"),
    field<values_of>("solution",
                     "the solution under the names of CIME's tool: `COST_ATM`, `NBLOCKS_ATM`, `NTASKS_ATM`, "
                     "..., `COST_TOTAL`, `NTASKS_TOTAL`"),
    field<places_of>("places", "one entry per component of the layout"),
    member<&Study::own>("the fastest layout of your runs that fits on the total; `null` without one"),
    member<&Study::computed>(
        "the layout chosen among the computed ones if your own is kept and another fits; otherwise `null`"),
    member<&Study::runs>("one entry per timing file that contains a total"),
    member<&Study::left_out>("components that have a cost but are missing from the layout"),
    field<models_of>("models", "the models of the components"),
    member<&Study::sensitivity>("`null` for an external solver"),
    field<&Study::choice>("sweep", "comparison of totals; `null` for a single total"),
    member<&Study::prediction>("comparison with a timing file; `null` without one"),
    member<&Study::next_runs>("recommended timing runs; `null` for an external solver"),
};

template <>
inline constexpr std::array fields<StudyInfo> = {
    merged<[](const StudyInfo& info) -> const Study& { return info.study; }>(),
    field<[](const StudyInfo& info) { return lines_of(info.warnings); }>("warnings",
                                                                         "warnings about the data"),
    member<&StudyInfo::outputs>("the files written"),
};

template const Structure& structure<StudyInfo>();
template const Structure& structure<LayoutList>();

}  // namespace plimsoll::documents
