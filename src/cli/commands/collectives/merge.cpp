#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct MergeOptions {
  std::string folder;
  std::string output;
  std::string run;
  collectives::WriteOptions write;
  bool not_compact = false;
  bool no_text = false;
  bool remove_logs = false;
  bool json = false;
};

constexpr const char* merge_examples =
    R"(  plimsoll collectives merge plimsoll-profile                 recover the profile of a killed program
  plimsoll collectives merge plimsoll-profile -o profile      ... to another directory
  plimsoll collectives merge plimsoll-profile --run 1f3a      ... select one of several runs
  plimsoll collectives merge plimsoll-profile --not-compact   ... one file per call)";

struct Merged {
  collectives::LoggedRun run;
  collectives::Profile profile;
  std::uint64_t calls = 0;
  std::uint64_t communicators = 0;
  std::optional<collectives::MpiCalls> mpi_calls;
  std::vector<Diagnostic> findings;
  std::vector<std::string> files;
};

/// Merges the logs of collectives. If none can be read, a run with sums over MPI calls still has these.
void merge_collectives(const collectives::LoggedRun& run, support::Progress& progress, Merged& merged) {
  try {
    collectives::MergeResult logs = collectives::merge_files(run, progress);
    merged.profile = std::move(logs.profile);
    merged.findings = std::move(logs.findings);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input || run.mpi_paths.empty()) throw;
    merged.findings.push_back(error.diagnostic());
    merged.findings.back().severity = support::Severity::warning;
  }
}

/// Merges the logs of collectives, if the run has any, and the sums over MPI calls.
Merged merge_all(const collectives::LoggedRun& run, support::Progress& progress) {
  Merged merged{.run = run, .profile = {}, .mpi_calls = {}, .findings = {}, .files = {}};
  merged.profile.world_size = run.world_size;
  if (!run.paths.empty()) merge_collectives(run, progress, merged);
  if (!run.mpi_paths.empty()) {
    collectives::MergedMpiCalls sums = collectives::merge_mpi_calls(run, progress);
    merged.mpi_calls = std::move(sums.calls);
    for (Diagnostic& finding : sums.findings)  // those about the whole run are the same
      if (run.paths.empty() || !finding.file.empty()) merged.findings.push_back(std::move(finding));
  }
  merged.calls = recorded_calls(merged.profile);
  for (const collectives::Lead& lead : merged.profile.leads)
    merged.communicators += lead.communicators.size();
  return merged;
}

void write(const MergeOptions& options, const std::string& folder, Merged& merged,
           support::Progress& progress) {
  if (merged.mpi_calls)
    merged.files = {collectives::write_mpi_calls(*merged.mpi_calls, folder, options.write.overwrite)};
  if (merged.calls == 0) return;
  for (std::string& path : collectives::write(merged.profile, folder, options.write, progress))
    merged.files.push_back(std::move(path));
}

std::string text(const Merged& merged, const MergeOptions& options, const std::string& folder) {
  const collectives::Profile& profile = merged.profile;
  std::string output =
      fmt::format("run {}: {}", collectives::run_name(merged.run.run_id), count(profile.world_size, "rank"));
  if (!merged.run.paths.empty())
    output +=
        fmt::format(", {}, {}", count(merged.calls, "call"), count(merged.communicators, "communicator"));
  output += "\n";
  if (merged.mpi_calls) output += cut_short_text(*merged.mpi_calls);
  if (!profile.cut_short.empty())
    output += fmt::format("logs that end before MPI_Finalize or are missing: rank{} {}\n",
                          profile.cut_short.size() == 1 ? "" : "s", profile.cut_short.to_string());
  if (profile.incomplete_calls > 0)
    output += fmt::format("skipped: {} not recorded by all ranks\n", count(profile.incomplete_calls, "call"));
  for (const collectives::FailedCalls& failed : profile.failed_calls)
    output += fmt::format("failed: {} of {}\n", count(failed.calls, "call"), failed.operation.name());
  if (merged.files.empty()) return output;
  if (const std::string remark = remark_on_lists(profile); options.write.text && !remark.empty())
    output += "note: " + remark + "\n";
  return output + fmt::format("Wrote {} to {}; next: plimsoll collectives summary {}\n",
                              count(merged.files.size(), "file"), support::printable(folder),
                              support::shell_quoted(folder));
}

std::string json_text(const Merged& merged) {
  return json_line([&](support::JsonWriter& json) {
    json.member("run", collectives::run_name(merged.run.run_id))
        .member("job", merged.run.job)
        .member("ranks", merged.profile.world_size)
        .member("logs", merged.run.paths.size())
        .member("calls", merged.calls)
        .member("communicators", merged.communicators)
        .member("incomplete_calls", merged.profile.incomplete_calls)
        .member("cut_short", merged.profile.cut_short.to_string());
    if (merged.mpi_calls)
      json.member("mpi_files", merged.run.mpi_paths.size())
          .member("mpi_cut_short", merged.mpi_calls->cut_short.to_string());
    json.key("findings").values(lines_of(merged.findings)).key("files").values(merged.files);
  });
}

collectives::LoggedRun choose_run(const MergeOptions& options) {
  try {
    return collectives::choose_run(options.folder, options.run);
  } catch (const collectives::SeveralRunsError& error) {
    throw with_suggestion(error, "use --run ID");
  }
}

void check_removal(const collectives::LoggedRun& run, const MergeOptions& options) {
  try {
    collectives::check_removal(run, options.write.overwrite);
  } catch (const collectives::LogsInUseError& error) {
    if (error.certain()) throw;
    throw with_suggestion(error, "use --force if the program has ended");
  }
}

/// Removes the logs, except for those that could not be read completely.
void remove_logs(const Merged& merged, const MergeOptions& options, Terminal& terminal) {
  collectives::LoggedRun run = merged.run;
  const auto is_damaged = [&](const std::string& path) {
    return std::ranges::find(merged.findings, path, &Diagnostic::file) != merged.findings.end();
  };
  const std::size_t n_kept = std::erase_if(run.paths, is_damaged) + std::erase_if(run.mpi_paths, is_damaged);
  collectives::remove_logs(run, options.write.overwrite);
  if (n_kept > 0)
    terminal.show_warning(
        {.severity = support::Severity::warning,
         .what = fmt::format("kept {} that could not be read completely", count(n_kept, "log")),
         .file = options.folder,
         .suggestion = "remove them if the profile contains what you need"});
}

int merge(const MergeOptions& options, Terminal& terminal) {
  TerminalProgress progress(terminal);
  const collectives::LoggedRun run = choose_run(options);
  if (options.remove_logs) check_removal(run, options);
  Merged merged = merge_all(run, progress);
  const std::string folder = options.output.empty() ? options.folder : options.output;
  write(options, folder, merged, progress);
  terminal.show_warnings(merged.findings);
  terminal.print(options.json ? json_text(merged) : fitted(text(merged, options, folder)));
  if (merged.files.empty())
    throw support::bad_input(merged.profile.incomplete_calls > 0
                                 ? "nothing to write: no call was recorded by all of its ranks"
                                 : "nothing to write: the logs contain no calls",
                             options.folder, "check that the directory contains the logs of all ranks");
  if (options.remove_logs) remove_logs(merged, options, terminal);
  return 0;
}

std::string check_run(const std::string& id) {
  const bool good = !id.empty() && id.size() <= 16 && std::ranges::all_of(id, [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
  });
  return good ? ""
              : fmt::format("invalid run ID {}: expected up to 16 hexadecimal digits (0-9, a-f)",
                            support::in_quotes(id));
}

}  // namespace

Command define_collectives_merge(OptionParser& parser) {
  auto options = begin_command<MergeOptions>(parser, merge_examples);
  parser.add_option("DIR", options->folder, "Directory that contains the files of the ranks").required();
  parser.add_option("-o,--output DIR", options->output, "Output directory [default: DIR]").check(check_name);
  parser
      .add_option("--run ID", options->run,
                  "ID of the run, or its first characters, if DIR contains several runs")
      .check(check_run);
  parser.add_flag("--force", options->write.overwrite,
                  "Overwrite existing files, and remove other files of the same kinds and job");
  parser.add_flag("--no-text", options->no_text, "Write only collectives.job<J>.profile, no text files");
  parser.add_flag("--not-compact", options->not_compact, "Write one file per call");
  parser.add_flag("--dotted-names", options->write.dotted_names,
                  "With --not-compact, name files counts.rankX_callY.md");
  parser.add_flag("--legacy-text", options->write.legacy_text,
                  "Write the text of the collective profiler, with its errors");
  parser.add_flag("--remove-logs", options->remove_logs,
                  "Remove the logs after the files are written; fails while the program is writing them");
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    options->write.compact = !options->not_compact;
    options->write.text = !options->no_text;
    collectives::check(options->write);
    return merge(*options, terminal);
  };
}

}  // namespace plimsoll::cli
