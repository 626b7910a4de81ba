#include "cli/profile/profile_launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace plimsoll::cli {

namespace {

std::string preload(const std::string& interposer) {
  const char* others = std::getenv("LD_PRELOAD");
  return others == nullptr || *others == '\0' ? interposer : interposer + ":" + others;
}

// The --export of srun, if the user gives one. What follows the program's name is the program's.
std::optional<std::string> own_export(const std::vector<std::string>& command) {
  for (std::size_t k = 1; k < command.size() && command[k].starts_with("-"); ++k) {
    if (command[k].starts_with("--export=")) return command[k].substr(9);
    const bool has_value = command[k].size() == 2 && k + 1 < command.size();  // -n 4
    if (has_value && !command[k + 1].starts_with("-")) ++k;
  }
  return std::nullopt;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("_-+=./:,@%").find(letter) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

Launch make_launch(const std::vector<std::string>& command, Launcher launcher, const std::string& interposer,
                   const std::vector<std::pair<std::string, std::string>>& settings) {
  Launch launch{.command = command, .environment = settings, .warning = {}};
  const std::string preloaded = preload(interposer);
  std::vector<std::string> options;
  switch (launcher) {
    case Launcher::openmpi:
      options = {"-x", "LD_PRELOAD=" + preloaded};
      for (const auto& [name, value] : settings) options.insert(options.end(), {"-x", name});
      break;
    case Launcher::hydra:
      options = {"-genv", "LD_PRELOAD", preloaded};
      for (const auto& [name, value] : settings) options.insert(options.end(), {"-genv", name, value});
      break;
    case Launcher::slurm:
      if (const auto variables = own_export(command)) {
        launch.environment.emplace_back("LD_PRELOAD", preloaded);
        if (!variables->starts_with("ALL"))
          launch.warning =
              "srun --export=" + *variables + " keeps the interposer from the ranks; begin it with ALL";
      } else {
        options = {"--export=ALL,LD_PRELOAD=" + preloaded};
      }
      break;
    case Launcher::none: launch.environment.emplace_back("LD_PRELOAD", preloaded); break;
  }
  launch.command.insert(launch.command.begin() + 1, options.begin(), options.end());
  return launch;
}

std::string to_text(const Launch& launch) {
  std::string text;
  for (const auto& [name, value] : launch.environment) text += name + "=" + quoted(value) + " ";
  for (const std::string& word : launch.command) text += quoted(word) + " ";
  text.back() = '\n';
  return text;
}

}  // namespace plimsoll::cli
