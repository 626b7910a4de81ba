#include "cli/subcommands.hpp"

#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::cli {

Command define_subcommands(OptionParser& parser, std::span<const Subcommand> subcommands) {
  std::vector<std::pair<OptionParser, Command>> commands;
  for (const Subcommand& subcommand : subcommands) {
    OptionParser defined = parser.add_subcommand(subcommand.name, subcommand.help);
    commands.emplace_back(defined, subcommand.define(defined));
  }
  return [commands = std::move(commands)](Terminal& terminal) {
    for (const auto& [subcommand, command] : commands)
      if (subcommand.is_chosen()) return command(terminal);
    return 0;
  };
}

}  // namespace plimsoll::cli
