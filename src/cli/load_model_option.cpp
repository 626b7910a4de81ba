#include "cli/load_model_option.hpp"

namespace plimsoll::cli {

void add_load_model_option(CLI::App& app, LoadModelOption& option) {
  app.add_option("--load-model", option.pipeline,
                 "Loads are those that this model expects for the phase\n"
                 "after it (those measured; see plimsoll models)")
      ->option_text("MODEL");
}

}  // namespace plimsoll::cli
