#include "cli/options/phase_options.hpp"

#include "cli/options/integer_option.hpp"
#include "cli/options/load_model_option.hpp"
#include "cli/options/work_option.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_phase_options(CLI::App& app, balance::PhaseRequest& request) {
  add_integer_option(app, "--phase", request.phase,
                     "Phase to balance\n[default: the last phase with data on all ranks]");
  add_load_model_option(app, request.load_model);
  app.add_option("--load-dimension", request.columns.load_dimensions,
                 "Additional load: a number in user_defined or attributes\nof the tasks, e.g. gpu_time; may "
                 "be repeated")
      ->option_text("FIELD")
      ->allow_extra_args(false);
  app.add_option("--position", request.columns.position_field,
                 "Coordinates: an array in user_defined of the tasks\n[default: the objects' indices]")
      ->option_text("FIELD");
  add_integer_option(app, "--ranks-per-node", request.columns.ranks_per_node,
                     "Number of consecutive ranks per node\n[default: as specified in the files]")
      ->check([](const std::string& text) {
        return text.starts_with("-") ? "the number of ranks per node must be >= 0" : "";
      });
  add_work_option(app, request.work, request.columns.memory);
}

}  // namespace plimsoll::cli
