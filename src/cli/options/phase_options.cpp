#include "cli/options/phase_options.hpp"

#include "cli/options/load_model_option.hpp"
#include "cli/options/work_option.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_phase_options(OptionParser& parser, balance::PhaseRequest& request) {
  parser.add_option("--phase N", request.phase,
                    "Phase to balance\n[default: the last phase with data on all ranks]");
  add_load_model_option(parser, request.load_model);
  parser
      .add_option("--load-dimension FIELD", request.columns.load_dimensions,
                  "Additional load: a number in user_defined or attributes\nof the tasks, e.g. gpu_time; may "
                  "be repeated")
      .one_word_each();
  parser.add_option("--position FIELD", request.columns.position_field,
                    "Coordinates: an array in user_defined of the tasks\n[default: the objects' indices]");
  parser
      .add_option("--ranks-per-node N", request.columns.ranks_per_node,
                  "Number of consecutive ranks per node\n[default: as specified in the files]")
      .check([](const std::string& text) {
        return text.starts_with("-") ? "the number of ranks per node must be >= 0" : "";
      });
  add_work_option(parser, request.work, request.columns.memory);
}

}  // namespace plimsoll::cli
