#include <array>

#include <plimsoll/documents/layouts.hpp>

#include "documents/describe.hpp"
#include "documents/layouts/study_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

template <>
inline constexpr std::array fields<ListedLayout> = {
    field<&ListedLayout::name>("name"),
    field<&ListedLayout::description>("description"),
    field<&ListedLayout::expression>("expression",
                                     "`null` for `Sequential`, which contains the components of the data"),
    field<&ListedLayout::components>("components", "`null` for `Sequential`"),
};

template <>
inline constexpr std::array fields<LayoutList> = {
    field<listed_layouts>("layouts"),
};

template <>
inline constexpr std::array fields<Layout> = {
    field<&Layout::name>("name"),
    field<&Layout::description>("description"),
    field<expression_of>("expression", "`null` for an external solver"),
};

template <>
inline constexpr std::array fields<RunCost> = {
    field<&RunCost::time>("time"),
    field<&RunCost::simulated_years_per_day>("simulated_years_per_day"),
    field<&RunCost::core_hours_per_simulated_year>("core_hours_per_simulated_year"),
};

template <>
inline constexpr std::array fields<Reproduction> = {
    field<&Reproduction::path>("file"),
    field<&Reproduction::tasks>("tasks", "of the whole run"),
    field<&Reproduction::total>("total", "the same, or its processors if `counts_threads`"),
    field<&Reproduction::predicted>("predicted", "expected from the models"),
    field<&Reproduction::measured>("measured"),
    field<&Reproduction::error>("error"),
};

template <>
inline constexpr std::array fields<CalibratingRun> = {
    field<&CalibratingRun::run, &Reproduction::path>("file"),
    field<&CalibratingRun::run, &Reproduction::tasks>("tasks"),
    field<&CalibratingRun::run, &Reproduction::total>("total"),
    field<&CalibratingRun::run, &Reproduction::measured>("measured"),
    field<&CalibratingRun::time, &ExpectedTime::change>("change", "relative, from `measured` to `time`"),
    field<&CalibratingRun::time, &ExpectedTime::is_certain>("certain",
                                                            "whether `measured` lies outside `range`"),
};

template <>
inline constexpr std::array fields<Expectation> = {
    merged<&Expectation::cost>(),
    field<&Expectation::range>("range", "minimum and maximum of the time with a probability of 90 %"),
    field<&Expectation::time, &ExpectedTime::by_models>("by_models", "the expected time without your runs"),
    field<&Expectation::time, run_of>("run", "the run that calibrates the time; `null` without runs"),
};

template <>
inline constexpr std::array fields<UsedNodes> = {
    field<&UsedNodes::nodes, &pelayout::Nodes::tasks_per_node>("tasks_per_node", "in the unit of totals"),
    field<&UsedNodes::nodes, &pelayout::Nodes::processors_per_node>("processors_per_node"),
    field<&UsedNodes::nodes, &pelayout::Nodes::shared>("shared",
                                                       "whether concurrent components may share a node"),
    field<&UsedNodes::total>("total", "number of nodes"),
    field<&UsedNodes::used>("used", "number of nodes"),
};

template <>
inline constexpr std::array fields<Place> = {
    field<&Place::component>("component"),
    field<&Place::tasks>("tasks"),
    field<&Place::threads>("threads"),
    field<&Place::blocks>("blocks"),
    field<&Place::processors>("processors"),
    field<&Place::root>("root", "its first processor"),
    field<known_nodes>("nodes", "number of nodes that it runs on"),
    field<&Place::cost>("cost"),
    field<&Place::start>("start", "when it begins"),
    field<&Place::end>("end", "when it ends"),
};

template <>
inline constexpr std::array fields<ComponentSensitivity> = {
    field<&ComponentSensitivity::limiting>("limiting", "whether it is on the critical path"),
    field<&ComponentSensitivity::slack>("slack", "time by which it may slow down"),
    field<&ComponentSensitivity::gain_of_block>("gain_of_block",
                                                "time saved if only this component gets one more block"),
    field<&ComponentSensitivity::share>("share", "share of all processor time"),
    field<&ComponentSensitivity::extrapolated>("extrapolated"),
};

template <>
inline constexpr std::array fields<PlaceInfo> = {
    merged<&PlaceInfo::place>(),
    merged<&PlaceInfo::sensitivity>().or_absent(),
};

template <>
inline constexpr std::array fields<LeftOutComponent> = {
    field<&LeftOutComponent::component>("component"),
    field<&LeftOutComponent::tasks>("tasks"),
    field<&LeftOutComponent::cost>("cost"),
};

template <>
inline constexpr std::array fields<FitQuality> = {
    field<&FitQuality::a>("a"),
    field<&FitQuality::b>("b"),
    field<&FitQuality::c>("c"),
    field<&FitQuality::d>("d"),
    field<&FitQuality::r_squared>("r_squared").or_null(),
    field<&FitQuality::typical_error>("typical_error").or_null(),
    field<&FitQuality::outliers>("outliers"),
};

template <>
inline constexpr std::array fields<Sample> = {
    field<&Sample::repeats>("repeats", "this key and the next two only if measured"),
    field<&Sample::minimum>("least"),
    field<&Sample::maximum>("greatest"),
};

template <>
inline constexpr std::array fields<PointInfo> = {
    field<&PointInfo::point, &ModelPoint::tasks>("tasks"),
    field<&PointInfo::point, &ModelPoint::cost>("cost"),
    field<&PointInfo::point, &ModelPoint::extrapolated>("extrapolated"),
    merged<&PointInfo::sample>().or_absent(),
};

template <>
inline constexpr std::array fields<ModelInfo> = {
    field<&ModelInfo::component>("component"),
    field<&ModelInfo::model>("model"),
    field<&ModelInfo::block_size>("block_size"),
    field<&ModelInfo::threads>("threads"),
    field<&ModelInfo::points>("points"),
    field<&ModelInfo::fit>("fit", "the curve a/n + b n^c + d; `null` for other models"),
    field<&ModelInfo::warnings>("warnings"),
};

template <>
inline constexpr std::array fields<AlternativeInfo> = {
    field<&AlternativeInfo::alternative, &Alternative::name>("name"),
    field<&AlternativeInfo::alternative, &Alternative::expression>("expression"),
    merged<&AlternativeInfo::cost>(),
    field<&AlternativeInfo::alternative, &Alternative::solution, &Solution::places>("places"),
};

template <>
inline constexpr std::array fields<SensitivityInfo> = {
    field<&SensitivityInfo::sensitivity, &Sensitivity::idle>(
        "idle", "share of the processor time in which no component computes"),
    field<&SensitivityInfo::sensitivity, &Sensitivity::block>(
        "block", "number of processors in the largest block, in whole nodes unless they are shared"),
    field<&SensitivityInfo::sensitivity, &Sensitivity::one_block_more>("time_with_one_block_more"),
    field<&SensitivityInfo::sensitivity, &Sensitivity::one_block_less>("time_with_one_block_less"),
    field<&SensitivityInfo::sensitivity, &Sensitivity::layout_hardly_matters>(
        "layout_hardly_matters", "whether the best and the worst layout differ by less than 5 %"),
    field<&SensitivityInfo::alternatives>("alternatives"),
};

template <>
inline constexpr std::array fields<SweepPointInfo> = {
    field<&SweepPointInfo::point, &SweepPoint::total>("total_tasks"),
    field<&SweepPointInfo::nodes>("nodes", "`null` if unknown"),
    merged<&SweepPointInfo::cost>(),
    field<&SweepPointInfo::point, &SweepPoint::pareto>("pareto"),
    field<&SweepPointInfo::tasks>("tasks", "of each component"),
};

template <>
inline constexpr std::array fields<SweepInfo> = {
    field<&SweepInfo::choice, &pelayout::TotalChoice::objective>("objective"),
    field<&SweepInfo::chosen>("chosen", "a total"),
    field<&SweepInfo::knee>("knee", "a total"),
    field<&SweepInfo::points>("points"),
    field<&SweepInfo::choice, &pelayout::TotalChoice::sweep, &Sweep::infeasible>("infeasible", "totals"),
};

template <>
inline constexpr std::array fields<ComponentPrediction> = {
    field<&ComponentPrediction::component>("component"),
    field<&ComponentPrediction::tasks>("tasks"),
    field<&ComponentPrediction::threads>("threads"),
    field<&ComponentPrediction::predicted>("predicted").or_null(),
    field<&ComponentPrediction::measured>("measured"),
    field<&ComponentPrediction::error>("error").or_null(),
};

template <>
inline constexpr std::array fields<Prediction> = {
    field<&Prediction::path>("file"),
    field<&Prediction::predicted>("predicted", "time of the layout by the models"),
    field<&Prediction::from_measured_components>("from_measured_components",
                                                 "time of the layout with the times measured in this run")
        .or_null(),
    field<&Prediction::measured>("measured", "total time of the run").or_null(),
    field<&Prediction::components>("components"),
};

template <>
inline constexpr std::array fields<WorthMeasuring> = {
    field<&WorthMeasuring::component>("component"), field<&WorthMeasuring::tasks>("tasks"),
    field<&WorthMeasuring::threads>("threads"),     field<&WorthMeasuring::doubt>("doubt", "uncertainty"),
    field<&WorthMeasuring::reason>("reason"),
};

template <>
inline constexpr std::array fields<PesEntry> = {
    field<&PesEntry::pesize>("pesize"),
    field<&PesEntry::comment>("comment"),
    field<tasks_of>("tasks"),
};

template <>
inline constexpr std::array fields<NextRuns> = {
    field<&NextRuns::counts>("counts"),
    field<&NextRuns::runs>("runs"),
};

template <>
inline constexpr std::array fields<Study> = {
    field<&Study::layout>("layout"),
    field<&Study::total>("total_tasks", "the total used"),
    field<unit_of>("unit", "`seconds_per_day` or `total_seconds`"),
    field<&Study::plan, &PlanOptions::model>("model", "the model used"),
    field<&Study::solver>("solver", "the solver used"),
    field<&Study::plan, &PlanOptions::exact_sum>("exact_sum", "the option used"),
    field<&Study::counts_threads>("counts_threads",
                                  "whether totals count processors (tasks × threads) rather than tasks"),
    merged<cost_of_study>(),
    field<expectation_of>("expected",
                          "the first line of the text; see [how certain the time "
                          "is](../explanation/layout-analysis.md#first-lines-check-how-certain-the-time-is). "
                          "`null` for an external solver"),
    field<&Study::solution, &Solution::processors>("processors",
                                                   "number of processors from the first to the last used; "
                                                   "without shared nodes, up to the end of the last node"),
    field<used_nodes>("nodes", "`null` without `--tasks_per_node`"),
    field<values_of>("solution",
                     "the solution under the names of CIME's tool: `COST_ATM`, `NBLOCKS_ATM`, `NTASKS_ATM`, "
                     "..., `COST_TOTAL`, `NTASKS_TOTAL`"),
    field<places_of>("places", "one entry per component of the layout"),
    field<&Study::runs>("runs", "one entry per timing file that contains a total"),
    field<&Study::left_out>("left_out", "components that have a cost but are missing from the layout"),
    field<models_of>("models", "the models of the components"),
    field<sensitivity_of>("sensitivity", "`null` for an external solver"),
    field<sweep_of>("sweep", "comparison of totals; `null` for a single total"),
    field<&Study::prediction>("prediction", "comparison with a timing file; `null` without one"),
    field<&Study::next_runs>("next_runs", "recommended timing runs; `null` for an external solver"),
};

template <>
inline constexpr std::array fields<StudyInfo> = {
    merged<study_of>(),
    field<warnings_of_study>("warnings", "warnings about the data"),
    field<&StudyInfo::outputs>("outputs", "the files written"),
};

template <>
const Structure& structure<StudyInfo>() {
  return structure_of<StudyInfo>;
}

template <>
const Structure& structure<LayoutList>() {
  return structure_of<LayoutList>;
}

}  // namespace plimsoll::documents
