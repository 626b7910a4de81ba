#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collectives/time_files/backtrace_file.hpp"
#include "collectives/time_files/communicator_data.hpp"
#include "collectives/time_files/content_hashes.hpp"
#include "collectives/time_files/index_file.hpp"
#include "collectives/time_files/locations.hpp"
#include "collectives/time_files/rank_values.hpp"
#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"
#include "collectives/time_files/time_files.hpp"

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

}  // namespace plimsoll::collectives
