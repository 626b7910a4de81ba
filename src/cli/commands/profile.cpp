#include "cli/commands/collectives/profile.hpp"

#include <fmt/ranges.h>

#include <cstdlib>
#include <sstream>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ProfileOptions {
  std::string program;
  std::string folder;
  std::string mpi;
  std::string snapshot;
  std::vector<std::string> profiling;  ///< words for parse_profiling_options()
  collectives::ProfileRequest request;
  bool dry_run = false;
};

struct SettingOption {
  const char* name;
  const char* placeholder;
  const char* help;
};
constexpr SettingOption setting_options[] = {
    {"sample", "N", "Record every N-th call of a communicator"},
    {"first", "N", "Record from the N-th call on, counted from 0"},
    {"limit", "N", "Record at most N calls of a communicator"},
    {"operations", "LIST",
     "Operations to record, separated by commas, such as alltoallv,ialltoallw [default: all]"},
    {"depth", "N",
     "With --record mpi, functions to record per call: 1 for that of the call, more for its callers "
     "[default: 8]"},
    {"memory", "SIZE", "Memory per rank for known counts [default: 64MiB]"},
    {"merge", "WHEN",
     "When to merge the ranks' logs of collectives: now (when the program ends), or later, with collectives "
     "merge; the MPI calls of --record mpi are always written when the program ends [default: now]"},
};

struct FlagOption {
  const char* name;
  const char* profiling_option;
  const char* help;
};
constexpr FlagOption flag_options[] = {
    {"--no-text", "no-text", "Write only collectives.job<J>.profile, no text files"},
    {"--not-compact", "not-compact", "Write one file per call"},
    {"--dotted-names", "dotted-names", "With --not-compact, name files counts.rankX_callY.md"},
    {"--legacy-text", "legacy-text", "Write the text of the collective profiler, with its errors"},
    {"--force", "overwrite", "Overwrite an existing profile"},
};

constexpr const char* profile_examples =
    R"(  plimsoll profile -- mpirun -n 4 ./app arguments        record the traffic between ranks
  plimsoll profile --record counts,times -- srun ./app   ... and the times of the calls
  plimsoll profile --sample 10 -o day1 -- mpirun ./app   every 10th call, written to the directory day1
  plimsoll profile --dry-run -- mpirun -n 4 ./app        show the command without running it
  plimsoll collectives summary plimsoll-profile          show the results)";

std::string check_record(const std::string& list) {
  const std::vector<std::string> contents = collectives::profiling_contents();
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (std::ranges::find(contents, word) != contents.end()) continue;
    return fmt::format(
        "unknown content {}: {}", support::in_quotes(word),
        support::did_you_mean(word, contents, fmt::format("expected {}", fmt::join(contents, ", "))));
  }
  return list.empty() ? "nothing to record" : "";
}

std::vector<std::string> command_of(const OptionParser& parser, const std::string& program) {
  const std::vector<std::string> rest = parser.remaining();
  std::vector<std::string> command = {program};
  if (!rest.empty() && rest.front() == "--") {
    command.insert(command.end(), rest.begin() + 1, rest.end());
    return command;
  }
  if (rest.empty() || !rest.front().starts_with("-"))
    throw support::usage_error("missing \"--\" before the command",
                               "use plimsoll profile [options] -- " + support::shell_quoted(program));
  throw support::usage_error(
      fmt::format("unknown option {} of plimsoll profile", support::in_quotes(rest.front())),
      support::did_you_mean(rest.front(), parser.option_names(), "specify options of the command after --",
                            support::NameStyle::bare));
}

/// Returns the word for parse_profiling_options(), in which commas separate words.
std::string setting_word(const std::string& name, std::string value) {
  std::ranges::replace(value, ',', '+');
  return name + "=" + value;
}

std::string check_setting(const std::string& name, const std::string& value) {
  try {
    collectives::parse_profiling_options(setting_word(name, value));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// Parses a duration of at least one second, such as "10m"; nothing if it is invalid.
std::optional<double> seconds_in(std::string_view text) {
  constexpr double min_s = 1;
  constexpr double max_s = 365 * 86400.0;
  constexpr std::pair<char, double> units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  double unit_s = 1;
  for (const auto& [letter, seconds] : units)
    if (text.ends_with(letter)) {
      unit_s = seconds;
      text.remove_suffix(1);
      break;
    }
  const auto number = support::parse_number<double>(text);
  const bool is_valid = number && *number * unit_s >= min_s && *number * unit_s <= max_s;
  return is_valid ? std::optional(*number * unit_s) : std::nullopt;
}

std::string check_snapshot(const std::string& text) {
  return seconds_in(text)
             ? ""
             : fmt::format("invalid interval {}: expected a time from 1s to 365 days, such as 30s, 10m or 2h",
                           support::in_quotes(text));
}

collectives::ProfilingOptions options_in_environment() {
  collectives::ProfilingOptions options;
  options.folder = "plimsoll-profile";
  if (const char* const text = std::getenv(collectives::profiling_options_variable)) try {
      options = collectives::parse_profiling_options(text, options);
    } catch (const Error& error) {
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.file = collectives::profiling_options_variable;
      throw Error(error.kind(), diagnostic);
    }
  const char* const folder = std::getenv(collectives::profiling_folder_variable);
  if (folder && *folder) options.folder = folder;
  return options;
}

collectives::ProfileRequest request_of(const ProfileOptions& options) {
  collectives::ProfileRequest request = options.request;
  request.options = collectives::parse_profiling_options(fmt::format("{}", fmt::join(options.profiling, ",")),
                                                         options_in_environment());
  request.options.quiet = true;
  if (!options.folder.empty()) request.options.folder = options.folder;
  if (!options.snapshot.empty()) request.snapshot_s = seconds_in(options.snapshot);
  if (request.snapshot_s && !request.options.mpi)
    throw support::usage_error("--snapshot needs MPI calls, which are not recorded", "use --record mpi");
  if (!options.mpi.empty()) request.mpi = support::value_of(collectives::mpi_flavours, options.mpi, "MPI");
  return request;
}

std::string explain(const collectives::ProfileOutcome& outcome) {
  using enum collectives::EmptyProfileCause;
  const std::string program = outcome.empty.program;
  switch (outcome.empty.cause) {
    case no_calls:
      return "the program called none of the operations to record; use --record mpi to record all MPI calls";
    case other_mpi: return "the program uses another MPI; specify it with --mpi";
    case unseen_init:
      return "MPI_Init did not reach the profiler, which records all MPI calls from there on only: another "
             "tool, or the program itself, defines MPI_Init; run without that tool";
    case sessions: return "the program uses MPI sessions (MPI_Session_init), which are not recorded";
    case not_finalised:
      return fmt::format("the program ended without MPI_Finalize, which writes the profile{}",
                         outcome.status != 0 ? fmt::format(" (status {})", outcome.status) : "");
    case dlopened_mpi:
      return "the program loads MPI with dlopen(), which hides its calls; link it with the MPI library";
    case static_mpi:
      return program + " contains MPI, which hides its calls; link it with the shared MPI library";
    case static_program:
      return program + " is statically linked, which prevents preloading; link it dynamically";
    case privileged:
      return program +
             " has set-user-ID, set-group-ID or capabilities, which prevents preloading; use a copy without";
    case not_recorded:
    case no_mpi:
    case not_loaded: break;
  }
  if (outcome.status != 0) return fmt::format("the program ended with status {}", outcome.status);
  switch (outcome.empty.cause) {
    case not_recorded:
      return "the program ended without MPI_Finalize, or the profiler failed and said why above";
    case no_mpi:
      return "no process initialised MPI; check that the program calls MPI, and that no script clears "
             "LD_PRELOAD";
    default:
      return "the launcher or a script did not pass on LD_PRELOAD; set it for the program as --dry-run shows";
  }
}

/// Formats the status of a program that failed, such as " (status 143, as after signal 15)".
std::string status_text(int status) {
  constexpr int signals = 128;
  constexpr int max_signal = 64;
  if (status == 0) return "";
  if (status <= signals || status > signals + max_signal) return fmt::format(" (status {})", status);
  return fmt::format(" (status {}, as after signal {})", status, status - signals);
}

/// Shows the efficiencies of the run and of its longest regions if its MPI calls were recorded.
void show_efficiencies(const std::string& folder, const Terminal& terminal) try {
  constexpr std::size_t max_regions = 5;
  const auto calls = collectives::find_mpi_calls({folder});
  if (!calls) return;
  const auto show = [&](const std::string& title, const std::string& table) {
    if (table.empty()) return;
    terminal.show_note(title);
    terminal.show_output(table);
  };
  show(
      calls->cut_short.empty() ? "efficiencies of the run:" : "efficiencies of the recorded part of the run:",
      efficiency_table(collectives::efficiencies(*calls)));
  if (lacked_cores(collectives::summarize(*calls)))
    terminal.show_note(
        "these efficiencies are doubtful: ranks had no core for a part of the run, or may have had none");
  const auto regions = collectives::summarize_regions(*calls);
  const std::string title =
      regions.size() > max_regions
          ? fmt::format("efficiencies of its {} longest regions ({} not shown):", max_regions,
                        count(regions.size() - max_regions))
          : "efficiencies of its regions:";
  show(title, region_table(first(regions, max_regions), calls->ranks.size()));
} catch (const Error& error) {
  terminal.show_note(fmt::format("unknown efficiencies: {}", error.what()));
}

/// Returns whether the only unmerged run is the one whose MPI calls were written.
bool is_cut(const collectives::ProfileOutcome& outcome, const std::vector<collectives::UnmergedRun>& runs) {
  return runs.size() == 1 && outcome.cut_runs.size() == 1 && outcome.cut_runs[0].name == runs[0].name;
}

/// Reports runs that did not write their MPI calls themselves.
void show_cut_runs(const collectives::ProfileOutcome& outcome, const Terminal& terminal) {
  for (const collectives::CutRun& run : outcome.cut_runs) {
    terminal.show_warnings(run.findings);
    if (!run.problem.empty())
      terminal.show_note(fmt::format("the MPI calls of run {} cannot be written: {}", run.name, run.problem));
    else
      terminal.show_note(
          fmt::format("the program ended {}{}; {}",
                      run.calls.cut_short.empty() ? "before it wrote its MPI calls" : "before MPI_Finalize",
                      status_text(outcome.status), known_calls_text(run.calls)));
  }
  if (!outcome.snapshot_problem.empty())
    terminal.show_note(fmt::format("the last snapshot was not written: {}", outcome.snapshot_problem));
}

/// `folder`: the directory as the user specified it.
void show_what_is_next(const std::string& folder, const collectives::ProfileLaunch& launch,
                       const collectives::ProfileOutcome& outcome, const Terminal& terminal) {
  using collectives::ProfileContent;
  const auto note = [&]<class... Parts>(fmt::format_string<Parts...> text, Parts&&... parts) {
    terminal.show_note(fmt::format(text, std::forward<Parts>(parts)...));
  };
  show_cut_runs(outcome, terminal);
  if (outcome.content == ProfileContent::nothing)
    note("nothing was recorded in {}: {}", folder, explain(outcome));
  if (outcome.content == ProfileContent::files) {
    show_efficiencies(outcome.folder, terminal);
    const std::string written = outcome.folder == launch.folder ? folder : outcome.folder;
    note("the profile is in {}; next: plimsoll collectives summary {}", written,
         support::shell_quoted(written));
  }
  const bool may_join = outcome.content == ProfileContent::logs ||
                        (outcome.folder == launch.folder && is_cut(outcome, outcome.unmerged_runs));
  const bool only_one = may_join && outcome.unmerged_runs.size() == 1;
  for (const auto& [run, has_calls] : outcome.unmerged_runs) {
    const std::string named = only_one ? std::string("the run") : fmt::format("run {}", run);
    if (has_calls)
      note("the logs of {} are not merged; to make its profile, run: plimsoll collectives merge {}{}", named,
           support::shell_quoted(folder),
           only_one ? ""
                    : fmt::format(" --run {} -o {}", run,
                                  support::shell_quoted(fmt::format("{}/run-{}", folder, run))));
    else
      note("the logs of {} in {} contain no call that all of its ranks recorded; check the messages above",
           named, folder);
  }
  if (outcome.lacks_mpi_calls) note("the profile contains no MPI calls; check the messages above");
}

collectives::ProfileLaunch plan(const collectives::ProfileRequest& request) {
  using Cause = collectives::ProfileLaunchError::Cause;
  try {
    return collectives::plan_profile(request);
  } catch (const collectives::ProfileLaunchError& error) {
    switch (error.cause()) {
      case Cause::unknown_mpi: throw with_suggestion(error, "specify --mpi openmpi or --mpi mpich");
      case Cause::no_interposer:
        throw with_suggestion(
            error,
            "specify its path with --interposer, or build it with this MPI: scripts/install "
            "--components profiler, in the sources of Plimsoll");
      case Cause::unusable_path:
        throw with_suggestion(error,
                              "use a symbolic link whose path does not contain these characters, and specify "
                              "it with --interposer");
      case Cause::existing_profile:
        throw with_suggestion(error,
                              "specify another directory with -o, or use --force to overwrite the profile");
    }
    throw;
  }
}

int profile(const ProfileOptions& options, Terminal& terminal) {
  collectives::ProfileRequest request = request_of(options);
  if (!options.dry_run) request.options.launch = collectives::new_launch_name();
  const collectives::ProfileLaunch launch = plan(request);
  if (!launch.warning.empty()) terminal.show_note("warning: " + launch.warning);
  if (options.dry_run) {
    terminal.print(to_shell_text(launch));
    return 0;
  }
  const collectives::ProfileOutcome outcome = collectives::run_profile(launch);
  show_what_is_next(request.options.folder, launch, outcome, terminal);
  return outcome.status;
}

}  // namespace

Command define_profile(OptionParser& parser) {
  auto options = begin_command<ProfileOptions>(parser, profile_examples);
  parser.add_option("COMMAND", options->program, "Program with its launcher and arguments, after --")
      .required();
  parser.stop_at_unknown_word();
  parser
      .add_option("-o,--output DIR", options->folder,
                  "Directory for the profile; created if missing [default: plimsoll-profile]")
      .check(check_name);
  const auto add_profiling_option = [options](const std::string& word) {
    options->profiling.push_back(word);
  };
  parser
      .add_option_function<std::string>(
          "--record LIST", add_profiling_option,
          "Data to record, separated by commas: counts, times, late-arrival, locations, backtraces, "
          "displacements, content-hash, mpi, critical-path; no-counts omits the counts [default: counts]")
      .suggests(collectives::profiling_contents())
      .check(check_record);
  for (const SettingOption& setting : setting_options) {
    const std::string name = setting.name;
    parser
        .add_option_function<std::string>(
            fmt::format("--{} {}", name, setting.placeholder),
            [=](const std::string& value) { add_profiling_option(setting_word(name, value)); }, setting.help)

        .check([=](const std::string& value) { return check_setting(name, value); });
  }
  for (const FlagOption& flag : flag_options)
    parser.add_flag_function(
        flag.name, [=] { add_profiling_option(flag.profiling_option); }, flag.help);
  parser
      .add_option(
          "--snapshot TIME", options->snapshot,
          "With --record mpi, interval at which the MPI calls so far are written to DIR/snapshot, such "
          "as 30s, 10m or 2h")
      .check(check_snapshot);
  parser.add_option("--mpi MPI", options->mpi, "MPI of the application: openmpi or mpich [default: detected]")
      .one_of(support::names_of(collectives::mpi_flavours));
  parser.add_option("--interposer PATH", options->request.interposer,
                    "Library to preload [default: the one next to this program]");
  parser.add_flag("--dry-run", options->dry_run, "Print the shell command without running it");

  return [options, parser](Terminal& terminal) {
    options->request.command = command_of(parser, options->program);
    return profile(*options, terminal);
  };
}

}  // namespace plimsoll::cli
