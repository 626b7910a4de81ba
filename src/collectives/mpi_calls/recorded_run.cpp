#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/analysis/typed_rows.hpp"
#include "collectives/mpi_calls/plain_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void add_point_to_point(const MpiCalls& calls, Traffic& sum) {
  for (const MpiCalls::Traffic& pair : calls.traffic) {
    sum.bytes(pair.from, pair.to) += static_cast<double>(pair.bytes);
    if (sum.messages.size() > 0) sum.messages(pair.from, pair.to) += static_cast<double>(pair.messages);
    sum.point_to_point_messages = add(sum.point_to_point_messages, pair.messages);
  }
}

void check_same_run(const Profile& profile, const MpiCalls& mpi_calls) {
  if (mpi_calls.run.empty() || profile.runs.empty()) return;
  for (const std::string& run : profile.runs)
    if (run != mpi_calls.run)
      throw support::bad_input(fmt::format("the files contain collectives of run {} and MPI calls of run {}",
                                           support::in_quotes(run), support::in_quotes(mpi_calls.run)),
                               {}, "use the files of one run, such as only mpi-calls.json");
}

/// Returns whether the profiler can record the counts of a function.
bool may_have_counts(std::string_view function) {
  return Operation::named(plain_name(function)).has_value();
}

/// Returns the collectives that exchanged data of which the run contains only sums.
std::set<std::string> functions_without_pairs(const RecordedRun& run) {
  std::set<std::string> names;
  if (!run.mpi_calls()) return names;
  for (const MpiCalls::Site& site : run.mpi_calls()->sites) {
    const std::string& name = run.mpi_calls()->functions[site.function].name;
    const MpiPurpose purpose = purpose_of(name);
    if (purpose != MpiPurpose::collective && purpose != MpiPurpose::collective_start) continue;
    if (site.sent_bytes + site.received_bytes > 0 && !(run.has_counts() && may_have_counts(name)))
      names.insert(name);
  }
  return names;
}

std::string list_of(const std::set<std::string>& names) {
  constexpr std::size_t max_names = 4;
  const std::vector<std::string> shown(
      names.begin(),
      std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), max_names))));
  const std::size_t others = names.size() - shown.size();
  return fmt::format("{}", fmt::join(shown, ", ")) +
         (others > 0 ? fmt::format(" and {} others", others) : "");
}

std::string how_to_record(const std::set<std::string>& functions) {
  return std::ranges::any_of(functions, may_have_counts)
             ? "record the counts of Alltoall, Alltoallv, Alltoallw and Allgatherv (--record counts,mpi)"
             : "only Alltoall, Alltoallv, Alltoallw, Allgatherv and point-to-point messages have traffic "
               "between pairs of ranks; plimsoll collectives sites shows the bytes of the others";
}

}  // namespace

RecordedRun::RecordedRun(Profile profile, std::optional<MpiCalls> mpi_calls)
    : profile_(std::move(profile)), mpi_calls_(std::move(mpi_calls)) {
  if (!mpi_calls_) return;
  check_same_run(profile_, *mpi_calls_);
  const auto ranks = static_cast<std::uint32_t>(mpi_calls_->ranks.size());
  if (profile_.world_size == 0 && known_world_size(profile_) <= ranks) profile_.world_size = ranks;
  if (profile_.world_size != ranks)
    throw support::bad_input(
        fmt::format("the profile contains collectives of {} ranks and MPI calls of {} ranks",
                    known_world_size(profile_), ranks),
        {}, "use the files of one run");
}

bool RecordedRun::has_counts() const {
  return std::ranges::any_of(profile_.leads, [](const Lead& lead) { return !lead.signatures.empty(); });
}

bool RecordedRun::has_traffic() const {
  return has_counts() || (mpi_calls_ && !mpi_calls_->traffic.empty());
}

const char* to_string(TrafficKind kind) {
  using enum TrafficKind;
  constexpr support::Named<TrafficKind> names[] = {
      {"collectives", collectives}, {"p2p", point_to_point}, {"all", all}};
  return support::name_of(names, kind);
}

TrafficKind default_traffic(const RecordedRun& run) {
  return run.has_counts() || !run.mpi_calls() ? TrafficKind::collectives : TrafficKind::point_to_point;
}

void expect_counts(const RecordedRun& run) {
  if (run.mpi_calls() && !run.has_counts() &&
      std::ranges::none_of(run.mpi_calls()->functions, may_have_counts, &MpiCalls::Function::name))
    throw support::bad_input(
        "the profile contains no counts: the program called none of Alltoall, Alltoallv, Alltoallw and "
        "Allgatherv",
        {}, "use plimsoll collectives sites to list its MPI calls");
  expect_counts(run.profile());
}

void expect_traffic(const RecordedRun& run, TrafficKind kind) {
  if (kind == TrafficKind::collectives || run.has_traffic()) return;
  const std::set<std::string> functions = functions_without_pairs(run);
  if (!functions.empty())
    throw support::bad_input(
        fmt::format("unknown traffic between pairs of ranks: the profile contains only sums of {}",
                    list_of(functions)),
        {}, how_to_record(functions));
}

Traffic traffic(const RecordedRun& run, TrafficKind kind, const TrafficSelection& selection,
                Direction counts_of, bool with_messages) {
  if (kind == TrafficKind::collectives) expect_counts(run);
  if (kind == TrafficKind::collectives) return traffic(run.profile(), selection, counts_of, with_messages);
  if (!run.mpi_calls())
    throw support::bad_input("the profile does not contain point-to-point traffic", {},
                             "use plimsoll profile --record mpi to record it");
  if (selection != TrafficSelection{})
    throw support::usage_error(
        "only collectives can be selected by operation, call, count set or communicator",
        "use only the traffic of collectives");
  Traffic sum = kind == TrafficKind::all && run.has_counts()
                    ? traffic(run.profile(), selection, counts_of, with_messages)
                    : no_traffic(run.mpi_calls()->ranks.size(), with_messages);
  add_point_to_point(*run.mpi_calls(), sum);
  const std::set<std::string> missing = functions_without_pairs(run);
  if (!missing.empty() && (kind == TrafficKind::all || !run.has_counts()))
    sum.findings.push_back({.severity = support::Severity::warning,
                            .what = fmt::format("the traffic does not include {}", list_of(missing)),
                            .suggestion = how_to_record(missing)});
  return sum;
}

std::vector<std::string> rank_hosts(const RecordedRun& run) {
  if (!run.mpi_calls()) return rank_hosts(run.profile());
  std::vector<std::string> hosts;
  for (const MpiCalls::Rank& rank : run.mpi_calls()->ranks) hosts.push_back(rank.host);
  return hosts;
}

}  // namespace plimsoll::collectives
