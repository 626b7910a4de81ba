#include <plimsoll/collectives/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

void reject_times_only(const collectives::Profile& profile) {
  const auto has_times = [](const collectives::Lead& lead) { return !lead.execution_s.empty(); };
  if (std::ranges::any_of(profile.leads, has_times))
    throw support::bad_input("the profile contains times, but no counts", "",
                             "use plimsoll collectives summary or plimsoll report to see the times");
}

using collectives::TrafficKind;

constexpr support::Named<TrafficKind> traffic_kinds[] = {{"collectives", TrafficKind::collectives},
                                                         {"p2p", TrafficKind::point_to_point},
                                                         {"all", TrafficKind::all}};

}  // namespace

void add_profile_input(OptionParser& parser, ProfileInput& input) {
  parser.add_option("PATH", input.paths,
                    "Directories that contain a profile, or profile files [default: the current directory]");
}

void add_profile_selection(OptionParser& parser, ProfileInput& input) {
  parser.add_option("--lead RANK", input.lead, "Only communicators whose rank 0 is this rank [default: all]");
  parser.add_option("--operation NAME", input.operation,
                    "Only this operation, e.g. Alltoallv [default: all]");
}

LeadNumber read_lead_number(const char* option, const std::string& text) {
  LeadNumber read;
  std::string_view rest = text;
  if (support::take_number(rest, read.lead) && support::take(rest, ":") &&
      support::take_number(rest, read.number) && rest.empty())
    return read;
  throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(text), option),
                             fmt::format("use a lead rank and a call ID, e.g. {} 0:3", option));
}

collectives::Profile read_profile(const std::vector<std::string>& paths, Terminal& terminal) {
  TerminalProgress progress(terminal);
  collectives::ReadResult result = collectives::read(paths, {}, progress);
  progress.end();
  terminal.show_warnings(result.findings);
  if (result.profile.leads.empty() && !result.findings.empty())
    throw support::bad_input("no readable profile data", paths.front(), "check the warnings for the causes");
  return std::move(result.profile);
}

collectives::Profile read_profile(const ProfileInput& input, Terminal& terminal) {
  return collectives::select(read_profile(input.paths, terminal),
                             {.lead = input.lead, .operation = input.operation});
}

collectives::Profile read_counts(const ProfileInput& input, Terminal& terminal) {
  collectives::Profile profile = read_profile(input, terminal);
  if (recorded_calls(profile) == 0) {
    reject_times_only(profile);
    expect_counts(collectives::RecordedRun(profile, collectives::find_mpi_calls(input.paths)));
  }
  return profile;
}

collectives::MpiCalls read_calls_of_program(const std::vector<std::string>& paths) {
  std::optional<collectives::MpiCalls> calls = collectives::find_mpi_calls(paths);
  if (!calls)
    throw support::bad_input("the profile does not contain the MPI calls of the program", paths.front(),
                             "use plimsoll profile --record mpi to record them");
  return *std::move(calls);
}

collectives::RecordedRun read_run(const std::vector<std::string>& paths, Terminal& terminal) {
  return {read_profile(paths, terminal), collectives::find_mpi_calls(paths)};
}

Option add_traffic_kind_option(OptionParser& parser, std::string& name) {
  return parser
      .add_option(
          "--traffic collectives|p2p|all", name,
          "Traffic of collectives, of point-to-point messages and one-sided transfers (p2p), or of both "
          "(all) [default: collectives if the profile contains them]")
      .one_of(support::names_of(traffic_kinds));
}

std::optional<TrafficKind> traffic_kind(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return support::value_of(traffic_kinds, name, "traffic");
}

}  // namespace plimsoll::cli
