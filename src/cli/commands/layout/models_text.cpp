#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/layout/layout_text.hpp"
#include "cli/commands/layout/solve_text.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using pelayout::Component;
using pelayout::ModelPoint;
using pelayout::Sample;

std::string point_line(const Component& component, const ModelPoint& point, std::int64_t threads) {
  std::string line = fmt::format("{:4}: {:f}", point.tasks, point.cost);
  const Sample* sample = component.find(point.tasks, threads);
  if (point.extrapolated)
    line += " (extrapolated)";
  else if (sample != nullptr && sample->maximum > sample->minimum)
    line += fmt::format(" ({} runs: {:f} to {:f})", sample->repeats, sample->minimum, sample->maximum);
  return line + '\n';
}

std::string formula(const pelayout::FitQuality& fit) {
  if (fit.a == 0 && fit.b == 0 && fit.d == 0) return "  zero cost\n";
  std::string text = fmt::format("  {:.6g} / n", fit.a);
  if (fit.b > 0) text += fmt::format(" + {:.6g} n^{:.4g}", fit.b, fit.c);
  if (fit.d > 0) text += fmt::format(" + {:.6g}", fit.d);
  text += fmt::format("   R^2 {:.4f}, typical error {}\n", fit.r_squared,
                      support::format_percentage(fit.typical_error));
  if (!fit.outliers.empty())
    text += fmt::format("  outliers with low weight: {}\n", fmt::join(fit.outliers, ", "));
  return text;
}

}  // namespace

std::string models_text(const pelayout::Study& study) {
  std::string text;
  for (const pelayout::ComponentModel& model : study.models) {
    const Component* component = study.problem.find(model.component);
    if (component == nullptr) continue;
    for (const auto& [threads, scaling] : model.by_threads) {
      text += fmt::format("***{}***", model.component);
      if (model.by_threads.size() > 1) text += fmt::format(" {}", count(threads, "thread"));
      text += '\n';
      for (const ModelPoint& point : scaling->points()) text += point_line(*component, point, threads);
      if (const auto quality = scaling->quality()) text += formula(*quality);
    }
  }
  return text;
}

}  // namespace plimsoll::cli
