#include "cli/options/phase_options.hpp"

#include "cli/options/integer_option.hpp"
#include "cli/options/load_model_option.hpp"
#include "cli/options/work_option.hpp"

namespace plimsoll::inline v0_1::cli {

void add_phase_options(CLI::App& app, balance::PhaseRequest& request) {
  add_integer_option(app, "--phase", request.phase, "Phase to balance (the last one with data on all ranks)");
  add_load_model_option(app, request.load_model);
  app.add_option("--load-dimension", request.columns.load_dimensions,
                 "A number in tasks' user_defined that is a further\nload, such as gpu_time; may be repeated")
      ->option_text("FIELD")
      ->allow_extra_args(false);
  app.add_option("--position", request.columns.position_field,
                 "An array of coordinates in tasks' user_defined\n(the objects' indices)")
      ->option_text("FIELD");
  add_integer_option(app, "--ranks-per-node", request.columns.ranks_per_node,
                     "Consecutive ranks that share a node (as the files say)")
      ->check([](const std::string& text) { return text.starts_with("-") ? "a node has ranks" : ""; });
  add_work_option(app, request.work, request.columns.memory);
}

}  // namespace plimsoll::cli
