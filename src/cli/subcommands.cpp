#include "cli/subcommands.hpp"

#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::cli {

Command define_subcommands(CLI::App& app, std::span<const Subcommand> subcommands) {
  app.require_subcommand(1);
  std::vector<std::pair<const CLI::App*, Command>> commands;
  for (const Subcommand& subcommand : subcommands) {
    CLI::App* defined = app.add_subcommand(subcommand.name, subcommand.help);
    commands.emplace_back(defined, subcommand.define(*defined));
  }
  return [commands = std::move(commands)](Terminal& terminal) {
    for (const auto& [subcommand, command] : commands)
      if (subcommand->parsed()) return command(terminal);
    return 0;
  };
}

}  // namespace plimsoll::cli
