#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>

#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/answer/sentences.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double smallest_shown_share = 0.001;  ///< of the core hours, for the waiting of a component

/// Formats a time next to that of the solution: "24.67 s/day".
std::string with_unit(const Study& study, double time) {
  return fmt::format("{} {}", cost_figure(time, study.solution.time), unit_of(study));
}

/// Returns the difference between an expected time and that of the solution.
std::string change_of_time(const Study& study, const ExpectedTime& expected) {
  return support::format_difference(expected.time / study.time() - 1);
}

/// Describes a faster layout: "Another layout is expected to be faster: AtmLnd takes 24.67 s/day (-4.4 %)."
std::string what_is_faster(const Study& study) {
  const Alternative* other = study.faster_layout();
  if (other == nullptr) return "";
  return fmt::format("Another layout is expected to be faster: {} takes {} ({}).", other->layout(),
                     with_unit(study, other->expected.time), change_of_time(study, other->expected));
}

/// Describes a layout whose gain is uncertain: "ATM ; OCN is expected to take 20.73 s/day (-6.3 %), but is
/// less certain: it may take up to 35.30 s/day, this layout up to 32.80 s/day (90 %)."
std::string what_may_be_faster(const Study& study) {
  if (study.faster_layout() != nullptr || !study.sensitivity || !study.expected ||
      study.sensitivity->alternatives.empty())
    return "";
  const Alternative& other = study.sensitivity->alternatives.front();
  if (other.expected.time > (1 - worthwhile_gain) * study.time()) return "";
  const bool is_less_certain = other.expected.range.max > study.expected->range.max;
  return fmt::format("{} is expected to take {} ({}){} it may take up to {}, this layout up to {} (90 %).",
                     other.layout(), with_unit(study, other.expected.time),
                     change_of_time(study, other.expected), is_less_certain ? ", but is less certain:" : ":",
                     with_unit(study, other.expected.range.max), with_unit(study, study.expected->range.max));
}

/// Lists the limiting components: "ATM and ICE are on the critical path."
std::string what_limits(const Sensitivity& sensitivity) {
  const std::vector<std::string> limiting = sensitivity.limiting();
  return limiting.empty() ? ""
                          : fmt::format("{} {} on the critical path.", enumeration(limiting),
                                        limiting.size() == 1 ? "is" : "are");
}

/// Describes other totals: "By the models, 8 tasks more in total: 23.76 s/day (-0.8 %); 8 less: 24.12 s/day
/// (+0.7 %)."
std::string what_more_brings(const Study& study, const Sensitivity& sensitivity) {
  const auto& nodes = study.plan.nodes;
  const bool whole_nodes = nodes && !nodes->shared;
  const std::int64_t block = whole_nodes ? nodes->count(sensitivity.block) : sensitivity.block;
  const char* const unit = whole_nodes ? "node" : processor_of(study);
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& time, const std::string& change) {
    if (time)
      parts.push_back(fmt::format("{}: {} ({})", change, with_unit(study, *time),
                                  support::format_difference(*time / study.solution.time - 1)));
  };
  add(sensitivity.one_block_more, counted(block, unit) + " more in total");
  add(sensitivity.one_block_less,
      (parts.empty() ? counted(block, unit) : support::format_count(static_cast<std::uint64_t>(block))) +
          " less");
  return parts.empty() ? "" : fmt::format("By the models, {}.", fmt::join(parts, "; "));
}

/// Names the core hours in which processors wait: "Waiting for other components costs 1,020 core hours per
/// simulated year: OCN 900 and LND 120."
std::string what_waiting_costs(const Study& study, const Sensitivity& sensitivity) {
  if (!study.per_day() || study.solution.time <= 0 || !study.plan.partitions.empty()) return "";
  double sum = 0;
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < sensitivity.components.size(); ++k) {
    const double hours = study.waiting_core_hours(k);
    sum += hours;
    if (hours <= smallest_shown_share * study.core_hours()) continue;
    parts.push_back(fmt::format("{} {}", sensitivity.components[k].component, figure(hours)));
  }
  const bool is_measured = study.keeps_own_layout() && study.own->measures_waiting;
  return parts.empty()
             ? ""
             : fmt::format("Waiting for other components costs {} core hours per simulated year{}: {}.",
                           figure(sum), is_measured ? ", as measured" : "", enumeration(parts));
}

/// Describes the sequential coupling cost: "All components in sequence would take 13.7 % longer than the best
/// layout with concurrent parts (sequential coupling cost, by the models)."
std::string what_sequence_costs(const Sensitivity& sensitivity) {
  if (!sensitivity.sequential_cost) return "";
  const double cost = *sensitivity.sequential_cost;
  return fmt::format(
      "All components in sequence would take {} {} than the best layout with concurrent parts "
      "(sequential coupling cost, by the models).",
      support::format_percentage(std::abs(cost)), cost < 0 ? "less time" : "longer");
}

std::string what_is_left_out(const Study& study) {
  if (study.left_out.empty()) return "";
  std::vector<std::string> parts;
  for (const LeftOutComponent& component : study.left_out)
    parts.push_back(fmt::format("{} ({} {} on {})", component.component, figure(component.cost),
                                unit_of(study), counted(component.tasks, "task")));
  return fmt::format("Not included in the layout or its time: {}. Add important components to --layout.",
                     enumeration(parts));
}

}  // namespace

std::vector<std::string> notes_of(const Study& study) {
  std::vector<std::string> notes = {what_is_faster(study), what_may_be_faster(study),
                                    what_is_left_out(study)};
  if (study.sensitivity) {
    const Sensitivity& sensitivity = *study.sensitivity;
    notes.insert(notes.end(), {what_limits(sensitivity), what_waiting_costs(study, sensitivity),
                               what_sequence_costs(sensitivity)});
    if (!study.keeps_own_layout()) notes.push_back(what_more_brings(study, sensitivity));
    if (sensitivity.layout_hardly_matters)
      notes.emplace_back(
          "The choice of layout hardly matters: the slowest of the compared layouts takes less than 5 % "
          "longer "
          "than the fastest.");
  }
  std::erase(notes, "");
  return notes;
}

}  // namespace plimsoll::pelayout
