#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/manual/manual.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct HelpOptions {
  std::vector<std::string> names;
  std::string folder;
  bool force = false;
};

constexpr const char* help_examples =
    R"(  plimsoll help                         list subcommands and topics
  plimsoll help balance                 options of a subcommand
  plimsoll help layout solve            ... of another one
  plimsoll help phases                  a topic
  plimsoll help --write ~/.local/share  install man pages and completions)";

const Topic* topic_named(const std::string& name) {
  const auto found = std::ranges::find(topics(), name, &Topic::name);
  return found == topics().end() ? nullptr : &*found;
}

/// Returns the names of the subcommands of a command, and the topics if it is the program.
std::vector<std::string> names_below(const CommandDescription& command, const CommandDescription& program) {
  std::vector<std::string> names;
  for (const CommandDescription& subcommand : command.subcommands) names.push_back(subcommand.last_name());
  if (&command == &program)
    for (const Topic& topic : topics()) names.push_back(topic.name);
  return names;
}

std::string page_named(const std::vector<std::string>& names, const CommandDescription& program,
                       std::size_t width) {
  if (names.size() == 1)
    if (const Topic* const topic = topic_named(names.front())) return topic->text + '\n';
  const CommandDescription* command = &program;
  for (const std::string& name : names) {
    const CommandDescription* const below = command->find(name);
    if (below == nullptr && command->subcommands.empty())
      throw support::usage_error(fmt::format("unexpected argument {}: {} has no subcommands",
                                             support::in_quotes(name), command->name),
                                 "use plimsoll help " + command->name.substr(program.name.size() + 1));
    if (below == nullptr)
      throw support::unknown_name(command == &program ? "subcommand or topic" : "subcommand", name,
                                  names_below(*command, program));
    command = below;
  }
  return help_page(*command, width);
}

/// Writes man pages and completions where shells and man look for them below share/ of an installation.
void write_manual(const CommandDescription& program, const std::string& folder, bool force) {
  const auto write = [&](const std::string& path, const std::string& text) {
    const std::string file = folder + '/' + path;
    support::make_folder(file.substr(0, file.rfind('/')));
    support::write_text_file(file, text, force);
  };
  const auto write_man_page = [&](const CommandDescription& command) {
    std::string page = command.name;
    std::ranges::replace(page, ' ', '-');
    write("man/man1/" + page + ".1", man_page(command));
  };
  for_each_command(program, write_man_page);
  write_man_page(describe_vt_validator());
  write("man/man1/JSON_data_files_validator.py.1", man_page(describe_vt_validator()));  // its other name
  write("bash-completion/completions/plimsoll", bash_completion(program));
  write("zsh/site-functions/_plimsoll", zsh_completion(program));
  write("fish/vendor_completions.d/plimsoll.fish", fish_completion(program));
}

constexpr const char* completions_examples =
    R"(  source <(plimsoll completions bash)       complete in this shell; put the line into ~/.bashrc
  source <(plimsoll completions zsh)        ... into ~/.zshrc, after compinit
  plimsoll completions fish | source        ... into ~/.config/fish/config.fish)";

constexpr support::Named<std::string (*)(const CommandDescription&)> completion_writers[] = {
    {"bash", bash_completion},
    {"zsh", zsh_completion},
    {"fish", fish_completion},
};

}  // namespace

Command define_help(OptionParser& parser) {
  auto options = begin_command<HelpOptions>(parser, help_examples);
  const CommandDescription defined = parser.describe_program();  // help is the last subcommand
  parser.add_option("NAME", options->names, "Subcommand or topic [default: list them]")
      .suggests(names_below(defined, defined));
  const Option folder =
      add_text_option(parser, "--write DIR", options->folder,
                      "Write man pages and completions of bash, zsh and fish below DIR, the directory share "
                      "of an installation");
  parser.add_flag("--force", options->force, "Overwrite existing files").needs(folder);
  return [options, parser](Terminal& terminal) {
    const CommandDescription whole_program = parser.describe_program();
    if (!options->folder.empty())
      write_manual(whole_program, options->folder, options->force);
    else
      terminal.print(options->names.empty()
                         ? help_index(whole_program, terminal.text_width())
                         : page_named(options->names, whole_program, terminal.text_width()));
    return 0;
  };
}

Command define_completions(OptionParser& parser) {
  auto shell = begin_command<std::string>(parser, completions_examples);
  parser.add_option("SHELL", *shell, "Shell: bash, zsh or fish")
      .one_of(support::names_of(completion_writers))
      .required();
  return [shell, parser](Terminal& terminal) {
    const auto write = support::value_of(completion_writers, *shell, "shell");
    terminal.print(write(parser.describe_program()));
    return 0;
  };
}

}  // namespace plimsoll::cli
