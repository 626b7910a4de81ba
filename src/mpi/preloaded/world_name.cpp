#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/mpi/internal/roll_call.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a field of a process, such as "12 (name) S 11 ...", by its number in proc(5), from 3.
std::string field_of(pid_t process, int number) {
  const std::string stat = content_of(fmt::format("/proc/{}/stat", process));
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return {};
  std::string_view rest = std::string_view(stat).substr(name_end + 1);
  for (int skipped = 3; skipped < number; ++skipped) support::take_word(rest);
  return std::string(support::take_word(rest));
}

pid_t parent_of(pid_t process) {
  return support::parse_number<pid_t>(field_of(process, 4)).value_or(0);
}

/// Returns the time at which a process started, in clock ticks since the system booted.
std::string start_of(pid_t process) {
  return field_of(process, 22);
}

/// Returns the address of mpiexec and the number of the process group, which the proxies that start MPICH's
/// ranks get as options. MPICH sets no variable that identifies the program.
std::string name_by_hydra() {
  for (pid_t process = ::getppid(); process > 1; process = parent_of(process)) {
    const std::string arguments = content_of(fmt::format("/proc/{}/cmdline", process));
    const std::vector<std::string_view> words = support::split(arguments, '\0');
    if (words.front().find("pmi_proxy") == std::string_view::npos) continue;
    std::string name;
    for (std::size_t k = 1; k + 1 < words.size(); ++k)
      if (words[k] == "--control-port" || words[k] == "--pgid") name += std::string(words[k + 1]) + " ";
    return name;
  }
  return {};
}

/// Returns the job step. Components of a heterogeneous job have separate job IDs.
std::string name_by_slurm() {
  if (variable("SLURM_STEP_ID").empty()) return {};
  const std::string whole_job = variable("SLURM_HET_JOB_ID");
  return (whole_job.empty() ? variable("SLURM_JOB_ID") : whole_job) + "." + variable("SLURM_STEP_ID");
}

}  // namespace

std::string world_name() {
  // The namespaces of different runs of Open MPI can be equal; their keys differ.
  if (const std::string name = variable("PMIX_NAMESPACE"); !name.empty())
    return name + " " + variable("OMPI_MCA_orte_precondition_transports");
  for (const std::string& name : {name_by_hydra(), variable("PALS_APID"), name_by_slurm()})
    if (!name.empty()) return name;
  return std::to_string(::getppid());
}

// The system uses numbers of processes again, also after it has booted, and each container numbers its own.
std::uint64_t run_id_of_rank_0() {
  return support::hash_bytes(fmt::format("{} {} {} {} {}", support::host_name(), ::getpid(),
                                         start_of(::getpid()), content_of("/proc/sys/kernel/random/boot_id"),
                                         world_name()));
}

}  // namespace plimsoll::mpi
