#include "cli/layout/model_graphs.hpp"

#include <algorithm>

#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/plot.hpp>

namespace plimsoll::cli {

namespace {

support::PlotTextOptions text_options(const Terminal& terminal) {
  return {.width = std::min<std::size_t>(terminal.width(), 100) - 1, .ascii = !terminal.utf8()};
}

}  // namespace

void show_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                       std::int64_t total, const std::string& svg_path, bool force, Terminal& terminal) {
  (void)problem;
  (void)models;
  (void)total;
  (void)terminal;
  if (!svg_path.empty()) write_model_graphs(problem, models, total, svg_path, force);
}

void write_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                        std::int64_t total, const std::string& svg_path, bool force) {
  (void)problem;
  (void)models;
  (void)total;
  support::OutputFile file(svg_path, {.overwrite = force});
  file.close();
}

std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal) {
  (void)sweep;
  (void)text_options(terminal);
  return "";
}

}  // namespace plimsoll::cli
