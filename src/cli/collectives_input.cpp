#include "cli/collectives_input.hpp"

#include <utility>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/select.hpp>

#include "cli/integer_option.hpp"
#include "cli/terminal_progress.hpp"

namespace plimsoll::cli {

void add_collectives_input(CLI::App& app, CollectivesInput& input) {
  app.add_option("PATH", input.paths,
                 "Folders of the files of a profile, or such files\n(the current folder)");
}

void add_collectives_selection(CLI::App& app, CollectivesInput& input) {
  add_integer_option(app, "--lead", input.lead, "Only communicators whose rank 0 is this rank (all)")
      ->option_text("RANK");
  app.add_option("--operation", input.operation, "Only this operation, e.g. Alltoallv (all)")
      ->option_text("NAME");
}

collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal) {
  TerminalProgress progress(terminal);
  collectives::ReadResult result = collectives::read(paths, {}, progress);
  progress.end();
  terminal.show_warnings(result.findings);
  return std::move(result.profile);
}

collectives::Profile read_profile(const CollectivesInput& input, Terminal& terminal) {
  return collectives::select(read_profile(input.paths, terminal),
                             {.lead = input.lead, .operation = input.operation});
}

}  // namespace plimsoll::cli
