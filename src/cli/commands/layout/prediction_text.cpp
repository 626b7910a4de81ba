#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

using namespace pelayout;

std::string prediction_text(const Study& study, const Terminal& terminal) {
  if (!study.prediction) return "";
  const Prediction& prediction = *study.prediction;
  const auto figure = [&](double cost) { return cost_figure(cost, prediction.predicted); };
  support::TextTable table({{"component"},
                            {"tasks", Align::right},
                            {"predicted", Align::right},
                            {"measured", Align::right},
                            {"error", Align::right}});
  for (const ComponentPrediction& component : prediction.components)
    table.add_row({component.component, count(component.tasks), figure(component.predicted),
                   figure(component.measured), support::format_difference(component.error())});
  table.add_rule();
  const auto total = [&](const char* name, double time) {
    table.add_row({name, "", figure(time), figure(prediction.measured),
                   support::format_difference(time / prediction.measured - 1)});
  };
  total("layout, from the models", prediction.predicted);
  total("layout, from its components", prediction.from_measured_components);
  total("run, expected", prediction.expected.time);
  std::string text =
      fmt::format("\nModels compared with {} ({}):\n", support::printable(prediction.path), unit_of(study)) +
      table.to_string(Terminal::width());
  if (prediction.expected.time > 0)
    text += wrapped(fmt::format("Expected total of the run: {} {} (90 %: {} to {}).",
                                figure(prediction.expected.time), unit_of(study),
                                figure(prediction.expected.range.min), figure(prediction.expected.range.max)),
                    terminal.text_width(), 2);
  for (const Diagnostic& warning : prediction.warnings)
    text += wrapped(sentence(warning), terminal.text_width(), 2);
  return text;
}

std::string runs_text(const Study& study) {
  std::string text;
  for (const Reproduction& run : study.runs)
    text += fmt::format("{} on {}: predicted {}, measured {} {} ({})\n", support::printable(run.path),
                        count(run.tasks, "task"), figure(run.predicted), figure(run.measured), unit_of(study),
                        support::format_difference(run.error()));
  return text;
}

}  // namespace plimsoll::cli
