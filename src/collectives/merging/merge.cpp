#include <fmt/format.h>

#include <set>

#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/merge_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// A member of a communicator: the log of its rank, and the communicator's number there.
struct Member {
  const RankLog* log = nullptr;
  std::uint32_t number = 0;  // number of the communicator in that log

  const LogCommunicator& communicator() const { return log->communicators[number]; }
};

/// Key that identifies a communicator on all ranks: members, remote members, order.
using Identity = std::tuple<std::vector<NumberList::Run>, std::vector<NumberList::Run>, std::uint64_t>;

std::vector<NumberList::Run> runs_of(const NumberList& ranks) {
  const auto runs = ranks.runs();
  return {runs.begin(), runs.end()};
}

Identity identity_of(const LogCommunicator& communicator) {
  return {runs_of(communicator.members), runs_of(communicator.remote_members), communicator.order};
}

/// A communicator with the members whose logs contain it, by rank.
struct SharedCommunicator {
  std::map<std::uint32_t, Member> members;

  const LogCommunicator& description() const { return members.begin()->second.communicator(); }
  bool complete() const { return members.size() == description().comm_size; }
};

struct LeadParts {
  Lead lead;
  SignatureIndex signatures;
  SignatureIndex displacements;
};

/// Failures of the calls of one operation on one communicator, on one rank.
struct FailuresOfRank {
  std::uint32_t world_rank;
  const std::vector<LogFailure>* failures;
};

/// Returns the calls that MPI refused: the maximum over the ranks, summed over the indices.
std::uint64_t refused_calls(const std::vector<FailuresOfRank>& of_ranks) {
  std::map<std::uint64_t, std::uint64_t> most;  // by index
  for (const FailuresOfRank& rank : of_ranks) {
    std::map<std::uint64_t, std::uint64_t> of_rank;
    for (const LogFailure& failure : *rank.failures)
      if (failure.refused == 1) of_rank[failure.first_index] += failure.count;
    for (const auto& [index, calls] : of_rank) most[index] = std::max(most[index], calls);
  }
  std::uint64_t sum = 0;
  for (const auto& [index, calls] : most) sum += calls;
  return sum;
}

NumberList indices_of_other_calls(const std::vector<FailuresOfRank>& of_ranks) {
  std::vector<NumberList::Run> runs;
  for (const FailuresOfRank& rank : of_ranks)
    for (const LogFailure& failure : *rank.failures)
      if (failure.refused != 1) runs.push_back({failure.first_index, last_index(failure)});
  std::ranges::sort(runs, {}, &NumberList::Run::first);
  NumberList indices;
  std::uint64_t next = 0;
  for (const NumberList::Run& run : runs) {
    if (run.last < next) continue;
    indices.append({std::max(run.first, next), run.last});
    next = run.last + 1;
  }
  return indices;
}

/// Counts the failed calls of a run. A call counts once, regardless of the number of ranks on which it
/// failed.
class FailureCounter {
 public:
  /// Adds the failures of one operation on one communicator. Returns the indices of the calls that took part,
  /// ascending.
  NumberList add(Operation operation, const std::vector<FailuresOfRank>& of_ranks) {
    if (of_ranks.empty()) return {};
    NumberList indices = indices_of_other_calls(of_ranks);
    Sum& sum = sums_[operation.index()];
    sum.calls += refused_calls(of_ranks) + indices.size();
    for (const FailuresOfRank& rank : of_ranks) sum.ranks.insert(rank.world_rank);
    return indices;
  }

  std::vector<FailedCalls> take() const {
    std::vector<FailedCalls> all;
    for (const auto& [index, sum] : sums_) {
      FailedCalls& failed =
          all.emplace_back(FailedCalls{.operation = Operation::at(index), .calls = sum.calls});
      for (const std::uint32_t rank : sum.ranks) failed.ranks.push_back(rank);
    }
    return all;
  }

 private:
  struct Sum {
    std::uint64_t calls = 0;
    std::set<std::uint32_t> ranks;
  };
  std::map<std::size_t, Sum> sums_;  // by Operation::index()
};

class Merger {
 public:
  Merger(std::vector<RankLog> logs, std::vector<Diagnostic> findings) : logs_(std::move(logs)) {
    result_.findings = std::move(findings);
  }

  MergeResult run(support::Progress& progress) {
    describe_run();
    match_communicators();
    make_leads();
    progress.begin("merging", shared_.size(), "communicators");
    for (auto& [identity, communicator] : shared_) {
      merge_communicator(communicator);
      progress.advance(1);
    }
    progress.end();
    count_failures_without_communicator();
    result_.profile.failed_calls = failures_.take();
    for (auto& [rank, parts] : leads_) finish_lead(parts);
    return std::move(result_);
  }

 private:
  void report(std::string what, std::string file = {}, std::string suggestion = {}) {
    result_.findings.push_back({.severity = Severity::warning,
                                .check = "merge",
                                .what = std::move(what),
                                .file = std::move(file),
                                .suggestion = std::move(suggestion)});
  }

  void describe_run() {
    Profile& profile = result_.profile;
    result_.run_id = logs_.front().run_id;
    profile.world_size = logs_.front().world_size;
    profile.runs = {run_name(result_.run_id)};
    NumberList missing;
    std::uint64_t next = 0;
    const auto miss_until = [&](std::uint64_t rank) {
      if (next < rank) {
        missing.append({next, rank - 1});
        profile.cut_short.append({next, rank - 1});
      }
      next = rank + 1;
    };
    std::map<std::string, std::size_t> host_numbers;
    for (const RankLog& log : logs_) {
      miss_until(log.world_rank);
      const auto [host, is_new] = host_numbers.try_emplace(log.host, profile.hosts.size());
      if (is_new) profile.hosts.push_back({.name = log.host, .ranks = {}});
      profile.hosts[host->second].ranks.push_back(log.world_rank);
      if (!log.finalized) profile.cut_short.push_back(log.world_rank);
      if (log.damage) result_.findings.push_back(*log.damage);
      for (const rank_log::ClockRecord& clock : log.clocks)
        profile.clock_error_s =
            std::max(profile.clock_error_s.value_or(0), static_cast<double>(clock.error_ns) * 1e-9);
    }
    miss_until(profile.world_size);
    if (!missing.empty())
      report(fmt::format("missing log of rank{} {}", missing.size() == 1 ? "" : "s", missing.to_string()), {},
             "calls in which these ranks took part are skipped");
  }

  void match_communicators() {
    for (const RankLog& log : logs_) {
      for (std::uint32_t number = 0; number < log.communicators.size(); ++number) {
        const LogCommunicator& communicator = log.communicators[number];
        auto& members = shared_[identity_of(communicator)].members;
        if (!members.try_emplace(communicator.comm_rank, Member{&log, number}).second)
          report(fmt::format("duplicate communicator {}; its calls are skipped", number), log.content.name);
      }
    }
  }

  // Creates the leads. Communicators are numbered in order of first use on their lead.
  void make_leads() {
    for (const RankLog& log : logs_) {
      for (const LogCommunicator& communicator : log.communicators) {
        if (communicator.comm_rank != 0) continue;
        const SharedCommunicator& shared = shared_.at(identity_of(communicator));
        if (&shared.description() != &communicator) continue;
        Lead& lead = leads_[log.world_rank].lead;
        lead.communicators.push_back(
            description_of(shared, static_cast<std::uint32_t>(lead.communicators.size())));
        ids_[&communicator] = lead.communicators.back().id;
      }
      if (const auto lead = leads_.find(log.world_rank); lead != leads_.end()) {
        lead->second.lead.job = log.job;
        lead->second.lead.rank = log.world_rank;
        lead->second.lead.total_calls = total_calls(log);
        lead->second.lead.backtraces = merge_backtraces(log, ids_, frame_names_);
      }
    }
  }

  static Communicator description_of(const SharedCommunicator& shared, std::uint32_t id) {
    Communicator communicator{.id = id,
                              .members = shared.description().members,
                              .remote_members = shared.description().remote_members};
    if (!shared.complete()) return communicator;
    for (const auto& [rank, member] : shared.members) {
      communicator.pids.push_back(member.log->pid);
      communicator.hosts.push_back(member.log->host);
    }
    return communicator;
  }

  static std::vector<std::uint64_t> total_calls(const RankLog& log) {
    if (log.total_calls) return *log.total_calls;
    std::vector<std::uint64_t> totals(Operation::count);
    for (const auto& [key, calls] : log.calls)
      totals[key.operation] = std::max(totals[key.operation], calls.ids);
    return totals;
  }

  void merge_communicator(const SharedCommunicator& shared) {
    std::set<std::uint8_t> operations;
    std::vector<Member> members;
    for (const auto& [rank, member] : shared.members) {
      members.push_back(member);
      const auto first = member.log->calls.lower_bound({member.number, 0, rank_log::Subject::counts});
      for (auto calls = first; calls != member.log->calls.end() && calls->first.communicator == member.number;
           ++calls)
        operations.insert(calls->first.operation);
      for (auto failures = member.log->failures.lower_bound({member.number, 0});
           failures != member.log->failures.end() && failures->first.first == member.number; ++failures)
        operations.insert(failures->first.second);
    }
    for (const std::uint8_t index : operations) {
      const NumberList failed = count_failures(members, index);
      const bool counts = merge_calls(shared, Operation::at(index), rank_log::Subject::counts);
      if (counts) result_.profile.incomplete_calls -= incomplete_calls(failed, shared, index);
      merge_calls(shared, Operation::at(index), rank_log::Subject::displacements, counts);
    }
  }

  /// Counts the failed calls of one operation. Returns the indices of calls that took part.
  template <class Members>
  NumberList count_failures(const Members& members, std::uint8_t operation) {
    std::vector<FailuresOfRank> of_ranks;
    for (const Member& member : members)
      if (const auto failures = member.log->failures.find({member.number, operation});
          failures != member.log->failures.end())
        of_ranks.push_back({member.log->world_rank, &failures->second});
    return failures_.add(Operation::at(operation), of_ranks);
  }

  /// Returns how many of these calls are in the logs of some ranks, but not of all.
  static std::uint64_t incomplete_calls(const NumberList& indices, const SharedCommunicator& shared,
                                        std::uint8_t operation) {
    const auto members = members_of(shared, Operation::at(operation), rank_log::Subject::counts);
    std::vector<CallFinder> calls;
    calls.reserve(members.size());
    for (const MemberCalls& member : members) calls.emplace_back(*member.log, *member.calls);
    std::uint64_t incomplete = 0;
    indices.for_each([&](std::uint64_t index) {
      const auto ranks =
          std::ranges::count_if(calls, [&](CallFinder& finder) { return finder.find(index) != nullptr; });
      incomplete += ranks > 0 && ranks < shared.description().comm_size ? 1 : 0;
    });
    return incomplete;
  }

  void count_failures_without_communicator() {
    std::vector<Member> members;
    for (const RankLog& log : logs_) members.push_back({&log, rank_log::no_communicator});
    for (std::uint8_t operation = 0; operation < Operation::count; ++operation)
      count_failures(members, operation);
  }

  static std::vector<MemberCalls> members_of(const SharedCommunicator& shared, Operation operation,
                                             rank_log::Subject subject) {
    std::vector<MemberCalls> members;
    const auto index = static_cast<std::uint8_t>(operation.index());
    for (const auto& [rank, member] : shared.members) {
      const auto calls = member.log->calls.find({member.number, index, subject});
      if (calls == member.log->calls.end()) continue;
      const auto recorded = [number = member.number, index](const auto& values) {
        const auto found = values.find({number, index});
        return found == values.end() ? nullptr : &found->second;
      };
      members.push_back({rank, member.log, &member.communicator(), &calls->second,
                         recorded(member.log->times), recorded(member.log->hashes)});
    }
    return members;
  }

  // Merges the calls of one operation and subject; returns whether any rank recorded such calls. If
  // `counted`, the calls were already counted for another subject, and are not counted again.
  bool merge_calls(const SharedCommunicator& shared, Operation operation, rank_log::Subject subject,
                   bool counted = false) {
    const std::vector<MemberCalls> members = members_of(shared, operation, subject);
    if (members.empty()) return false;
    const std::uint32_t comm_size = shared.description().comm_size;
    GroupedCalls grouped = group_calls(members, comm_size);
    if (members.size() == comm_size) {
      LeadParts& parts = leads_.at(members.front().log->world_rank);
      const std::uint32_t id = ids_.at(members.front().communicator);
      const bool is_counts = subject == rank_log::Subject::counts;
      SignatureIndex& index = is_counts ? parts.signatures : parts.displacements;
      std::vector<Signature>& signatures = is_counts ? parts.lead.signatures : parts.lead.displacements;
      SignatureFinder finder(members, operation);
      for (CallGroup& group : grouped.groups) {
        std::optional<Signature> signature = finder.find(group.index);
        if (!signature) {
          grouped.incomplete += group.ids.size();
          continue;
        }
        signature->calls = std::move(group.ids);
        index.add(signatures, std::move(*signature));
      }
      if (!counted) {
        if (!grouped.ids.empty())
          parts.lead.communicators[id].calls.push_back({operation, grouped.ids.ascending()});
        merge_times(members, operation, id, parts.lead);
        merge_hashes(members, operation, id, parts.lead);
      }
    }
    if (!counted) {
      result_.profile.incomplete_calls += grouped.incomplete;
      check_agreement(shared, members, operation);
    }
    return true;
  }

  // Checks that ranks with a complete log have made the same calls.
  void check_agreement(const SharedCommunicator& shared, const std::vector<MemberCalls>& members,
                       Operation operation) {
    if (!shared.complete()) return;
    if (!std::ranges::all_of(shared.members, [](const auto& member) { return member.second.log->finalized; }))
      return;
    const auto calls_of = [](const MemberCalls& member) { return member.calls->calls; };
    const MemberCalls& fewest = *std::ranges::min_element(members, {}, calls_of);
    const MemberCalls& most = *std::ranges::max_element(members, {}, calls_of);
    const bool all_called = members.size() == shared.members.size();
    if (all_called && calls_of(fewest) == calls_of(most)) return;
    const LogCommunicator& communicator = shared.description();
    report(
        fmt::format(
            "inconsistent MPI_{} calls on the communicator of ranks {}: rank {} made {}, {}",
            operation.name(), communicator.members.to_string(), most.log->world_rank, calls_of(most),
            all_called ? fmt::format("rank {} {}", fewest.log->world_rank, calls_of(fewest))
                       : fmt::format("{} other ranks made no calls", shared.members.size() - members.size())),
        {}, "calls not made by all ranks are skipped");
  }

  void finish_lead(LeadParts& parts) {
    Lead& lead = parts.lead;
    for (std::vector<Signature>* list : {&lead.signatures, &lead.displacements}) {
      for (Signature& signature : *list) signature.calls = signature.calls.ascending();
      std::ranges::sort(*list, {}, [](const Signature& signature) {
        return std::pair(signature.operation.index(), signature.calls.front());
      });
    }
    const auto order = [](const auto& values) {
      return std::pair(values.operation.index(), values.communicator);
    };
    for (std::vector<RankValues>* list : {&lead.execution_s, &lead.begin_s, &lead.late_arrival_s})
      std::ranges::sort(*list, {}, order);
    std::ranges::sort(lead.hashes, {}, order);
    result_.profile.leads.push_back(std::move(lead));
  }

  const std::vector<RankLog> logs_;
  std::map<Identity, SharedCommunicator> shared_;
  std::map<std::uint32_t, LeadParts> leads_;  // keyed by rank
  CommunicatorIds ids_;
  FrameNames frame_names_;
  FailureCounter failures_;
  MergeResult result_;
};

}  // namespace

MergeResult merge(std::span<const LogContent> contents, support::Progress& progress,
                  const MergeLimits& limits) {
  std::vector<Diagnostic> findings;
  std::vector<RankLog> logs = read_logs_of_run(contents, limits, findings, progress);
  return Merger(std::move(logs), std::move(findings)).run(progress);
}

}  // namespace plimsoll::collectives
