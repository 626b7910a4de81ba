#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* list_examples =
    R"(  plimsoll layout list                                           list the built-in layouts
  plimsoll layout solve --layout E3SM --timing_dir timing --total_tasks 1024
  plimsoll layout solve --layout '(ATM ; LND) | OCN' --timing_dir timing --total_tasks 1024)";

std::string list_text() {
  support::TextTable table({{"layout"}, {"expression"}});
  std::string descriptions;
  for (const pelayout::Layout& layout : pelayout::built_in_layouts())
    table.add_row({layout.name, to_string(layout.expression)});
  table.add_row({"Sequential", "ATM ; OCN ; ..."});
  for (const pelayout::Layout& layout : pelayout::built_in_layouts())
    descriptions += fmt::format("{}: {}\n", layout.name, layout.description);
  return table.to_string() + "\n" + descriptions + "Sequential: " + documents::sequential_layout +
         "\n\n\";\" separates parts that run sequentially on the same tasks, \"|\" parts that run "
         "concurrently.\n"
         "--layout also accepts an expression, or a YAML file with bounds per component\n"
         "(docs/reference/layouts.md).\n";
}

}  // namespace

Command define_layout_list(OptionParser& parser) {
  auto json = std::make_shared<bool>(false);
  parser.set_examples(list_examples);
  add_json_option(parser, *json);
  return [json](Terminal& terminal) {
    terminal.print(*json ? documents::to_json(documents::LayoutList{}) : list_text());
    return 0;
  };
}

}  // namespace plimsoll::cli
