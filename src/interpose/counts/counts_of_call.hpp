#pragma once

#include <mpi.h>

#include <algorithm>
#include <type_traits>

#include "interpose/counts/counts_sink.hpp"
#include "interpose/rules/collective_rules.hpp"
#include "interpose/rules/mpi_errors.hpp"
#include "interpose/rules/request_rules.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Part of a call in the counts, by the rule for its function: none for most functions. `arguments` calls a
/// function with the arguments of C.
template <class Rule>
struct CountsOfCall {
  static constexpr bool needed = false;
  void begin(auto&&, const void*) {}
  bool timed() const { return false; }
  void end(auto&&, const CallTime&, int) {}
};

/// Collectives whose counts are recorded.
template <rules::IsCounted Rule>
class CountsOfCall<Rule> {
 public:
  static constexpr bool needed = true;

  void begin(auto&& arguments, const void* return_address) {
    arguments([&](const auto&... own) {
      with_counts([&](ProcessRecording& counts) {
        call_ = counts.begin_call(Rule::counted(own...), return_address);
      });
    });
  }
  bool timed() const { return call_.timed; }
  void end(auto&& arguments, const CallTime& time, int code) {
    call_.begin_ns = time.begin_ns;
    if (code != MPI_SUCCESS)
      arguments([&](const auto&... own) {
        with_counts([&](ProcessRecording& counts) { counts.fail_call(call_, Rule::counted(own...), code); });
      });
    else if (call_.call.operation.mode != collectives::Mode::blocking)
      arguments([&](const auto&... own) { end_nonblocking(time, rules::last(own...)); });
    else if (call_.has_data_at_end())
      with_counts([&](ProcessRecording& counts) { counts.end_call(call_, time.duration_ns); });
  }

 private:
  void end_nonblocking(const CallTime& time, const auto& request) {
    if constexpr (requires { MPI_Request{request[0]}; })
      with_counts(
          [&](ProcessRecording& counts) { counts.end_nonblocking(call_, time.duration_ns, request[0]); });
  }

  CallInProgress call_;
};

/// Calls that wait for requests or test them.
template <class Rule>
requires std::is_base_of_v<rules::Completion, Rule>
class CountsOfCall<Rule> {
 public:
  static constexpr bool needed = true;

  void begin(auto&& arguments, const void*) {
    if (!requests_open()) return;
    arguments([&](const auto&... own) {
      for (int k = 0; k < Rule::count(own...); ++k)
        with_counts([&](ProcessRecording& counts) {
          counts.begin_completion(Rule::request(k, own...), k, completion_);
        });
    });
  }
  bool timed() const { return completion_.timed; }
  void end(auto&& arguments, const CallTime& time, int code) {
    if (completion_.calls.empty()) return;
    arguments([&](const auto&... own) {
      for (OpenCall& open : completion_.calls) open.after = Rule::request(open.position, own...);
      // If MPI rejects the arguments, they are not set.
      CompletedRequests requests = concerns_arguments(code) ? CompletedRequests() : Rule::completed(own...);
      if constexpr (std::remove_cvref_t<decltype(arguments)>::is_fortran) requests.count_from_1();
      requests.code = code;
      with_counts(
          [&](ProcessRecording& counts) { counts.end_completion(completion_, time.duration_ns, requests); });
    });
  }

 private:
  CompletionInProgress completion_;
};

/// Starts of persistent requests.
template <class Rule>
requires std::is_base_of_v<rules::Starts, Rule>
class CountsOfCall<Rule> {
 public:
  static constexpr bool needed = true;

  void begin(auto&& arguments, const void* return_address) {
    if (!requests_remembered()) return;
    arguments([&](const auto&... own) {
      for (int k = 0; k < Rule::count(own...); ++k)
        with_counts([&](ProcessRecording& counts) {
          const MPI_Request request = Rule::request(k, own...);
          if (const auto call = remembered_request(request).call)
            counts.begin_start(request, *call, return_address, started_);
        });
    });
  }
  bool timed() const {
    return std::ranges::any_of(started_, [](const StartedRequest& started) { return started.call.timed; });
  }
  void end(auto&&, const CallTime& time, int code) {
    if (!started_.empty())
      with_counts([&](ProcessRecording& counts) { counts.end_start(started_, time, code); });
  }

 private:
  StartInProgress started_;
};

}  // namespace plimsoll::interpose
