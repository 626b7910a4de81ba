#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Function that runs a subcommand after its options are parsed; returns the exit status.
using Command = std::function<int(Terminal&)>;

// Functions that define the options of subcommands, one file per subcommand. The footer of the help contains
// examples.
Command define_validate(CLI::App& app);
Command define_info(CLI::App& app);
Command define_generate(CLI::App& app);
Command define_balance(CLI::App& app);
Command define_compare(CLI::App& app);
Command define_report(CLI::App& app);
Command define_serve(CLI::App& app);
Command define_repair(CLI::App& app);
Command define_export(CLI::App& app);
Command define_models(CLI::App& app);
Command define_strategies(CLI::App& app);
Command define_spec(CLI::App& app);
Command define_profile(CLI::App& app);
Command define_collectives(CLI::App& app);
Command define_layout(CLI::App& app);

// Subcommands of `plimsoll collectives`.
Command define_collectives_summary(CLI::App& app);
Command define_collectives_patterns(CLI::App& app);
Command define_collectives_matrix(CLI::App& app);
Command define_collectives_calls(CLI::App& app);
Command define_collectives_sites(CLI::App& app);
Command define_collectives_compare(CLI::App& app);
Command define_collectives_merge(CLI::App& app);
Command define_collectives_export(CLI::App& app);
Command define_collectives_reorder(CLI::App& app);

// Subcommands of `plimsoll layout`.
Command define_layout_solve(CLI::App& app);
Command define_layout_submit(CLI::App& app);
Command define_layout_list(CLI::App& app);

}  // namespace plimsoll::cli
