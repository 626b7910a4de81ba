#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include <plimsoll/support/error.hpp>

#include "cli/commands.hpp"
#include "cli/options/integer_option.hpp"
#include "cli/options/output_options.hpp"
#include "cli/profile/profile_child.hpp"
#include "cli/profile/profile_folder.hpp"

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  std::string program;
  std::vector<std::string> command;  // with its arguments
  std::string output = "plimsoll-profile";
  std::string record = "counts";
  std::string interposer;
  std::string mpi;
  std::optional<std::uint64_t> sample;
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> limit;
  bool not_compact = false;
  bool dotted_names = false;
  bool legacy_text = false;
  bool force = false;
  bool dry_run = false;
};

constexpr const char* examples =
    R"(  plimsoll profile -- mpirun -n 4 ./app arguments        who sends how much to whom?
  plimsoll profile --record counts,times -- srun ./app   ... and how long did it take?
  plimsoll profile --sample 10 -o day1 -- mpirun ./app   every 10th call, into the folder day1
  plimsoll profile --dry-run -- mpirun -n 4 ./app        show what would be run
  plimsoll collectives summary plimsoll-profile          what did it find?)";

const std::vector<std::string> contents = {"counts",    "times",      "late-arrival",
                                           "locations", "backtraces", "displacements"};

std::string check_record(const std::string& list) {
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (std::ranges::find(contents, word) != contents.end()) continue;
    const std::string near = support::nearest(word, contents);
    return fmt::format("\"{}\" cannot be recorded; {}", word,
                       near.empty() ? fmt::format("it is one of {}", fmt::join(contents, ", "))
                                    : fmt::format("did you mean \"{}\"?", near));
  }
  return list.empty() ? "the list of what to record is empty" : "";
}

/// What stands after "--".
std::vector<std::string> command_of(const CLI::App& app, const std::string& program) {
  const std::vector<std::string> rest = app.remaining();
  std::vector<std::string> command = {program};
  if (!rest.empty() && rest.front() == "--") {
    command.insert(command.end(), rest.begin() + 1, rest.end());
    return command;
  }
  if (rest.empty() || !rest.front().starts_with("-"))
    throw support::usage_error("the command does not stand after --",
                               "write plimsoll profile [options] -- " + program);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string near = support::nearest(rest.front(), names);
  throw support::usage_error(
      fmt::format("plimsoll profile has no option {}", rest.front()),
      near.empty() ? "options of the command stand after --" : fmt::format("did you mean {}?", near));
}

/// PLIMSOLL_ALLTOALLV.
std::string settings_of(const ProfileOptions& options) {
  std::string words = options.record;
  const auto add_number = [&](const char* name, const std::optional<std::uint64_t>& value) {
    if (value) words += fmt::format(",{}={}", name, *value);
  };
  add_number("sample", options.sample);
  add_number("first", options.first);
  add_number("limit", options.limit);
  if (options.not_compact) words += ",not-compact";
  if (options.dotted_names) words += ",dotted-names";
  if (options.legacy_text) words += ",legacy-text";
  if (options.force) words += ",overwrite";
  return words + ",quiet";
}

MpiFlavour flavour_of(const ProfileOptions& options, const MpiCommand& command) {
  if (!options.mpi.empty()) return options.mpi == "mpich" ? MpiFlavour::mpich : MpiFlavour::openmpi;
  if (command.application) return *command.application;
  if (command.launcher == Launcher::openmpi) return MpiFlavour::openmpi;
  if (command.launcher == Launcher::hydra) return MpiFlavour::mpich;
  throw support::usage_error(
      fmt::format("cannot tell which MPI \"{}\" uses", fmt::join(options.command, " ")),
      "say --mpi openmpi or --mpi mpich");
}

Launcher launcher_of(const MpiCommand& command, MpiFlavour flavour) {
  if (!command.launcher_unknown) return command.launcher;
  return flavour == MpiFlavour::openmpi ? Launcher::openmpi : Launcher::hydra;
}

/// Beside the program as it is installed, or as it is built.
std::string find_interposer(const ProfileOptions& options, MpiFlavour flavour) {
  if (!options.interposer.empty()) {
    std::error_code code;
    if (!fs::is_regular_file(options.interposer, code))
      throw support::system_error("cannot find the interposer", options.interposer, ENOENT);
    return fs::absolute(options.interposer).string();
  }
  const std::string name = fmt::format("libplimsoll-alltoallv-{}.so", to_string(flavour));
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code).parent_path();
  const fs::path folders[] = {program / ".." / PLIMSOLL_INSTALL_LIBDIR, program / ".." / "lib",
                              program / ".." / "alltoallv"};
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, code)) return fs::canonical(folder / name).string();
  throw support::system_error(
      "cannot find the interposer", name, ENOENT,
      "say where it is by --interposer; it is there if Plimsoll was built with that MPI");
}

std::string prepare_folder(const ProfileOptions& options) {
  if (!options.force && profile_content(options.output) != ProfileContent::nothing)
    throw support::usage_error(fmt::format("{} has a profile already", options.output),
                               "name another folder by -o, or say --force to replace it");
  if (options.dry_run) return fs::absolute(options.output).string();
  std::error_code code;
  fs::create_directories(options.output, code);
  if (code) throw support::system_error("cannot make the folder", options.output, code.value());
  return fs::canonical(options.output).string();
}

void show_what_is_next(const std::string& folder, ProfileContent content, int status) {
  switch (content) {
    case ProfileContent::files:
      fmt::print(stderr, "plimsoll: the profile is in {}; next: plimsoll collectives summary {}\n", folder,
                 folder);
      break;
    case ProfileContent::logs:
      fmt::print(
          stderr,
          "plimsoll: the program did not come to its end; plimsoll collectives merge {} makes a profile of "
          "what it has left\n",
          folder);
      break;
    case ProfileContent::nothing:
      fmt::print(stderr, "plimsoll: nothing was recorded in {}: {}\n", folder,
                 status == 0
                     ? "the program made no such collective calls, or its launcher did not pass LD_PRELOAD on"
                     : fmt::format("the program ended with status {}", status));
  }
}

int profile(const ProfileOptions& options, Terminal& terminal) {
  const MpiCommand understood = understand(options.command);
  const MpiFlavour flavour = flavour_of(options, understood);
  const std::string interposer = find_interposer(options, flavour);
  const std::string folder = prepare_folder(options);
  const Launch launch =
      make_launch(options.command, launcher_of(understood, flavour), interposer,
                  {{"PLIMSOLL_ALLTOALLV", settings_of(options)}, {"PLIMSOLL_ALLTOALLV_FOLDER", folder}});
  if (!launch.warning.empty()) fmt::print(stderr, "plimsoll: warning: {}\n", launch.warning);
  if (options.dry_run) {
    terminal.print(to_text(launch));
    return 0;
  }
  const auto start =
      fs::file_time_type::clock::now() - std::chrono::seconds(1);  // clocks of files are coarse
  const int status = run_command(launch);
  show_what_is_next(options.output, profile_content(folder, start), status);
  return status;
}

}  // namespace

Command define_profile(CLI::App& app) {
  auto options = std::make_shared<ProfileOptions>();
  app.footer(examples);
  app.add_option("COMMAND", options->program, "The program with its launcher and arguments, after --")
      ->required();
  app.prefix_command();  // takes the words after the first as they are
  app.add_option("-o,--output", options->output, "Folder for the profile (plimsoll-profile); it is made")
      ->option_text("FOLDER")
      ->check(check_name);
  app.add_option(
         "--record", options->record,
         "What to record (counts), apart by commas: counts,\ntimes, late-arrival, locations, backtraces,\n"
         "displacements")
      ->option_text("LIST")
      ->check(check_record);
  add_integer_option(app, "--sample", options->sample, "Record every N-th call of a communicator");
  add_integer_option(app, "--first", options->first, "Record from its N-th call on, from 0");
  add_integer_option(app, "--limit", options->limit, "Record at most N of its calls");
  app.add_flag("--not-compact", options->not_compact, "Write a file for each call");
  app.add_flag("--dotted-names", options->dotted_names, "Name those counts.rankX_callY.md");
  app.add_flag("--legacy-text", options->legacy_text,
               "Write byte for byte what the collective profiler writes");
  app.add_flag("--force", options->force, "Replace a profile that is there");
  app.add_option("--mpi", options->mpi, "The application's MPI: openmpi or mpich (what it links)")
      ->option_text("MPI")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_option("--interposer", options->interposer, "The library to preload (that beside this program)")
      ->option_text("PATH");
  app.add_flag("--dry-run", options->dry_run, "Show what would be run, in a shell's words; run nothing");

  return [options, &app](Terminal& terminal) {
    options->command = command_of(app, options->program);
    return profile(*options, terminal);
  };
}

}  // namespace plimsoll::cli
