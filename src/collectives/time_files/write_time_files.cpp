#include <optional>
#include <set>
#include <utility>

#include "collectives/time_files/backtrace_file.hpp"
#include "collectives/time_files/communicator_data.hpp"
#include "collectives/time_files/content_hashes.hpp"
#include "collectives/time_files/index_file.hpp"
#include "collectives/time_files/locations.hpp"
#include "collectives/time_files/rank_values.hpp"
#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

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
