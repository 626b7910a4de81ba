#include <plimsoll/pelayout/answer.hpp>
#include <plimsoll/pelayout/internal/study_text.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace pelayout;

/// Formats the core hours or, because cores of two kinds of nodes cannot be added, the node hours of a year.
std::string cost_of_year(const Study& study) {
  const std::vector<Partition>& kinds = study.plan.partitions;
  if (kinds.empty()) return figure(study.core_hours()) + " core hours";
  std::vector<std::string> parts;
  parts.reserve(kinds.size());
  for (const Partition& kind : kinds)
    parts.push_back(
        fmt::format("{} {} node hours", figure(pelayout::core_hours(study.time(), kind.n_nodes)), kind.name));
  return enumeration(parts);
}

}  // namespace

std::string headline_text(const Study& study, const pelayout::Answer& answer, const Terminal& terminal) {
  std::string text = fmt::format("{}: {} {}{}\n", answer.layout, terminal.paint(Colour::bold, answer.time),
                                 answer.unit, answer.range);
  for (const std::string& line : answer.remarks) text += wrapped(line, terminal.text_width(), 2);
  if (study.per_day() && study.time() > 0)
    text += fmt::format("{} simulated years/day, {}/simulated year\n", figure(throughput(study.time())),
                        cost_of_year(study));
  if (study.problem.unit == pelayout::CostUnit::seconds_per_step)
    text += wrapped("Unknown simulated years/day: set --steps_per_day, the coupling steps per model day.",
                    terminal.text_width(), 2);
  return text;
}

}  // namespace plimsoll::cli
