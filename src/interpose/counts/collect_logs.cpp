#include "interpose/counts/collect_logs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "interpose/lifecycle/available_memory.hpp"
#include "interpose/lifecycle/report_of_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using support::say;

namespace {

constexpr int log_tag = 2;
constexpr std::uint64_t log_piece_bytes = std::uint64_t{16} << 20;
constexpr std::size_t max_findings_said = 5;

/// The logs of all ranks, in the memory of rank 0.
class Logs {
 public:
  explicit Logs(const std::vector<std::uint64_t>& sizes) : begins_(sizes.size() + 1), sizes_(sizes) {
    for (std::size_t rank = 0; rank < sizes.size(); ++rank)
      begins_[rank + 1] = begins_[rank] + (sizes[rank] + 7) / 8 * 8;  // records are aligned to 8 bytes
    bytes_ = std::make_unique_for_overwrite<char[]>(begins_.back());
  }
  std::span<char> operator[](std::size_t rank) { return {bytes_.get() + begins_[rank], sizes_[rank]}; }
  std::size_t ranks() const { return sizes_.size(); }

 private:
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> sizes_;
  std::unique_ptr<char[]> bytes_;
};

/// Fills `bytes` with the log, starting at `begin`.
void read_log(const std::string& path, std::uint64_t begin, std::span<char> bytes) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw support::system_error("cannot read", path, errno);
}

/// Sends this rank's log when rank 0 is ready for it. Logs therefore do not queue up in rank 0's memory,
/// regardless of the number of ranks. Rank 0 waits for the complete log: unreadable parts are sent as zeros.
/// Returns why the log could not be read; else nothing.
std::string send_log(MPI_Comm communicator, const std::string& path, std::uint64_t size) {
  std::string problem;
  std::vector<char> piece(std::min(size, log_piece_bytes));
  PMPI_Recv(nullptr, 0, MPI_BYTE, 0, log_tag, communicator, MPI_STATUS_IGNORE);
  for (std::uint64_t begin = 0; begin < size; begin += log_piece_bytes) {
    piece.resize(std::min(size - begin, log_piece_bytes));
    try {
      read_log(path, begin, piece);
    } catch (const std::exception& error) {
      if (problem.empty()) problem = error.what();
      std::ranges::fill(piece, '\0');
    }
    PMPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, 0, log_tag, communicator);
  }
  return problem;
}

/// Receives the logs of all ranks. Returns why rank 0's own log could not be read; else nothing. That log is
/// read last, so that no other rank has to wait for it.
std::string receive_logs(MPI_Comm communicator, const std::string& own_path, Logs& logs) {
  for (std::size_t rank = 1; rank < logs.ranks(); ++rank) {
    const std::span<char> log = logs[rank];
    if (log.empty()) continue;
    const int from = static_cast<int>(rank);
    PMPI_Send(nullptr, 0, MPI_BYTE, from, log_tag, communicator);
    for (std::uint64_t begin = 0; begin < log.size(); begin += log_piece_bytes) {
      const auto piece = log.subspan(begin, std::min(log.size() - begin, log_piece_bytes));
      PMPI_Recv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, log_tag, communicator,
                MPI_STATUS_IGNORE);
    }
  }
  try {
    if (!logs[0].empty()) read_log(own_path, 0, logs[0]);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Keeps only the data that the options select for the files.
void keep_chosen(const Options& options, collectives::Profile& profile) {
  for (collectives::Lead& lead : profile.leads) {
    if (!options.counts) lead.signatures.clear();
    if (!options.times) {
      lead.execution_s.clear();
      lead.begin_s.clear();
    }
    if (!options.late_arrival) lead.late_arrival_s.clear();
    if (!options.locations)
      for (collectives::Communicator& communicator : lead.communicators) {
        communicator.pids.clear();
        communicator.hosts.clear();
      }
  }
}

void say_findings(const std::vector<Diagnostic>& findings) {
  for (std::size_t k = 0; k < std::min(findings.size(), max_findings_said); ++k) say(to_string(findings[k]));
  if (findings.size() > max_findings_said)
    say(fmt::format("{} more findings", findings.size() - max_findings_said));
}

/// Converts the logs to files on rank 0. Returns false if the logs must be kept, because they contain calls,
/// but none that all of its ranks recorded. Does not catch any errors.
bool write_files(const Options& options, Logs& logs) {
  std::vector<collectives::LogContent> contents;
  for (std::size_t rank = 0; rank < logs.ranks(); ++rank)
    if (!logs[rank].empty()) contents.push_back({logs[rank], fmt::format("log of rank {}", rank)});
  collectives::MergeResult merged = collectives::merge(contents);
  if (merged.profile.leads.empty() && merged.profile.failed_calls.empty() && merged.findings.empty()) {
    collectives::leave_evidence(collectives::Evidence::no_calls);
    if (!options.quiet) say("the program made no collective calls to record");
    return true;
  }
  say_findings(merged.findings);
  if (collectives::recorded_calls(merged.profile) == 0 && merged.profile.failed_calls.empty()) {
    say("no call was recorded by all of its ranks; the logs are kept");
    return false;
  }
  const std::string run = collectives::run_name(merged.run_id);
  const std::string folder = collectives::folder_of_run(options.folder, run);
  if (options.window)
    for (std::size_t k = 0; k < collectives::Operation::count; ++k)
      collectives::keep_window(merged.profile, collectives::Operation::at(k), options.window->first,
                               options.window->limits[k]);
  const std::uint64_t calls = collectives::recorded_calls(merged.profile);
  keep_chosen(options, merged.profile);
  const auto paths = collectives::write(merged.profile, folder, options.write);
  collectives::leave_evidence(collectives::Evidence::collectives_written, run);
  if (const std::string remark = collectives::remark_on_lists(merged.profile);
      options.write.text && !remark.empty())
    say(remark);
  if (!options.quiet || folder != options.folder)
    say(fmt::format("{} collective calls recorded, in {} files; see: plimsoll collectives summary {}", calls,
                    paths.size(), support::shell_quoted(folder)));
  return true;
}

/// Allocates memory for all logs if rank 0 should collect them and has enough; else returns null.
std::unique_ptr<Logs> room_for(const std::vector<std::uint64_t>& sizes, const Options& options) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) total += size;
  if (options.merge_later || total == 0 || total > available_memory() / 4) return nullptr;
  try {
    return std::make_unique<Logs>(sizes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool from_rank_0(MPI_Comm communicator, bool value) {
  int number = value;
  PMPI_Bcast(&number, 1, MPI_INT, 0, communicator);
  return number != 0;
}

bool on_all_ranks(MPI_Comm communicator, bool value) {
  int number = value;
  int least = 0;
  PMPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, communicator);
  return least != 0;
}

}  // namespace

std::string how_to_merge(const Options& options) {
  return fmt::format("to convert the logs to profile files, run: plimsoll collectives merge {}",
                     support::shell_quoted(options.folder));
}

void collect_logs(MPI_Comm communicator, const Options& options, const collectives::Recorder* recorder) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  report_of_ranks(communicator, "could not record all data", recorder ? recorder->error() : "");

  const std::string path = recorder ? recorder->path() : "";
  std::uint64_t size = recorder ? recorder->log_bytes() : 0;
  std::vector<std::uint64_t> sizes(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  PMPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, communicator);
  std::unique_ptr<Logs> logs;
  if (rank == 0) logs = room_for(sizes, options);
  if (!from_rank_0(communicator, logs != nullptr)) {
    if (rank == 0 && !options.quiet && recorder)
      say(fmt::format("rank 0 recorded {} calls; the logs of all ranks are kept; {}",
                      recorder->recorded_calls(), how_to_merge(options)));
    return;
  }

  const std::string problem = rank == 0  ? receive_logs(communicator, path, *logs)
                              : size > 0 ? send_log(communicator, path, size)
                                         : std::string();
  report_of_ranks(communicator, "could not hand over the log", problem);
  if (!on_all_ranks(communicator, problem.empty())) {
    if (rank == 0)
      say(fmt::format("cannot read the logs of all ranks; the logs are kept; {}", how_to_merge(options)));
    return;
  }
  bool written = false;
  if (rank == 0) {
    try {
      written = write_files(options, *logs);
    } catch (const std::exception& error) {
      say(fmt::format("{}; the logs are kept; {}", error.what(), how_to_merge(options)));
    }
  }
  if (from_rank_0(communicator, written) && size > 0) unlink(path.c_str());
}

}  // namespace plimsoll::interpose
