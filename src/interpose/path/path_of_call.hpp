#pragma once

#include <mpi.h>

#include <optional>
#include <type_traits>
#include <vector>

#include "interpose/path/path_sink.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/rules/request_rules.hpp"
#include "interpose/rules/transfer_rules.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Part of a call in the critical path if it is not followed.
struct NoPath {
  static constexpr bool needed = false;
  void begin(auto&&, std::uint64_t) {}
  void end(auto&&, int) {}
  void leave(std::uint64_t, const CallPlace&) {}
};

/// Part of a call in the critical path, by its function and the rule for it: most calls only end the useful
/// time before them. `arguments` calls a function with the arguments of C.
template <Function function, class Rule>
class PathOfCall {
 public:
  static constexpr bool needed = true;

  void begin(auto&& arguments, std::uint64_t begin_ns) {
    with_path([&](CriticalPath& path) {
      path.begin_call(shared_time_ns(begin_ns));
      arguments([&](const auto&... own) {
        if constexpr (is_sent) path.send(Rule::sent(own...));
        if constexpr (is_completion) find_open_requests(path, own...);
        if constexpr (is_start)
          for (int k = 0; k < Rule::count(own...); ++k) path.start(Rule::request(k, own...));
        if constexpr (is_matched) path.receive_matched(Rule::message(own...));
        if constexpr (is_freed) path.end_maxima_on(Rule::freed(own...));
        if constexpr (std::is_base_of_v<rules::Unfollowed, Rule>) path.lose(CriticalPath::Unknown::functions);
      });
    });
  }

  void end(auto&& arguments, int code) {
    with_path([&](CriticalPath& path) {
      if constexpr (is_completion)
        if (!open_.empty())
          arguments([&](const auto&... own) {
            constexpr bool from_fortran = std::remove_cvref_t<decltype(arguments)>::is_fortran;
            complete<from_fortran>(path, code, own...);
          });
      if constexpr (is_collective)
        if (code == MPI_SUCCESS || !concerns_arguments(code))
          arguments([&](const auto&... own) {
            path.begin_collective(rules::collective_of<function, Rule>(own...), rules::dependence_of<Rule>);
            if constexpr (!is_begun) path.end_collective();
          });
      if (code != MPI_SUCCESS) {
        // A note was sent without its message, or one stays unreceived.
        if constexpr (is_sent || is_awaited || is_start) path.lose(CriticalPath::Unknown::errors);
        return;
      }
      arguments([&](const auto&... own) {
        if constexpr (is_begun && is_sent) path.remember_send(rules::last(own...)[0]);
        if constexpr (is_begun && is_awaited)
          path.remember_receive(rules::last(own...)[0], Rule::awaited(own...));
        if constexpr (is_begun && is_collective) path.remember_collective(rules::last(own...)[0]);
        if constexpr (!is_begun && is_awaited)
          path.receive(found(Rule::awaited(own...), *rules::last(own...)));
        if constexpr (is_probe) path.find(found(Rule::awaited(own...), *rules::last(own...)));
        if constexpr (is_matched_probe)
          if (Rule::found(own...))
            path.match(Rule::message(own...), found(Rule::awaited(own...), *rules::last(own...)));
      });
    });
  }

  void leave(std::uint64_t end_ns, const CallPlace& place) {
    with_path([&](CriticalPath& path) { path.end_call(shared_time_ns(end_ns), place); });
  }

 private:
  static constexpr bool is_sent = std::is_base_of_v<rules::Sends, Rule>;
  static constexpr bool is_awaited = std::is_base_of_v<rules::Receives, Rule>;
  static constexpr bool is_collective = rules::dependence_of<Rule> != rules::Dependence::none;
  static constexpr bool is_completion = std::is_base_of_v<rules::Completion, Rule>;
  static constexpr bool is_probe = std::is_same_v<rules::Probe, Rule>;
  static constexpr bool is_matched_probe = std::is_base_of_v<rules::MatchedProbe, Rule>;
  static constexpr bool is_matched = std::is_base_of_v<rules::ReceivesMatched, Rule>;
  static constexpr bool is_freed = std::is_base_of_v<rules::Freeing, Rule>;
  static constexpr bool is_start = std::is_base_of_v<rules::Starts, Rule>;
  /// Whether the last argument is a request, which another call completes.
  static constexpr bool is_begun = rules::is_begun<function>;

  struct OpenRequest {
    int position;
    MPI_Request request;
  };

  /// Returns the envelope of the message that a call found, without wildcards.
  static Envelope found(const Envelope& awaited, const MPI_Status& status) {
    if (awaited.peer == MPI_PROC_NULL) return awaited;
    return {awaited.comm, status.MPI_SOURCE, status.MPI_TAG};
  }

  void find_open_requests(CriticalPath& path, const auto&... own) {
    for (int k = 0; k < Rule::count(own...); ++k) {
      const MPI_Request request = Rule::request(k, own...);
      if (path.is_open(request)) open_.push_back({k, request});
    }
  }

  template <bool from_fortran>
  void complete(CriticalPath& path, int code, const auto&... own) {
    CompletedRequests completed = concerns_arguments(code) ? CompletedRequests() : Rule::completed(own...);
    if constexpr (from_fortran) completed.count_from_1();
    completed.code = code;
    for (const auto& [position, request] : open_) {
      const std::optional<int> own_code = completed.code_of(position);
      if (!own_code) continue;
      if (*own_code != MPI_SUCCESS || !completed.statuses.given()) {
        path.lose(CriticalPath::Unknown::errors);
        path.forget_cancelled(request);
        continue;
      }
      const MPI_Status status = completed.statuses[*completed.status_position(position)];
      int cancelled = 0;
      PMPI_Test_cancelled(&status, &cancelled);
      if (cancelled)
        path.forget_cancelled(request);
      else
        path.complete(request, status.MPI_SOURCE, status.MPI_TAG);
    }
  }

  std::vector<OpenRequest> open_;
};

}  // namespace plimsoll::interpose
