#include "collectives/launching/launcher_options.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include <plimsoll/support/quoted.hpp>

namespace plimsoll::inline v0_1::collectives {

namespace {

std::string preload(const std::string& interposer) {
  const char* others = std::getenv("LD_PRELOAD");
  return others == nullptr || *others == '\0' ? interposer : interposer + ":" + others;
}

// Returns the value of srun's option --export, if it is given. Options after the program's name belong to the
// program.
std::optional<std::string> own_export(const std::vector<std::string>& command) {
  for (std::size_t k = 1; k < command.size() && command[k].starts_with("-"); ++k) {
    if (command[k].starts_with("--export=")) return command[k].substr(9);
    const bool has_value = command[k].size() == 2 && k + 1 < command.size();  // -n 4
    if (has_value && !command[k + 1].starts_with("-")) ++k;
  }
  return std::nullopt;
}

}  // namespace

void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch) {
  const std::string preloaded = preload(interposer);
  std::vector<std::string> options;
  switch (launcher) {
    case Launcher::openmpi:
      options = {"-x", "LD_PRELOAD=" + preloaded};
      for (const auto& [name, value] : launch.environment) options.insert(options.end(), {"-x", name});
      break;
    case Launcher::hydra:
      options = {"-genv", "LD_PRELOAD", preloaded};
      for (const auto& [name, value] : launch.environment)
        options.insert(options.end(), {"-genv", name, value});
      break;
    case Launcher::slurm:
      if (const auto variables = own_export(launch.command)) {
        launch.environment.emplace_back("LD_PRELOAD", preloaded);
        if (!variables->starts_with("ALL"))
          launch.warning =
              "srun --export=" + *variables +
              " does not pass the interposer to the ranks; set ALL as the first value of --export";
      } else if (preloaded.find(',') != std::string::npos) {  // srun separates variables by commas
        launch.environment.emplace_back("LD_PRELOAD", preloaded);
        options = {"--export=ALL"};
      } else {
        options = {"--export=ALL,LD_PRELOAD=" + preloaded};
      }
      break;
    case Launcher::none: launch.environment.emplace_back("LD_PRELOAD", preloaded); break;
  }
  launch.command.insert(launch.command.begin() + 1, options.begin(), options.end());
}

std::string to_shell_text(const ProfileLaunch& launch) {
  std::string text;
  for (const auto& [name, value] : launch.environment)
    text += name + "=" + support::shell_quoted(value) + " ";
  for (const std::string& word : launch.command) text += support::shell_quoted(word) + " ";
  text.back() = '\n';
  return text;
}

}  // namespace plimsoll::collectives
