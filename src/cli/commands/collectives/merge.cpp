#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct MergeOptions {
  std::string folder;
  std::string output;
  std::string run;
  collectives::WriteOptions write;
  bool not_compact = false;
  bool remove_logs = false;
  bool json = false;
};

constexpr const char* merge_examples =
    R"(  plimsoll collectives merge plimsoll-profile                 recover the logs of a killed program
  plimsoll collectives merge plimsoll-profile -o profile      ... to another directory
  plimsoll collectives merge plimsoll-profile --run 1f3a      ... select one of several runs
  plimsoll collectives merge plimsoll-profile --not-compact   ... one file per call)";

struct Merged {
  collectives::LoggedRun run;
  collectives::Profile profile;
  std::uint64_t calls = 0;
  std::uint64_t communicators = 0;
  std::vector<std::string> files;
};

Merged describe(collectives::LoggedRun run, collectives::Profile profile) {
  Merged merged{.run = std::move(run), .profile = std::move(profile), .files = {}};
  merged.calls = recorded_calls(merged.profile);
  for (const collectives::Lead& lead : merged.profile.leads)
    merged.communicators += lead.communicators.size();
  return merged;
}

std::string text(const Merged& merged, const std::string& folder) {
  const collectives::Profile& profile = merged.profile;
  std::string output = fmt::format("run {}: {}, {}, {}\n", collectives::run_name(merged.run.run_id),
                                   count(profile.world_size, "rank"), count(merged.calls, "call"),
                                   count(merged.communicators, "communicator"));
  if (!profile.cut_short.empty())
    output += fmt::format("logs that end before MPI_Finalize or are missing: rank{} {}\n",
                          profile.cut_short.size() == 1 ? "" : "s", profile.cut_short.to_string());
  if (profile.incomplete_calls > 0)
    output += fmt::format("skipped: {} not recorded by all ranks\n", count(profile.incomplete_calls, "call"));
  for (const collectives::FailedCalls& failed : profile.failed_calls)
    output += fmt::format("failed: {} of {}\n", count(failed.calls, "call"), failed.operation.name());
  if (merged.files.empty()) return output;
  if (const std::string remark = remark_on_lists(profile); !remark.empty())
    output += "note: " + remark + "\n";
  return output + fmt::format("Wrote {} to {}; next: plimsoll collectives summary {}\n",
                              count(merged.files.size(), "file"), support::printable(folder),
                              support::shell_quoted(folder));
}

std::string json_text(const Merged& merged, const std::vector<Diagnostic>& findings) {
  return json_line([&](support::JsonWriter& json) {
    json.member("run", collectives::run_name(merged.run.run_id))
        .member("job", merged.run.job)
        .member("ranks", merged.profile.world_size)
        .member("logs", merged.run.paths.size())
        .member("calls", merged.calls)
        .member("communicators", merged.communicators)
        .member("incomplete_calls", merged.profile.incomplete_calls)
        .member("cut_short", merged.profile.cut_short.to_string());
    json.key("findings").values(lines_of(findings)).key("files").values(merged.files);
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

int merge(const MergeOptions& options, Terminal& terminal) {
  TerminalProgress progress(terminal);
  const collectives::LoggedRun run = choose_run(options);
  if (options.remove_logs) check_removal(run, options);
  collectives::MergeResult result = collectives::merge_files(run, progress);
  Merged merged = describe(run, std::move(result.profile));
  const std::string folder = options.output.empty() ? options.folder : options.output;
  if (merged.calls > 0) merged.files = collectives::write(merged.profile, folder, options.write, progress);
  terminal.show_warnings(result.findings);
  terminal.print(options.json ? json_text(merged, result.findings) : fitted(text(merged, folder)));
  if (merged.files.empty())
    throw support::bad_input(merged.profile.incomplete_calls > 0
                                 ? "nothing to write: no call was recorded by all of its ranks"
                                 : "nothing to write: the logs contain no calls",
                             options.folder, "check that the directory contains the logs of all ranks");
  if (options.remove_logs) collectives::remove_logs(run, options.write.overwrite);
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
  parser.add_option("DIR", options->folder, "Directory that contains the rank logs").required();
  parser.add_option("-o,--output DIR", options->output, "Output directory [default: DIR]").check(check_name);
  parser
      .add_option("--run ID", options->run,
                  "ID of the run, or its first characters, if DIR contains several runs")
      .check(check_run);
  parser.add_flag("--force", options->write.overwrite,
                  "Overwrite existing files, and remove other files of the same kinds and job");
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
    return merge(*options, terminal);
  };
}

}  // namespace plimsoll::cli
