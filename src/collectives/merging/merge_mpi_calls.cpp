#include <fmt/format.h>

#include <plimsoll/collectives/internal/program_calls.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/output_file.hpp>

#include "collectives/merging/sums_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t max_sums_bytes = std::uint64_t{1} << 30;

/// Throws the reason why the first of some files could not be read.
[[noreturn]] void throw_first_of(const std::vector<Diagnostic>& findings) {
  for (Diagnostic finding : findings) {
    if (finding.file.empty()) continue;
    finding.severity = Severity::error;
    throw Error(ErrorKind::bad_input, finding);
  }
  throw support::bad_input("no readable files of MPI calls");
}

/// Reads the ranks of a run one by one, in their order.
class RankByRank {
 public:
  explicit RankByRank(const LoggedRun& run) : run_(run), calls_(static_cast<int>(run.world_size)) {}

  void add(const std::string& path, std::vector<Diagnostic>& findings) {
    const std::string bytes = support::read_text_file(path, max_sums_bytes);
    const RankSums sums = read_rank_sums(bytes, path, findings);
    const std::uint32_t rank = sums.header.world_rank;
    if (sums.header.run_id != run_.run_id || sums.header.world_size != run_.world_size || rank < next_rank_) {
      findings.push_back({.severity = Severity::warning,
                          .check = "merge",
                          .what = fmt::format("duplicate file of rank {} or of another run; skipped", rank),
                          .file = path});
      return;
    }
    skip_to(rank);
    calls_.add_rank(sums.calls);
    if (!sums.finalized) cut_short_.push_back(rank);
    ++next_rank_;
  }

  MpiCalls finish() {
    skip_to(run_.world_size);
    MpiCalls calls = calls_.sums();
    calls.run = run_name(run_.run_id);
    calls.cut_short = cut_short_;
    return calls;
  }

 private:
  /// Adds the ranks without a file, on which nothing is known.
  void skip_to(std::uint32_t rank) {
    for (; next_rank_ < rank; ++next_rank_) {
      calls_.add_rank({});
      cut_short_.push_back(next_rank_);
    }
  }

  const LoggedRun& run_;
  ProgramCalls calls_;
  NumberList cut_short_;
  std::uint32_t next_rank_ = 0;
};

}  // namespace

MergedMpiCalls merge_mpi_calls(const LoggedRun& run, support::Progress& progress) {
  MergedMpiCalls merged;
  const RunWriters writers = writers_of(run);
  if (!writers.text.empty())
    merged.findings.push_back(
        {.what = writers.text, .suggestion = "wait for the program to end, then merge the files again"});
  RankByRank ranks(run);
  std::size_t read = 0;
  progress.begin("reading MPI calls", run.mpi_paths.size(), "files");
  for (const std::string& path : run.mpi_paths) {
    try {
      ranks.add(path, merged.findings);
      ++read;
    } catch (const Error& error) {
      merged.findings.push_back(error.diagnostic());
      merged.findings.back().severity = Severity::warning;
    }
    progress.advance(1);
  }
  progress.end();
  if (read == 0) throw_first_of(merged.findings);
  merged.calls = ranks.finish();
  merged.calls.is_running = writers.certain;
  return merged;
}

std::string write_mpi_calls(const MpiCalls& calls, const std::string& folder, bool overwrite) {
  support::make_folder(folder);
  std::string path = folder + "/" + mpi_calls_file_name;
  support::OutputFile file(path, {.overwrite = overwrite, .keep_unfinished = false});
  file.write(to_json(calls));
  file.close();
  return path;
}

}  // namespace plimsoll::collectives
