#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return result;
}

void keep_lead(Profile& profile, std::uint32_t rank) {
  std::vector<std::uint32_t> others;
  for (const Lead& lead : profile.leads)
    if (others.empty() || others.back() != lead.rank) others.push_back(lead.rank);
  std::erase_if(profile.leads, [&](const Lead& lead) { return lead.rank != rank; });
  if (profile.leads.empty())
    throw support::usage_error(fmt::format("rank {} is not a lead rank in this profile", rank),
                               fmt::format("use a lead rank: {}", fmt::join(others, ", ")));
}

void keep_operation(Profile& profile, Operation operation) {
  const auto is_other = [&](const auto& item) { return !(item.operation == operation); };
  std::erase_if(profile.failed_calls, is_other);
  bool any = false;
  for (Lead& lead : profile.leads) {
    std::erase_if(lead.signatures, is_other);
    std::erase_if(lead.displacements, is_other);
    for (Communicator& communicator : lead.communicators) std::erase_if(communicator.calls, is_other);
    for (auto* values : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
      std::erase_if(*values, is_other);
    std::erase_if(lead.hashes, is_other);
    std::erase_if(lead.backtraces, is_other);
    for (std::size_t k = 0; k < lead.total_calls.size(); ++k)
      if (k != operation.index()) lead.total_calls[k] = 0;
    any = any || !lead.signatures.empty() || !lead.execution_s.empty() || !lead.late_arrival_s.empty() ||
          !lead.hashes.empty() || !lead.backtraces.empty();
  }
  if (!any) throw support::usage_error(fmt::format("no calls of {} in this profile", operation.name()));
}

NumberList within(const NumberList& calls, NumberList::Run window) {
  NumberList kept;
  for (const NumberList::Run& run : calls.runs())
    if (run.last >= window.first && run.first <= window.last)
      kept.append({std::max(run.first, window.first), std::min(run.last, window.last)});
  return kept;
}

// Returns the range of IDs of the calls to keep; none if the first is larger than the last.
NumberList::Run window_of(const Lead& lead, Operation operation, std::uint64_t first, std::uint64_t limit) {
  std::vector<NumberList::Run> runs;
  for (const Communicator& communicator : lead.communicators)
    for (const Communicator::Calls& calls : communicator.calls)
      if (calls.operation == operation)
        for (const NumberList::Run& run : calls.ids.runs())
          if (run.last >= first) runs.push_back({std::max(run.first, first), run.last});
  std::ranges::sort(runs, {}, &NumberList::Run::first);
  if (limit == 0) return {1, 0};
  for (const NumberList::Run& run : runs) {
    if (limit <= run.size()) return {first, run.first + limit - 1};
    limit -= run.size();
  }
  return {first, UINT64_MAX};
}

void keep_window(Lead& lead, Operation operation, NumberList::Run window) {
  for (std::vector<Signature>* signatures : {&lead.signatures, &lead.displacements}) {
    for (Signature& signature : *signatures)
      if (signature.operation == operation) signature.calls = within(signature.calls, window);
    std::erase_if(*signatures, [](const Signature& signature) { return signature.calls.empty(); });
  }
  for (Communicator& communicator : lead.communicators) {
    for (Communicator::Calls& calls : communicator.calls)
      if (calls.operation == operation) calls.ids = within(calls.ids, window);
    std::erase_if(communicator.calls, [](const Communicator::Calls& calls) { return calls.ids.empty(); });
  }
  const auto keep_in = [&](auto& list) {
    for (auto& values : list)
      if (values.operation == operation)
        values.keep_calls([&](std::size_t k) { return window.contains(values.calls[k]); });
    std::erase_if(list, [](const auto& values) { return values.calls.empty(); });
  };
  for (std::vector<RankValues>* list : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
    keep_in(*list);
  keep_in(lead.hashes);
  for (Backtrace& backtrace : lead.backtraces) {
    if (!(backtrace.operation == operation)) continue;
    for (Backtrace::Context& context : backtrace.contexts) context.calls = within(context.calls, window);
    std::erase_if(backtrace.contexts,
                  [](const Backtrace::Context& context) { return context.calls.empty(); });
  }
  std::erase_if(lead.backtraces, [](const Backtrace& backtrace) { return backtrace.contexts.empty(); });
}

}  // namespace

std::string Operation::name() const {
  std::string name = lower_case_name();
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

std::string Operation::lower_case_name() const {
  constexpr const char* exchanges[] = {"alltoall", "alltoallv", "alltoallw", "allgatherv"};
  std::string name = mode == Mode::nonblocking ? "i" : "";
  if (neighborhood) name += "neighbor_";
  name += exchanges[static_cast<std::size_t>(exchange)];
  if (mode == Mode::persistent) name += "_init";
  return name;
}

std::optional<Operation> Operation::named(std::string_view name) {
  const std::string wanted = lower(name);
  for (std::size_t index = 0; index < count; ++index)
    if (at(index).lower_case_name() == wanted) return at(index);
  return std::nullopt;
}

Operation operation_named(const std::string& name) {
  const bool has_prefix = name.starts_with("MPI_") || name.starts_with("mpi_");
  const std::string wanted = lower(has_prefix ? name.substr(4) : name);
  if (const auto operation = Operation::named(wanted)) return *operation;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < Operation::count; ++k) names.push_back(Operation::at(k).name());
  throw support::unknown_name("operation", wanted, names);
}

std::uint32_t peers(const Signature& signature, std::uint32_t remote_size) {
  std::uint32_t columns = 0;
  for (const Direction direction : {Direction::send, Direction::recv})
    if (!has_one_count(signature, direction))
      columns = std::max(columns, side_of(signature, direction).matrix.columns);
  if (columns > 0) return columns;
  return remote_size > 0 ? remote_size : signature.comm_size;
}

bool is_counted_elsewhere(const Profile& profile, const Lead& lead, const Communicator& communicator) {
  if (communicator.members.empty() || communicator.remote_members.empty()) return false;
  if (communicator.members.min() < communicator.remote_members.min()) return false;
  return std::ranges::binary_search(
      profile.leads, std::pair(lead.job, communicator.remote_members.front()), {},
      [](const Lead& other) { return std::pair(other.job, std::uint64_t{other.rank}); });
}

std::uint64_t recorded_calls(const Profile& profile) {
  std::uint64_t calls = 0;
  for (const Lead& lead : profile.leads) {
    for (const Signature& signature : lead.signatures) calls += signature.calls.size();
    if (lead.signatures.empty()) continue;
    for (const Communicator& communicator : lead.communicators)
      if (is_counted_elsewhere(profile, lead, communicator))
        for (const Communicator::Calls& counted : communicator.calls)
          calls -= std::min(calls, counted.ids.size());
  }
  return calls;
}

void expect_counts(const Profile& profile) {
  if (std::ranges::all_of(profile.leads, [](const Lead& lead) { return lead.signatures.empty(); }))
    throw support::bad_input("the profile contains no counts", {},
                             "use the counts of the same run, or record them (--record counts)");
}

Lead& lead_of(Profile& profile, std::uint64_t job, std::uint32_t rank) {
  const auto key = [](const Lead& lead) { return std::pair(lead.job, lead.rank); };
  const auto place = std::ranges::lower_bound(profile.leads, std::pair(job, rank), {}, key);
  if (place != profile.leads.end() && key(*place) == std::pair(job, rank)) return *place;
  Lead lead;
  lead.job = job;
  lead.rank = rank;
  return *profile.leads.insert(place, std::move(lead));
}

Profile select(Profile profile, const Selection& selection) {
  if (selection.lead) {
    profile.world_size = known_world_size(profile);  // cannot be derived from the remaining leads
    keep_lead(profile, *selection.lead);
  }
  if (!selection.operation.empty()) keep_operation(profile, operation_named(selection.operation));
  return profile;
}

void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit) {
  for (Lead& lead : profile.leads) keep_window(lead, operation, window_of(lead, operation, first, limit));
}

}  // namespace plimsoll::collectives
