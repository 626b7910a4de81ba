#pragma once

#include <bit>
#include <string>

#include "collectives/example_profiles.hpp"

namespace plimsoll::testing {

/// Appends the data of a profile, one line per value, as text that a failing test can print. Times are
/// compared bit by bit.
class ProfileText {
 public:
  explicit ProfileText(const Profile& profile) {
    line("world size", profile.world_size);
    for (const std::string& run : profile.runs) line("run " + run, 0);
    line("cut short " + profile.cut_short.to_string(), profile.incomplete_calls);
    if (profile.clock_error_s) line("clock error", std::bit_cast<std::uint64_t>(*profile.clock_error_s));
    for (const FailedCalls& failed : profile.failed_calls)
      line("failed " + failed.operation.name() + " on " + failed.ranks.to_string(), failed.calls);
    for (const Host& host : profile.hosts) line("host " + host.name + " of " + host.ranks.to_string(), 0);
    for (const Lead& one : profile.leads) add(one);
  }

  const std::string& text() const { return text_; }

 private:
  void line(const std::string& what, std::uint64_t number) {
    text_ += what + ": " + std::to_string(number) + "\n";
  }

  void add(const Lead& lead) {
    line("lead of job " + std::to_string(lead.job), lead.rank);
    for (const auto* all : {&lead.signatures, &lead.displacements}) {
      line("count sets", all->size());
      text_ += described(*all);
      for (const Signature& signature : *all)
        for (const Side* side : {&signature.send, &signature.recv}) {
          line("columns", side->matrix.columns);
          for (const std::uint64_t size : side->type_sizes) line("type size", size);
        }
    }
    for (const Communicator& one : lead.communicators) add(one);
    for (const auto* all : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
      add(*all, [](double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); });
    add(lead.hashes, [](const DataHashes& hashes) {
      return std::to_string(hashes.sent) + " " + std::to_string(hashes.received);
    });
    for (const Backtrace& trace : lead.backtraces) add(trace);
    for (const std::uint64_t calls : lead.total_calls) line("calls", calls);
  }

  void add(const Communicator& communicator) {
    line("communicator of " + communicator.members.to_string() + " and " +
             communicator.remote_members.to_string(),
         communicator.id);
    for (const std::uint64_t pid : communicator.pids) line("pid", pid);
    for (const std::string& host : communicator.hosts) line("host [" + host + "]", 0);
    for (const Communicator::Calls& calls : communicator.calls)
      line(calls.operation.name() + " calls " + calls.ids.to_string(), calls.ids.size());
  }

  template <class Value, class Format>
  void add(const std::vector<PerRank<Value>>& all, Format&& format) {
    line("kinds of values", all.size());
    for (const PerRank<Value>& values : all) {
      line(values.operation.name() + " of " + std::to_string(values.comm_size), values.communicator);
      for (const std::uint64_t call : values.calls) line("call", call);
      for (const Value& value : values.values) text_ += format(value) + "\n";
    }
  }

  void add(const Backtrace& trace) {
    line("trace of " + trace.operation.name() + " in [" + trace.program + "]", trace.pid);
    for (const std::string& frame : trace.frames) line("frame [" + frame + "]", 0);
    for (const Backtrace::Context& context : trace.contexts)
      line("calls " + context.calls.to_string() + " of " + std::to_string(context.comm_rank) + ", " +
               std::to_string(context.world_rank),
           context.communicator);
  }

  std::string text_;
};

/// Returns all data of a profile as text.
inline std::string text_of_all(const Profile& profile) {
  return ProfileText(profile).text();
}

}  // namespace plimsoll::testing
