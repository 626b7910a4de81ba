#include "collectives/time_files/time_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "collectives/time_files/time_file_kinds.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the job of a file without a job in its name. It is the job of the lead or, if this lead is
/// missing, the job of all leads; 0 if unknown.
std::uint64_t assumed_job(const Profile& profile, std::uint32_t rank, TimeFileText& text) {
  const auto of_rank = std::ranges::find(profile.leads, rank, &Lead::rank);
  if (of_rank == profile.leads.end()) return profile.leads.empty() ? 0 : profile.leads.front().job;
  const auto other =
      std::find_if(of_rank + 1, profile.leads.end(), [&](const Lead& lead) { return lead.rank == rank; });
  if (other != profile.leads.end()) {
    text.warning(
        1, fmt::format(
               "the file name does not contain the job ID: jobs {0} and {1} are possible; read as job {0}",
               of_rank->job, other->job));
  }
  return of_rank->job;
}

}  // namespace

bool is_time_file(std::string_view file_name) {
  return TimeFileName::parse(file_name).has_value();
}

bool names_job(std::string_view file_name) {
  const auto name = TimeFileName::parse(file_name);
  return name && name->job;
}

void read_time_file(const std::string& path, std::string_view file_name, std::string_view text,
                    Profile& profile, std::vector<Diagnostic>& findings, const ReadLimits& limits) {
  const std::optional<TimeFileName> name = TimeFileName::parse(file_name);
  if (!name) return;
  if (name->kind == TimeFileKind::index)
    return read_index(path, text, name->job.value_or(0), profile, findings, limits);

  TimeFileText lines(path, text, findings);
  const std::uint64_t job = name->job ? *name->job : assumed_job(profile, name->lead, lines);
  Lead& lead = lead_of(profile, job, name->lead);
  switch (name->kind) {
    case TimeFileKind::execution_times: return read_rank_values(*name, lines, lead, lead.execution_s, limits);
    case TimeFileKind::late_arrival_times:
      return read_rank_values(*name, lines, lead, lead.late_arrival_s, limits);
    case TimeFileKind::timestamps: return read_rank_values(*name, lines, lead, lead.begin_s, limits);
    case TimeFileKind::content_hashes: return read_content_hashes(*name, lines, lead, limits);
    case TimeFileKind::locations: return read_locations(*name, lines, lead, limits);
    case TimeFileKind::communicator_data: return read_communicator_data(lines, lead);
    case TimeFileKind::backtrace: return read_backtrace(*name, lines, lead, limits);
    case TimeFileKind::index: break;
  }
}

namespace {

/// Appends the files of one lead.
class LeadFiles {
 public:
  /// Prepares to write a lead's files. `job` is used in names to which the collective profiler adds no job.
  LeadFiles(const Lead& lead, std::optional<std::uint64_t> job, std::vector<NamedText>& files)
      : lead_(lead), job_(job), files_(files) {}

  void append() {
    for (const RankValues& values : lead_.execution_s)
      append_values(TimeFileKind::execution_times, values, values_text(values));
    for (const RankValues& values : lead_.late_arrival_s)
      append_values(TimeFileKind::late_arrival_times, values, values_text(values));
    for (const RankValues& begin_s : lead_.begin_s) {
      const RankValues* const execution_s =
          find_values(lead_.execution_s, begin_s.operation, begin_s.communicator);
      append_values(TimeFileKind::timestamps, begin_s, timestamps_text(begin_s, execution_s));
    }
    for (const RankHashes& hashes : lead_.hashes)
      append_values(TimeFileKind::content_hashes, hashes, content_hashes_text(hashes));
    append_locations();
    append_backtraces();
    for (std::size_t index = 0; index < Operation::count; ++index) {
      const Operation operation = Operation::at(index);
      std::string text = communicator_data_text(lead_, operation);
      if (!text.empty())
        add({TimeFileKind::communicator_data, operation, lead_.rank, 0, 0, job_}, std::move(text));
    }
  }

 private:
  template <class Value>
  void append_values(TimeFileKind kind, const PerRank<Value>& values, std::string text) {
    add({kind, values.operation, lead_.rank, values.communicator, 0, lead_.job}, std::move(text));
  }

  void append_locations() {
    for (const Communicator& communicator : lead_.communicators) {
      if (communicator.hosts.empty()) continue;
      for (const Communicator::Calls& calls : communicator.calls)
        add({TimeFileKind::locations, calls.operation, lead_.rank, communicator.id, 0, job_},
            locations_text(communicator, calls.ids));
    }
  }

  void append_backtraces() {
    std::vector<std::uint32_t> next(Operation::count);
    for (const Backtrace& trace : lead_.backtraces) {
      const std::uint32_t number = next[trace.operation.index()]++;
      add({TimeFileKind::backtrace, trace.operation, lead_.rank, 0, number, job_}, backtrace_text(trace));
    }
  }

  void add(const TimeFileName& name, std::string text) {
    files_.push_back({name.file_name(), std::move(text)});
  }

  const Lead& lead_;
  std::optional<std::uint64_t> job_;
  std::vector<NamedText>& files_;
};

std::set<std::uint64_t> jobs_of(const Profile& profile) {
  std::set<std::uint64_t> jobs;
  for (const Lead& lead : profile.leads) jobs.insert(lead.job);
  if (jobs.empty()) jobs.insert(0);
  return jobs;
}

}  // namespace

void append_time_files(const Profile& profile, std::vector<NamedText>& files) {
  const std::set<std::uint64_t> jobs = jobs_of(profile);
  for (const Lead& lead : profile.leads)
    LeadFiles(lead, jobs.size() > 1 ? std::optional(lead.job) : std::nullopt, files).append();
  for (const std::uint64_t job : jobs) {
    const TimeFileName name{TimeFileKind::index, {}, 0, 0, 0, job};
    files.push_back({name.file_name(), index_text(profile, job, job == *jobs.begin())});
  }
}

}  // namespace plimsoll::collectives
