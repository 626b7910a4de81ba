#include "collectives/time_files/time_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

bool TimeFileText::next() {
  if (lines_.at_end()) return false;
  number_ = lines_.number();
  line_ = support::trimmed(lines_.line());
  const bool is_whole = !lines_.is_cut();
  lines_.advance();
  if (!is_whole && !line_.empty()) malformed("file truncated in the middle of its last line");
  return is_whole;
}

bool TimeFileText::next_filled() {
  while (next())
    if (!line_.empty()) return true;
  return false;
}

std::optional<std::string_view> TimeFileText::value_of(std::string_view key) const {
  std::string_view value = line_;
  if (!take_field(value, key)) return std::nullopt;
  return value;
}

void TimeFileText::skip_version() {
  PLIMSOLL_EXPECT(number_ == 0);
  const support::LineReader begin = lines_;
  if (!next_filled()) {
    warning(1, "the file is empty");
  } else if (const auto version = value_of("FORMAT_VERSION:"); !version) {
    warning(number_, "missing line \"FORMAT_VERSION: 9\"; read as version 9");
    lines_ = begin;
    number_ = 0;
  } else if (*version != "9") {
    warning(number_, fmt::format("unknown format version {}; read as version 9", shown(*version)));
  }
}

namespace {

/// Returns the job of a file without a job in its name. It is the job of the lead or, if this lead is
/// missing, the job of all leads; 0 if unknown.
std::uint64_t assumed_job(const Profile& profile, std::uint32_t rank, TimeFileText& text) {
  const auto of_rank = std::ranges::find(profile.leads, rank, &Lead::rank);
  if (of_rank == profile.leads.end()) return profile.leads.empty() ? 0 : profile.leads.front().job;
  const auto other = std::ranges::find(of_rank + 1, profile.leads.end(), rank, &Lead::rank);
  if (other != profile.leads.end()) {
    text.warning(
        1, fmt::format(
               "the file name does not contain the job ID: jobs {0} and {1} are possible; read as job {0}",
               of_rank->job, other->job));
  }
  return of_rank->job;
}

using AddFile = std::function<void(const FileName& name, const std::string& text)>;

void write_values(const Lead& lead, const AddFile& add) {
  const auto add_values = [&](FileKind kind, const auto& values, const std::string& text) {
    add({.kind = kind,
         .operation = values.operation,
         .job = lead.job,
         .lead = lead.rank,
         .communicator = values.communicator},
        text);
  };
  for (const RankValues& values : lead.execution_s)
    add_values(FileKind::execution_times, values, values_text(values));
  for (const RankValues& values : lead.late_arrival_s)
    add_values(FileKind::late_arrival_times, values, values_text(values));
  for (const RankValues& begin_s : lead.begin_s)
    add_values(
        FileKind::timestamps, begin_s,
        timestamps_text(begin_s, find_values(lead.execution_s, begin_s.operation, begin_s.communicator)));
  for (const RankHashes& hashes : lead.hashes)
    add_values(FileKind::content_hashes, hashes, content_hashes_text(hashes));
}

/// Writes the files to whose names the collective profiler adds no job; they get `job`, if any.
void write_places(const Lead& lead, std::optional<std::uint64_t> job, const AddFile& add) {
  FileName name{.job = job, .lead = lead.rank};
  name.kind = FileKind::locations;
  for (const Communicator& communicator : lead.communicators) {
    if (communicator.hosts.empty()) continue;
    name.communicator = communicator.id;
    for (const Communicator::Calls& calls : communicator.calls) {
      name.operation = calls.operation;
      add(name, locations_text(communicator, calls.ids));
    }
  }
  name.kind = FileKind::backtrace;
  std::vector<std::uint32_t> next(Operation::count);
  for (const Backtrace& trace : lead.backtraces) {
    name.operation = trace.operation;
    name.trace = next[trace.operation.index()]++;
    add(name, backtrace_text(trace));
  }
  name.kind = FileKind::communicator_data;
  for (std::size_t index = 0; index < Operation::count; ++index) {
    name.operation = Operation::at(index);
    if (const std::string text = communicator_data_text(lead, *name.operation); !text.empty())
      add(name, text);
  }
}

}  // namespace

void read_time_file(const std::string& path, const FileName& name, std::string_view text, Profile& profile,
                    std::vector<Diagnostic>& findings, const ReadLimits& limits) {
  if (name.kind == FileKind::index)
    return read_index(path, text, name.job.value_or(0), profile, findings, limits);

  TimeFileText lines(path, text, findings);
  const std::uint64_t job = name.job ? *name.job : assumed_job(profile, name.lead, lines);
  Lead& lead = lead_of(profile, job, name.lead);
  switch (name.kind) {
    case FileKind::execution_times: return read_rank_values(name, lines, lead, lead.execution_s, limits);
    case FileKind::late_arrival_times:
      return read_rank_values(name, lines, lead, lead.late_arrival_s, limits);
    case FileKind::timestamps: return read_rank_values(name, lines, lead, lead.begin_s, limits);
    case FileKind::content_hashes: return read_content_hashes(name, lines, lead, limits);
    case FileKind::locations: return read_locations(name, lines, lead, limits);
    case FileKind::communicator_data: return read_communicator_data(lines, lead);
    case FileKind::backtrace: return read_backtrace(name, lines, lead, limits);
    default: PLIMSOLL_EXPECT(false);
  }
}

void write_time_files(const Profile& profile, const AddFile& add) {
  std::set<std::uint64_t> jobs;
  for (const Lead& lead : profile.leads) jobs.insert(lead.job);
  if (jobs.empty()) jobs.insert(0);
  for (const Lead& lead : profile.leads) {
    write_values(lead, add);
    write_places(lead, jobs.size() > 1 ? std::optional(lead.job) : std::nullopt, add);
  }
  for (const std::uint64_t job : jobs)
    add({.kind = FileKind::index, .job = job}, index_text(profile, job, job == *jobs.begin()));
}

}  // namespace plimsoll::collectives
