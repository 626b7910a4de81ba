#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/study.hpp>

#include "cli/commands/layout/solve_options.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Checks the options about nodes, their kinds and limits of components. Throws Error (usage).
void check_node_options(const SolveOptions& options);

/// Returns the maximum task counts of --limit, by upper-case component.
std::map<std::string, std::int64_t> limits_of(const SolveOptions& options);

/// Two kinds of nodes, and the kinds that components use; empty for one kind.
struct KindsOfNodes {
  std::vector<pelayout::Partition> partitions;
  std::map<std::string, std::string> placed_on;  ///< by upper-case component
};

/// Returns the kinds of nodes of --partition and --on or, without options for nodes or totals, of the
/// problem.
KindsOfNodes kinds_of_nodes(const SolveOptions& options, const pelayout::Problem& problem);

/// Warns if an option replaces the kinds of nodes of a problem's file.
void warn_of_ignored_kinds(const SolveOptions& options, const pelayout::Problem& problem,
                           std::vector<Diagnostic>& warnings);

/// Returns the nodes of the machine; empty if it has two kinds, and unless options or the problem's file
/// require them.
std::optional<pelayout::Nodes> nodes_of(const SolveOptions& options, const pelayout::Problem& problem,
                                        const std::vector<pelayout::TimingFile>& runs,
                                        const Terminal& terminal);

/// Uses the nodes of the runs unless options or the problem's file specify nodes.
void use_measured_nodes(pelayout::StudyRequest& request, const SolveOptions& options,
                        const Terminal& terminal);

/// Returns the totals to compare, in tasks; empty if the problem's file specifies the total.
std::vector<std::int64_t> totals_of(const SolveOptions& options, const std::optional<pelayout::Nodes>& nodes,
                                    const std::vector<pelayout::Partition>& partitions);

}  // namespace plimsoll::cli
