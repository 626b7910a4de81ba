#include <plimsoll/documents/examinations.hpp>
#include <plimsoll/support/examination.hpp>

#include "cli/commands.hpp"

#ifdef PLIMSOLL_WITH_COLLECTIVES
#include <plimsoll/collectives/launch_examination.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using support::Examination;
using support::Verdict;

struct DoctorOptions {
  std::string folder = ".";
  std::string mpi;
  bool json = false;
};

constexpr const char* doctor_examples =
    R"(  plimsoll doctor                                  this machine, and the current directory
  plimsoll doctor /scratch/out -- mpirun -n 64     a directory, and 64 ranks
  plimsoll doctor --mpi mpich -- srun -N 2 -n 4    ranks on two nodes, inside a job)";

std::vector<Examination> examine(const DoctorOptions& options, const std::vector<std::string>& launcher) {
  std::vector<Examination> all = support::examine_folder(options.folder);
  std::ranges::move(support::examine_machine(), std::back_inserter(all));
#ifdef PLIMSOLL_WITH_COLLECTIVES
  collectives::LaunchToExamine job = {.launcher = launcher};
  if (!options.mpi.empty()) job.mpi = support::value_of(collectives::mpi_flavours, options.mpi, "MPI");
  std::ranges::move(collectives::examine_launch(job), std::back_inserter(all));
#else
  if (!launcher.empty())
    throw support::usage_error("this Plimsoll was built without profiles, and cannot examine a launcher",
                               "use plimsoll doctor without --");
#endif
  return all;
}

std::string line_of(const Examination& examination, const Terminal& terminal) {
  const Colour colour = examination.verdict == Verdict::ok                            ? Colour::green
                        : examination.verdict == Verdict::no && examination.is_needed ? Colour::red
                                                                                      : Colour::yellow;
  return fmt::format(
      "{} {:<15} {}{}\n", terminal.paint(colour, fmt::format("{:<7}", to_string(examination.verdict))),
      examination.subject, examination.found, examination.remedy.empty() ? "" : "; " + examination.remedy);
}

std::string text(const std::vector<Examination>& examinations, const Terminal& terminal) {
  std::string output;
  std::vector<std::string> missing;
  for (const Examination& examination : examinations) {
    output += line_of(examination, terminal);
    if (examination.is_needed && examination.verdict != Verdict::ok) missing.push_back(examination.subject);
  }
  if (missing.empty()) return output + "All that is needed is ok.\n";
  return output + fmt::format("Needed, but not ok: {}.\n", joined(missing, ", "));
}

}  // namespace

Command define_doctor(OptionParser& parser) {
  auto options = begin_command<DoctorOptions>(parser, doctor_examples);
  parser
      .add_option("DIR", options->folder,
                  "Directory for the output of the job [default: .]. A launcher with its options may follow "
                  "after --")
      .check(check_name);
#ifdef PLIMSOLL_WITH_COLLECTIVES
  parser
      .add_option("--mpi MPI", options->mpi,
                  "MPI of the job: openmpi or mpich [default: that of the launcher]")
      .one_of(support::names_of(collectives::mpi_flavours));
#endif
  parser.take_command();
  add_json_option(parser, options->json);

  return [options, parser](Terminal& terminal) {
    const std::vector<Examination> examinations = examine(*options, parser.command_after_dashes());
    terminal.print(options->json ? documents::to_json(documents::DoctorInfo{examinations})
                                 : text(examinations, terminal));
    return support::is_fit(examinations) ? 0 : 1;
  };
}

}  // namespace plimsoll::cli
