#include <fmt/format.h>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/version.hpp>

#include "cli/manual/manual.hpp"
#include "cli/terminal/text.hpp"

// Source of the requests: groff_man(7).

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

/// Escapes text so that it stays as it is: also hyphens, which would become dashes that a shell rejects.
std::string roff(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char letter : text) {
    if (begins_line && (letter == '.' || letter == '\'')) result += "\\&";
    begins_line = letter == '\n';
    switch (letter) {
      case '\\': result += "\\e"; break;
      case '-': result += "\\-"; break;
      case '\'': result += "\\(aq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += letter;
    }
  }
  return result;
}

constexpr std::size_t examples_width = 72;  // man indents them

std::string page_name(const CommandDescription& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string reference_to(const std::string& page) {
  return fmt::format(".BR {} (1)", roff(page));
}

/// Formats lines that stay as they are.
std::string literal(std::string_view text) {
  return fmt::format(".nf\n{}\n.fi\n", roff(text.substr(0, text.find_last_not_of('\n') + 1)));
}

/// Formats help. Its lists become literal lines.
std::string help_text(std::string_view help) {
  const std::size_t list = help.find("\n  ");
  std::string text = roff(help.substr(0, list)) + '\n';
  if (list != std::string_view::npos)
    text += fmt::format(".RS\n.nf\n{}\n.fi\n.RE\n", roff(help.substr(list + 1)));
  return text;
}

std::string man_option(const OptionDescription& option) {
  std::string name =
      joined(option.names, ", ", [](const std::string& each) { return "\\fB" + roff(each) + "\\fR"; });
  if (!option.is_flag())
    name += fmt::format("{}\\fI{}\\fR", option.is_positional() ? "" : " ", roff(option.placeholder));
  std::string text = fmt::format(".TP\n{}\n{}", name, help_text(option.help));
  const bool lists_choices = option.help.find("\n  ") != std::string::npos;
  if (!option.choices.empty() && !lists_choices)
    text += fmt::format("Values: {}.\n", roff(joined(option.choices, ", ")));
  return text;
}

std::string man_options(const CommandDescription& command) {
  std::string text;
  std::string heading;
  for (const OptionDescription& option : command.options) {
    if (option.heading != heading) text += fmt::format(".SH {}\n", support::upper_case(roff(option.heading)));
    heading = option.heading;
    text += man_option(option);
  }
  return text;
}

std::string man_subcommands(const CommandDescription& command) {
  std::string text;
  for (const CommandDescription& subcommand : command.subcommands)
    text += fmt::format(".TP\n{}\n{}\n", reference_to(page_name(subcommand)), roff(subcommand.help));
  return text.empty() ? "" : ".SH SUBCOMMANDS\n" + text;
}

std::string man_topics() {
  std::string text;
  for (const Topic& topic : topics())
    text += fmt::format(".SH {}\n{}.\n.PP\n.in 0\n{}.in\n", support::upper_case(roff(topic.name)),
                        roff(topic.summary), literal(topic.text));
  return text;
}

}  // namespace

std::string man_page(const CommandDescription& command) {
  const std::string name = page_name(command);
  const std::size_t group = name.rfind('-');
  const bool is_program = group == std::string::npos;
  return fmt::format(
             ".TH {} 1 \"\" \"Plimsoll {}\" \"Plimsoll manual\"\n.SH NAME\n{} \\- {}\n"
             ".SH SYNOPSIS\n\\fB{}\\fR {}\n.SH EXAMPLES\n{}",
             support::upper_case(roff(name)), PLIMSOLL_VERSION, roff(name), roff(command.help),
             roff(command.name), roff(command.arguments),
             literal(examples_list(command.examples, examples_width))) +
         man_options(command) + man_subcommands(command) + (is_program ? man_topics() : "") +
         fmt::format(".SH SEE ALSO\n{}\n", is_program
                                               ? "\\fBplimsoll help\\fR, \\fBplimsoll\\-validator\\fR(1)"
                                               : reference_to(name.substr(0, group)));
}

}  // namespace plimsoll::cli
