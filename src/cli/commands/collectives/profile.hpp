#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/part_summary.hpp>
#include <plimsoll/collectives/pop.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of the subcommands of `plimsoll collectives` that read a profile.
struct ProfileInput {
  std::vector<std::string> paths = {"."};
  std::optional<std::uint32_t> lead;  ///< selects the communicators with this lead rank
  std::string operation;              ///< selects this operation; empty: all operations
};

/// Adds PATH..., which defaults to the current directory.
void add_profile_input(OptionParser& parser, ProfileInput& input);
void add_profile_selection(OptionParser& parser, ProfileInput& input);

/// Number of one call, count set or communicator in the notation of options.
struct LeadNumber {
  std::uint32_t lead = 0;    ///< lead rank
  std::uint64_t number = 0;  ///< number of the item on that lead rank
};

/// Parses LEAD:NUMBER, the value of an option. Throws Error (usage) if it is invalid.
LeadNumber read_lead_number(const char* option, const std::string& text);

/// Reads the profile in files or directories, and displays the progress. Prints problems of the files as
/// warnings.
collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal);
/// Reads the profile at the paths of `input` in the same way. Keeps only the selected lead rank and
/// operation.
collectives::Profile read_profile(const ProfileInput& input, Terminal& terminal);
/// Reads a profile in the same way. Throws Error (bad_input) if it contains no counts.
collectives::Profile read_counts(const ProfileInput& input, Terminal& terminal);

/// Reads the file of MPI calls at these paths. Throws Error (bad_input) if there is none.
collectives::MpiCalls read_calls_of_program(const std::vector<std::string>& paths);

/// Reads the profile and the file of MPI calls at these paths in the same way.
collectives::RecordedRun read_run(const std::vector<std::string>& paths, Terminal& terminal);

/// Adds --traffic, whose default depends on the recorded data.
Option add_traffic_kind_option(OptionParser& parser, std::string& name);

/// Returns the kind with a name of --traffic; nothing if the name is empty.
std::optional<collectives::TrafficKind> traffic_kind(const std::string& name);

/// Returns part / whole, or 0 if the whole is 0.
inline double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}
inline std::string percentage(auto part, auto whole) {
  return support::format_percentage(share(static_cast<double>(part), static_cast<double>(whole)));
}

/// A range of message sizes.
struct MessageBin {
  std::size_t number = 0;  ///< position in the histogram
  std::string label;       ///< such as "1,024 to below 2,048"
};

/// Returns the bins between the first and the last one that contains messages in any of the histograms. The
/// bin of zero-byte messages is omitted, because tables list these messages separately.
std::vector<MessageBin> bins_to_show(const std::vector<std::uint64_t>& bins,
                                     std::initializer_list<const std::vector<std::uint64_t>*> histograms);

void add_bins_option(OptionParser& parser, collectives::SummaryOptions& options);

/// Formats the tables of a summary: inconsistent calls, operations, communicators, ranks, messages.
std::string summary_tables(const collectives::Summary& summary);

/// Formats the value of an efficiency or its factor.
inline std::string factor_text(std::optional<double> value) {
  return value ? support::format_fixed(*value, 3) : "unknown";
}

/// Formats the table of the efficiencies; "" if they are unknown.
std::string efficiency_table(const std::optional<collectives::Efficiencies>& efficiencies);

/// Formats the efficiencies, the share of the run that MPI takes, and the balance of the rest.
std::string mpi_share_text(const collectives::MpiSummary& summary, const Terminal& terminal);

/// Describes how much of a run its MPI calls cover, such as "MPI calls are known on 3 of 4 ranks, for up to
/// 12.3 s".
std::string known_calls_text(const collectives::MpiCalls& calls);

/// Returns a line that reports incomplete MPI calls; "" if they are complete.
std::string cut_short_text(const collectives::MpiCalls& calls);

std::string mpi_share_tables(const collectives::MpiCalls& calls, const collectives::MpiSummary& summary);

/// Formats a table of regions, of a run on `all_ranks` ranks; "" without regions.
std::string region_table(std::span<const collectives::RegionSummary> regions, std::size_t all_ranks);

/// Formats the tables of all regions, and of windows of time if their efficiencies differ.
std::string part_tables(const collectives::MpiCalls& calls, const collectives::MpiSummary& summary);

/// Returns at most three findings about a run whose profile is in `paths`. If the MPI calls of the whole
/// program were recorded, those about the run come first, and if MPI takes only a small share of it, they are
/// the only ones. Then follow those about collectives: about time, about bytes, and about the structure of
/// calls. Each one needs data that the profile contains, and concerns a relevant share of the run, as far as
/// it is known. If nothing does, the only finding says so. `summary` is that of the run's collectives.
std::vector<collectives::Finding> find_what_to_do(const collectives::RecordedRun& run,
                                                  const collectives::Summary& summary,
                                                  const std::vector<std::string>& paths);

/// Formats findings as the last lines of a summary; "" without findings.
std::string findings_text(const std::vector<collectives::Finding>& findings);

/// Returns the document of the profile at these paths, as `plimsoll collectives summary --json` prints it.
std::string summary_document(const std::vector<std::string>& paths, Terminal& terminal);

}  // namespace plimsoll::cli
