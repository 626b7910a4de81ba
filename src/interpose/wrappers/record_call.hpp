#pragma once

#include <mpi.h>

#include <exception>
#include <type_traits>
#include <utility>

#include "interpose/counts/counts_of_call.hpp"
#include "interpose/handles/communicator_names.hpp"
#include "interpose/handles/persistent_requests.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/path/path_of_call.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/rules/transfer_rules.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/arrivals.hpp"
#include "interpose/wrappers/wrappers.hpp"

/// Code that wrappers of MPI's names execute around the real call, by the rule for the function. `call` makes
/// the call and returns MPI's code; `arguments` calls a function with the arguments of C. If MPI implements
/// one of the names with another, only the outermost call is recorded.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Return address of the Fortran procedure that this thread is in, if MPI implements it by calling another
/// name that has a wrapper; else null. The call belongs to this address, and the wrapper of the other name
/// records it.
inline constinit thread_local const void* fortran_caller = nullptr;

/// Sets `fortran_caller` during its lifetime.
class FortranCaller {
 public:
  explicit FortranCaller(const void* return_address) : before_(fortran_caller) {
    fortran_caller = return_address;
  }
  FortranCaller(const FortranCaller&) = delete;
  FortranCaller& operator=(const FortranCaller&) = delete;
  ~FortranCaller() { fortran_caller = before_; }

 private:
  const void* before_;
};

/// Returns the address from which the program makes the call of a wrapper that returns to `return_address`.
inline const void* calling_address(const void* return_address) {
  return fortran_caller ? fortran_caller : return_address;
}

/// Records a call in the counts and in the critical path, unless `Counts` or `Path` record nothing, and in
/// the sums if `summed`. Compares when the ranks arrived if `compared`.
template <Function function, class Rule, class Counts, class Path, class Call, class Arguments>
int record_call(bool summed, bool compared, const void* return_address, Call&& call,
                const Arguments& arguments) {
  Counts counts;
  Path path;
  counts.begin(arguments, return_address);
  const bool timed = summed || compared || Path::needed || counts.timed();
  CallTime time;
  if (timed) time.begin_ns = now_ns();
  path.begin(arguments, time.begin_ns);
  const int code = call();
  path.end(arguments, code);
  if (timed) time.duration_ns = now_ns() - time.begin_ns;
  counts.end(arguments, time, code);
  CallPlace place;
  if (summed)
    guarded(Sink::sums, [&] {
      ThreadRecord& thread = record_of_this_thread();
      Transfer transfer;
      if (code == MPI_SUCCESS) arguments([&](const auto&... own) { Rule::add(transfer, own...); });
      thread.add_messages(transfer);
      place = thread.add_call(function, return_address, time, code != MPI_SUCCESS, transfer);
    });
  path.leave(time.begin_ns + time.duration_ns, place);
  if constexpr (rules::has_arrivals<function, Rule>)
    if (compared)
      arguments([&](const auto&... own) {
        current_arrivals->add(rules::collective_of<function, Rule>(own...), rules::dependence_of<Rule>, code,
                              place, time);
      });
  return code;
}

/// Makes a call, which these sinks record.
template <Function function, class Rule, class Call, class Arguments>
int record_in(ActiveSinks sinks, const void* return_address, Call&& call, const Arguments& arguments) {
  using NoCounts = CountsOfCall<rules::Nothing>;
  using Counts = CountsOfCall<Rule>;
  using Path = PathOfCall<function, Rule>;
  const bool counted = Counts::needed && sinks.has(Sink::counts);
  const bool summed = sinks.has(Sink::sums) && !paused();
  const bool compared = rules::has_arrivals<function, Rule> && sinks.has(Sink::arrivals);
  if (sinks.has(Sink::path))
    return counted
               ? record_call<function, Rule, Counts, Path>(summed, false, return_address, call, arguments)
               : record_call<function, Rule, NoCounts, Path>(summed, false, return_address, call, arguments);
  if (counted)
    return record_call<function, Rule, Counts, NoPath>(summed, compared, return_address, call, arguments);
  if (!summed && !compared) return call();
  return record_call<function, Rule, NoCounts, NoPath>(summed, compared, return_address, call, arguments);
}

/// Names the communicator that a call has created. Without its name, those of later ones would differ from
/// those on other ranks.
template <class Rule>
void name_communicator(ActiveSinks sinks, const auto&... own) {
  try {
    if constexpr (std::is_same_v<Rule, rules::DelayedCreation>)
      communicator_being_created(Rule::parent(own...), Rule::created(own...));
    else
      communicator_created(Rule::parent(own...), Rule::created(own...));
  } catch (const std::exception& error) {
    for (const Sink sink : {Sink::counts, Sink::arrivals})
      if (sinks.has(sink)) stop_recording(sink, error.what());
    with_path([](CriticalPath& path) { path.lose(CriticalPath::Unknown::errors); });
  }
}

/// Makes a call from `return_address`, which the active sinks record.
template <Function function, class Rule, class Call, class Arguments>
int around_call(const void* return_address, Call&& call, const Arguments& arguments) {
  const Nesting nesting;
  const ActiveSinks sinks = nesting.outermost() ? active_sinks() : ActiveSinks();
  const int code = record_in<function, Rule>(sinks, return_address, call, arguments);
  if constexpr (std::is_base_of_v<rules::Creation, Rule>)
    if (code == MPI_SUCCESS && !sinks.none())
      arguments([&](const auto&... own) { name_communicator<Rule>(sinks, own...); });
  return code;
}

/// Remembers what the starts of a persistent request record; its handle is the last argument.
template <class Rule, class Call, class Arguments>
int around_persistent_init(Call&& call, const Arguments& arguments) {
  const Nesting nesting;
  const int code = call();
  const ActiveSinks sinks = nesting.outermost() && code == MPI_SUCCESS ? active_sinks() : ActiveSinks();
  if (sinks.none()) return code;
  arguments([&](const auto&... own) {
    const MPI_Request request = rules::last(own...)[0];
    if (requests_remembered()) forget_request(request);  // whose end was not seen
    if (sinks.has(Sink::sums))
      guarded(Sink::sums, [&] {
        Transfer transfer;
        Rule::add(transfer, own...);
        remember_transfer(request, transfer);
      });
    if (sinks.has(Sink::path))
      with_path([&](CriticalPath& path) {
        if constexpr (std::is_base_of_v<rules::Sends, Rule>)
          path.remember_persistent(request, Rule::sent(own...), true);
        else if constexpr (std::is_base_of_v<rules::Receives, Rule>)
          path.remember_persistent(request, Rule::awaited(own...), false);
        else
          path.lose(CriticalPath::Unknown::functions);
      });
    if constexpr (CountsOfCall<Rule>::needed)
      if (sinks.has(Sink::counts))
        with_counts([&](ProcessRecording& counts) {
          if (auto started = counts.persistent_call(Rule::counted(own...)))
            remember_call(request, std::move(started));
        });
  });
  return code;
}

/// Forgets a request that is about to be freed; `request` returns its handle.
template <class Request, class Call>
int around_request_free(Request&& request, Call&& call) {
  const Nesting nesting;
  if (nesting.outermost() && requests_remembered()) forget_request(request());
  if (nesting.outermost() && active_sinks().has(Sink::path))
    with_path([&](CriticalPath& path) { path.forget(request()); });
  if (nesting.outermost() && requests_open())
    with_counts([&](ProcessRecording& counts) { counts.end_open_call(request()); });
  return call();
}

}  // namespace plimsoll::interpose
