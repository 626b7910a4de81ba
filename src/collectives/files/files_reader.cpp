#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/files.hpp>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/file_names.hpp"
#include "collectives/profile_file/text_files.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

class FilesReader {
 public:
  FilesReader(const ReadLimits& limits, support::Progress& progress)
      : budget_(limits.max_numbers), progress_(progress) {}

  ReadResult read(const std::vector<std::string>& paths) {
    InputFiles files = find_files(paths, result_.findings);
    if (files.size() == 0 && files.mpi_calls.empty()) throw no_files(paths);
    progress_.begin("reading", files.size(), "files");
    for (const InputFile& file : files.profiles) read_profile_file(file.path, files);
    for (const InputFiles::Pair& pair : files.blocks) read_blocks(pair);
    for (const InputFile& call : files.calls) read_call(call);
    for (auto& [lead, collected] : counts_)
      if (!collected.empty()) lead_of(lead).signatures = collected.take();
    for (auto& [lead, collected] : displacements_)
      if (!collected.empty()) lead_of(lead).displacements = collected.take();
    for (const auto& file : files.summaries) read_summary(file);
    for (const auto& file : files.time_files) read_beside(file);
    progress_.end();
    if (first_failure_ && readable_ == 0) throw *first_failure_;
    return std::move(result_);
  }

 private:
  using LeadName = std::pair<std::uint64_t, std::uint32_t>;  // job and rank
  using Collectors = std::map<LeadName, SignatureCollector>;

  /// Reads a profile file instead of its text files, unless these have changed.
  void read_profile_file(const std::string& path, InputFiles& files) {
    progress_.advance(1);
    try {
      ProfileFileReader reader(path, budget_);
      const TextFilesState state = compare_text_files(path, reader.head(), files.texts());
      Findings findings(path, result_.findings);
      if (!state.difference.empty())
        return findings.add(Severity::warning, 0, state.difference + "; the text files are read instead",
                            "remove this file, or use plimsoll collectives export --format profile");
      if (!jobs_read_.insert(reader.head().job).second)
        return findings.add(Severity::error, 0,
                            fmt::format("another file contains job {} too; file skipped", reader.head().job),
                            "specify the directory of one run");
      reader.read(result_.profile);
      ++readable_;
      files.remove(state.same);
      progress_.advance(state.same.size());
    } catch (const Error& error) {
      add_failure(error);
    }
  }

  void add_failure(const Error& error) {
    result_.findings.push_back(error.diagnostic());
    if (!first_failure_) first_failure_ = error;
  }

  static bool has_logs(const std::vector<std::string>& paths) {
    const std::string folder = paths.empty() ? "." : paths.front();
    return std::filesystem::is_directory(folder) && !find_logs(folder).empty();
  }

  static Error no_files(const std::vector<std::string>& paths) {
    return support::bad_input(
        "no files of collective operations found", paths.empty() ? "" : paths.front(),
        has_logs(paths)
            ? "the directory contains rank logs; use 'plimsoll collectives merge' to convert them"
            : "specify a directory written by 'plimsoll profile' or 'plimsoll collectives merge'");
  }

  static LeadName lead_in(const FileName& name) { return {name.job.value_or(0), name.lead}; }

  Lead& lead_of(const LeadName& name) {
    return collectives::lead_of(result_.profile, name.first, name.second);
  }

  /// Returns the content of a file; a file that cannot be read becomes a finding.
  std::optional<std::string> content_of(const std::string& path) {
    progress_.advance(1);
    try {
      std::string text = support::read_text_file(path, largest_file_bytes);
      ++readable_;
      return text;
    } catch (const Error& error) {
      add_failure(error);
      return std::nullopt;
    }
  }

  std::vector<CountsBlock> blocks_of(const std::string& path, Content content, Findings& findings) {
    const std::optional<std::string> text = content_of(path);
    if (!text) return {};
    return read_counts(*text, content, budget_, findings);
  }

  void read_blocks(const InputFiles::Pair& pair) {
    if (!pair.send || !pair.recv) return report_half(pair);
    Findings send_findings(*pair.send, result_.findings);
    Findings recv_findings(*pair.recv, result_.findings);
    const bool counts = pair.name.kind == FileKind::counts;
    const Content content = counts ? Content::counts : Content::displacements;
    std::vector<CountsBlock> send = blocks_of(*pair.send, content, send_findings);
    std::vector<CountsBlock> recv = blocks_of(*pair.recv, content, recv_findings);
    pair_blocks(std::move(send), std::move(recv), content, send_findings, recv_findings,
                (counts ? counts_ : displacements_)[lead_in(pair.name)]);
  }

  void report_half(const InputFiles::Pair& pair) {
    FileName other = pair.name;
    other.direction = pair.send ? Direction::recv : Direction::send;
    Findings findings(pair.send.value_or(pair.recv.value_or("")), result_.findings);
    findings.add(Severity::error, 0,
                 fmt::format("missing counterpart {} in the same directory", other.text()),
                 "send and receive files are only valid in pairs; file skipped");
    progress_.advance(1);
    ++readable_;
  }

  void read_call(const InputFile& call) {
    const std::optional<std::string> text = content_of(call.path);
    if (!text) return;
    Findings findings(call.path, result_.findings);
    auto signature = read_call_counts(*text, call.name.operation, call.name.call, budget_, findings);
    if (signature) counts_[lead_in(call.name)].add_call(*std::move(signature), findings);
  }

  void read_summary(const InputFile& file) {
    const std::optional<std::string> text = content_of(file.path);
    if (!text) return;
    const ProfileSummary summary = read_profile_summary(*text, *file.name.operation);
    const auto world_size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(summary.world_size, INT32_MAX));
    result_.profile.world_size = std::max(result_.profile.world_size, world_size);
    lead_of(lead_in(file.name)).total_calls[summary.operation.index()] = summary.total_calls;
  }

  void read_beside(const InputFile& file) {
    const std::optional<std::string> text = content_of(file.path);
    if (!text) return;
    read_time_file(file.path, file.name, *text, result_.profile, result_.findings, {budget_.left()});
  }

  ReadResult result_;
  Budget budget_;
  support::Progress& progress_;
  Collectors counts_;
  Collectors displacements_;
  std::set<std::uint64_t> jobs_read_;  // from profile files
  std::size_t readable_ = 0;
  std::optional<Error> first_failure_;
};

}  // namespace

ReadResult read(const std::vector<std::string>& paths, const ReadLimits& limits,
                support::Progress& progress) {
  return FilesReader(limits, progress).read(paths);
}

bool has_profile_files(const std::string& path) {
  std::vector<Diagnostic> unknown_files;
  const InputFiles files = find_files({path}, unknown_files);
  return files.size() > 0 || !files.mpi_calls.empty();
}

}  // namespace plimsoll::collectives
