#include "cli/commands/layout/layout_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

std::string figure(double number) {
  if (!std::isfinite(number)) return "-";
  const double size = std::abs(number);
  if (size >= 99.95 && size < 9e15) return (number < 0 ? "-" : "") + count(std::llround(size));
  if (size >= 9.995) return fmt::format("{:.1f}", number);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", number);
  return fmt::format("{:.3g}", number);
}

std::string cost_figure(double cost, double maximum) {
  const int decimals = maximum >= 1000 ? 1 : maximum >= 10 ? 2 : maximum >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", cost, decimals);
}

std::string enumeration(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

std::string sentence(const Diagnostic& diagnostic) {
  return diagnostic.what + (diagnostic.suggestion.empty() ? "" : "; " + diagnostic.suggestion);
}

std::size_t text_width(const Terminal& terminal) {
  return std::min<std::size_t>(terminal.width(), 100);
}

std::string wrapped(std::string_view paragraph, std::size_t width, std::size_t indent) {
  const std::string shown = support::printable(paragraph);
  std::string_view sentence = shown;
  std::string text;
  std::size_t column = 0;
  while (!sentence.empty()) {
    std::size_t end = sentence.find(' ');
    while (end != std::string_view::npos && end > 0 && sentence[end - 1] >= '0' && sentence[end - 1] <= '9')
      end = sentence.find(' ', end + 1);
    const std::string_view word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(sentence.size(), word.size() + 1));
    const std::size_t columns = support::display_width(word);
    if (column > 0 && column + 1 + columns > width) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += columns;
  }
  return text + '\n';
}

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

namespace {

std::vector<drawing::Plot> plots(const pelayout::Problem& problem,
                                 const std::vector<pelayout::ComponentModel>& models, std::int64_t total) {
  return pelayout::model_plots(problem, models, total, unit_symbol(problem.unit));
}

std::string plots_text(const std::vector<drawing::Plot>& plots, const Terminal& terminal) {
  std::string text;
  for (const drawing::Plot& plot : plots)
    text += (text.empty() ? "" : "\n") +
            plot_text(plot, {.width = text_width(terminal) - 1, .ascii = !terminal.utf8()});
  return text;
}

}  // namespace

std::string model_graphs(const pelayout::Problem& problem,
                         const std::vector<pelayout::ComponentModel>& models, std::int64_t total,
                         const Terminal& terminal) {
  return plots_text(plots(problem, models, total), terminal);
}

std::string model_graphs_svg(const pelayout::Problem& problem,
                             const std::vector<pelayout::ComponentModel>& models, std::int64_t total) {
  return plot_svg(plots(problem, models, total), "Component costs by task count");
}

std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal) {
  return plots_text(sweep_plots(sweep), terminal);
}

}  // namespace plimsoll::cli
