#include "interpose/lifecycle/roll_call.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds first_pause{1};
constexpr milliseconds longest_pause{256};
constexpr int max_attempts = 10;
constexpr std::size_t max_named = 5;
constexpr const char* nobody = "nobody is absent";

fs::path file_of(const fs::path& folder, int rank) {
  return folder / std::to_string(rank);
}

std::vector<bool> present_ranks(const fs::path& folder, int ranks) {
  std::vector<bool> present(static_cast<std::size_t>(ranks));
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    int rank = 0;
    const std::string name = entry.path().filename().string();
    if (std::from_chars(name.data(), name.data() + name.size(), rank).ec == std::errc() && rank < ranks)
      present[static_cast<std::size_t>(rank)] = true;
  });
  return present;
}

/// Returns a text such as "7 of 16 ranks are not profiled (0, 2, 4, 6, 8 and 2 others)".
std::string describe_absent(const std::vector<bool>& present) {
  std::string named;
  std::size_t absent = 0;
  for (std::size_t rank = 0; rank < present.size(); ++rank)
    if (!present[rank] && ++absent <= max_named) named += fmt::format("{}{}", absent == 1 ? "" : ", ", rank);
  if (absent > max_named) named += fmt::format(" and {} others", absent - max_named);
  return fmt::format("{} of {} ranks {} not profiled ({})", absent, present.size(),
                     absent == 1 ? "is" : "are", named);
}

}  // namespace

RollCall::RollCall(const std::string& folder, const std::string& name, int rank, int ranks,
                   Clock::duration patience)
    : rank_(rank),
      ranks_(ranks),
      patience_(patience),
      folder_(fs::path(folder) / fmt::format(".plimsoll-{:016x}", support::hash_bytes(name))) {
  support::make_folder(folder);
  announce();
}

void RollCall::announce() {
  for (int attempt = 1;; ++attempt) {
    ::mkdir(folder_.c_str(), 0777);
    const support::Descriptor file =
        support::open_file(file_of(folder_, rank_), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file.is_open()) return;
    // Ranks that have made a decision without this rank may remove the directory.
    if (errno != ENOENT || attempt == max_attempts)
      throw support::system_error("cannot write to the directory", folder_.parent_path().string(), errno);
  }
}

std::string RollCall::absent_ranks(const std::function<void()>& while_waiting) {
  for (milliseconds pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    decide_if_possible();
    if (const auto text = decision()) return *text == nobody ? "" : *text;
    while_waiting();
    std::this_thread::sleep_for(pause);
    // NFS clients remember for some time which files do not exist, until the directory changes.
    ::utimensat(AT_FDCWD, folder_.c_str(), nullptr, 0);
  }
}

std::optional<std::string> RollCall::decision() const {
  std::array<char, 256> text;
  const ssize_t size = ::readlink(decision_.c_str(), text.data(), text.size());
  if (size >= 0) return std::string(text.data(), static_cast<std::size_t>(size));
  if (errno == ENOENT) return std::nullopt;
  throw support::system_error("cannot read the directory", folder_.string(), errno);
}

void RollCall::decide_if_possible() {
  if (!may_decide()) return;
  const bool is_over = Clock::now() - last_arrival_ > patience_;
  const std::vector<bool> present = present_ranks(folder_, ranks_);
  const int arrived = static_cast<int>(std::ranges::count(present, true));
  if (arrived == ranks_)
    decide(nobody);
  else if (is_over && (arrived == arrived_ || rank_ != 0))
    decide(describe_absent(present));
  else if (arrived > arrived_)
    last_arrival_ = Clock::now();
  arrived_ = arrived;
}

/// Returns whether this rank is rank 0, or rank 0 is absent or does not decide.
bool RollCall::may_decide() const {
  if (rank_ == 0) return true;
  const Clock::duration waited = Clock::now() - last_arrival_;
  return waited > 10 * patience_ || (waited > patience_ && ::access(file_of(folder_, 0).c_str(), F_OK) != 0);
}

void RollCall::decide(const std::string& text) {
  if (::symlink(text.c_str(), decision_.c_str()) == 0)
    decided_here_ = true;
  else if (errno != EEXIST)
    throw support::system_error("cannot write to the directory", folder_.parent_path().string(), errno);
}

RollCall::~RollCall() {
  try {
    std::error_code ignored;
    fs::remove(file_of(folder_, rank_), ignored);
    // The last rank removes the decision, which all others have read.
    bool is_last = true;
    support::for_each_readable_entry(
        folder_, [&](const support::FolderEntry& entry) { is_last = is_last && entry.path() == decision_; });
    if (is_last) fs::remove(decision_, ignored);
    fs::remove(folder_, ignored);
  } catch (const std::bad_alloc&) {
    // The directory stays: a destructor cannot report errors.
  }
}

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

}  // namespace plimsoll::interpose
