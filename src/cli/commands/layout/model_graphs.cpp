#include "cli/commands/layout/model_graphs.hpp"

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/pelayout/graphs.hpp>

#include "cli/commands/layout/layout_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

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
