#include "interpose/counts/process_recording.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <span>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "interpose/handles/communicator_names.hpp"
#include "interpose/handles/topology.hpp"
#include "interpose/rules/mpi_errors.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::Mode;
using collectives::Operation;
using collectives::Recorder;

namespace {

constexpr std::size_t max_frames = 32;

collectives::RecorderOptions recorder_options(const Options& options) {
  return {.folder = options.folder,
          .first = options.first_call(),
          .limit = *std::max_element(options.limits.begin(), options.limits.end()),
          .sample = options.sample,
          .memory_bytes = options.memory_bytes};
}

/// Returns MPI's code for a collective after a call that may have completed it; nothing if it is still open.
/// Persistent requests keep their handles.
std::optional<int> code_of(const OpenCall& open, const CompletedRequests& completed) {
  if (open.after == MPI_REQUEST_NULL) return completed.code_of(open.position).value_or(completed.code);
  return open.call.call.operation.mode == Mode::persistent ? completed.code_of(open.position) : std::nullopt;
}

}  // namespace

ProcessRecording::ProcessRecording(const Options& options, const collectives::RankIdentity& identity,
                                   bool several_threads)
    : options_(options), several_threads_(several_threads), recorder_(recorder_options(options), identity) {
  limits_differ_ = std::adjacent_find(options_.limits.begin(), options_.limits.end(),
                                      std::not_equal_to<>()) != options_.limits.end();
  if (options_.content_hash) content_hasher_.emplace();
  if (options_.backtraces) {  // the first call of backtrace() loads libraries
    void* frame = nullptr;
    backtrace(&frame, 1);
  }
}

/// Returns null if calls on a communicator are not recorded, or if it is invalid. Takes a few ns for a
/// recently used one.
Communicator* ProcessRecording::known_communicator(MPI_Comm communicator) {
  Communicator* const known = find_communicator(communicator);
  if (known && !known->described) describe(communicator, *known);
  return known && !known->outside_world ? known : nullptr;
}

/// Describes a communicator to the recorder, in a form that other ranks recognise.
void ProcessRecording::describe(MPI_Comm communicator, Communicator& known) {
  for (const std::uint32_t number : take_freed_numbers()) recorder_.communicator_freed(number);
  known.described = true;
  auto description = description_of(communicator);
  known.outside_world = !description;
  if (!description) return;
  description->order = order_of(communicator, known);
  known.number = recorder_.add_communicator(*description);
}

/// Returns the communicator of a call, with its neighbours if they matter.
Communicator* ProcessRecording::communicator_of(const Arguments& arguments) {
  Communicator* const known = known_communicator(arguments.comm);
  if (!known || !arguments.operation.neighborhood || known->neighbors_recorded) return known;
  known->neighbors_recorded = true;
  auto [sources, destinations] = neighbors_of(arguments.comm);
  std::erase(sources, MPI_PROC_NULL);
  std::erase(destinations, MPI_PROC_NULL);
  recorder_.set_neighbors(known->number, sources, destinations);
  return known;
}

Recorder::Call ProcessRecording::count_call(std::uint32_t communicator, Operation operation) {
  Recorder::Call call = recorder_.begin_call(communicator, operation);
  if (paused()) call.recorded = false;
  if (limits_differ_ && call.recorded)
    call.recorded =
        (call.index - options_.first_call()) / options_.sample < options_.limits[operation.index()];
  return call;
}

CallInProgress ProcessRecording::begin_call(const Arguments& arguments, const void* return_address) {
  CallInProgress in_progress;
  if (!options_.operations[arguments.operation.index()]) return in_progress;
  in_progress.state = CallInProgress::State::unknown;
  in_progress.call = {.communicator = collectives::rank_log::no_communicator,
                      .operation = arguments.operation};
  std::vector<Message> sent;
  bool leads = false;
  {
    const auto locked = lock();
    const Communicator* const known = communicator_of(arguments);
    if (!known) return in_progress;
    in_progress.call.communicator = known->number;
    if (!RowBuilder::complete(arguments, *known)) return in_progress;
    in_progress.call = count_call(known->number, arguments.operation);
    in_progress.state = CallInProgress::State::counted;
    if (!in_progress.call.recorded) return in_progress;
    leads = known->rank == 0;
    recorder_.record_counts(in_progress.call, rows_.counts(arguments, *known));
    if (options_.displacements && RowBuilder::has_displacements(arguments, *known))
      recorder_.record_displacements(in_progress.call, rows_.displacements(arguments, *known));
    if (options_.backtraces && leads) record_backtrace(in_progress.call, return_address);
    if (content_hasher_) {
      sent = messages_of(arguments, *known, collectives::Direction::send);
      in_progress.received = received_messages(arguments, *known);
    }
  }
  if (content_hasher_) record_hash(in_progress.call, collectives::Direction::send, sent);
  in_progress.timed = arrive(in_progress.call, leads);
  return in_progress;
}

/// Returns whether the time of the call is needed.
bool ProcessRecording::arrive(const Recorder::Call& call, bool leads) {
  if (!call.recorded || !options_.record_times()) return false;
  if (options_.inject_delay && leads) {
    const support::NoCancellation no_cancellation;
    sleep(1);
  }
  return true;
}

/// Returns the messages to hash when a call is complete; null if the rank receives none.
std::shared_ptr<const OwnedMessages> ProcessRecording::received_messages(const Arguments& arguments,
                                                                         const Communicator& known) const {
  std::vector<Message> messages = messages_of(arguments, known, collectives::Direction::recv);
  if (messages.empty()) return nullptr;
  return std::make_shared<const OwnedMessages>(std::move(messages), arguments.operation.mode);
}

void ProcessRecording::end_call(const CallInProgress& call, std::uint64_t duration_ns) {
  if (!call.has_data_at_end()) return;
  {
    const auto locked = lock();
    record_time(call, duration_ns);
  }
  if (call.received) record_hash(call.call, collectives::Direction::recv, call.received->get());
}

void ProcessRecording::record_time(const CallInProgress& call, std::uint64_t duration_ns) {
  if (call.timed) recorder_.record_time(call.call, call.begin_ns, duration_ns);
}

/// Hashes messages without holding the lock, because this takes as long as reading the data.
void ProcessRecording::record_hash(const Recorder::Call& call, collectives::Direction direction,
                                   std::span<const Message> messages) {
  const std::uint64_t hash = content_hasher_->hash_of(messages);
  if (hash == 0) return;
  const auto locked = lock();
  recorder_.record_hash(call, direction, hash);
}

/// Returns whether MPI did not communicate in a call that failed.
bool ProcessRecording::is_refused([[maybe_unused]] const Arguments& arguments, int code) {
  if (concerns_arguments(code)) return true;
#if defined(OPEN_MPI)
  // Open MPI also checks that this rank receives from itself what it sends to itself.
  if (class_of_error(code) != MPI_ERR_TRUNCATE) return false;
  const Communicator* const known = known_communicator(arguments.comm);
  int inter = 0;
  PMPI_Comm_test_inter(arguments.comm, &inter);
  return known && !inter && RowBuilder::complete(arguments, *known) &&
         RowBuilder::contradicts_itself(arguments, *known);
#else
  return false;
#endif
}

void ProcessRecording::fail_call(const CallInProgress& in_progress, const Arguments& arguments, int code) {
  if (in_progress.state == CallInProgress::State::ignored) return;
  const auto locked = lock();
  Recorder::Call call = in_progress.call;
  if (in_progress.state == CallInProgress::State::unknown)
    call = recorder_.begin_call(call.communicator, call.operation);
  recorder_.record_failure(call, is_refused(arguments, code));
}

void ProcessRecording::end_nonblocking(const CallInProgress& in_progress, std::uint64_t duration_ns,
                                       MPI_Request request) {
  if (in_progress.state != CallInProgress::State::counted) return;
  if (request == MPI_REQUEST_NULL) return end_call(in_progress, duration_ns);
  end_open_call(request);
  const auto locked = lock();
  open_calls_.add({.request = request, .call = in_progress, .duration_ns = duration_ns});
}

void ProcessRecording::end_open_call(MPI_Request request) {
  const auto locked = lock();
  OpenCallList ended;
  if (!open_calls_.take(request, ended)) return;
  record_time(ended.front().call, ended.front().duration_ns);
  open_calls_.reuse(ended);
}

void ProcessRecording::begin_completion(MPI_Request request, int position,
                                        CompletionInProgress& in_progress) {
  const auto locked = lock();
  if (!open_calls_.take(request, in_progress.calls)) return;
  OpenCall& open = in_progress.calls.back();
  open.position = position;
  in_progress.timed = in_progress.timed || open.call.timed;
}

/// Collectives that are waited for together share the time, so that the sum over them is the time spent.
void ProcessRecording::end_completion(CompletionInProgress& in_progress, std::uint64_t duration_ns,
                                      const CompletedRequests& completed) {
  OpenCallList& calls = in_progress.calls;
  const std::uint64_t time_ns = duration_ns / calls.size();
  {
    const auto locked = lock();
    for (auto next = calls.begin(); next != calls.end();) {
      const auto open = next++;
      open->duration_ns += time_ns;
      if (!code_of(*open, completed)) open_calls_.put_back(calls, open);
    }
  }
  for (const OpenCall& open : calls) {
    if (code_of(open, completed) == MPI_SUCCESS) {
      end_call(open.call, open.duration_ns);
    } else {
      const auto locked = lock();
      recorder_.record_failure(open.call.call, false);
    }
  }
  const auto locked = lock();
  open_calls_.reuse(calls);
}

/// Records the callers of the function that returns to this address, without those inside this library.
void ProcessRecording::record_backtrace(const Recorder::Call& call, const void* return_address) {
  void* frames[max_frames + 8];
  const int depth = backtrace(frames, static_cast<int>(std::size(frames)));
  const std::span<void* const> all(frames, static_cast<std::size_t>(std::max(depth, 0)));
  const auto caller = std::ranges::find(all, return_address);
  const auto callers = caller == all.end() ? all : std::span<void* const>(caller, all.end());
  recorder_.record_backtrace(call, callers.first(std::min(callers.size(), max_frames)));
}

std::shared_ptr<const PersistentCall> ProcessRecording::persistent_call(const Arguments& arguments) {
  if (!options_.operations[arguments.operation.index()]) return nullptr;
  const auto locked = lock();
  const Communicator* const known = communicator_of(arguments);
  if (!known || !RowBuilder::complete(arguments, *known)) return nullptr;
  PersistentCall call = {.operation = arguments.operation,
                         .communicator = known->number,
                         .leads = known->rank == 0,
                         .counts = OwnedRow(rows_.counts(arguments, *known)),
                         .displacements = nullptr,
                         .sent = {},
                         .received = nullptr};
  if (options_.displacements && RowBuilder::has_displacements(arguments, *known))
    call.displacements = std::make_unique<OwnedRow>(rows_.displacements(arguments, *known));
  if (content_hasher_) {
    call.sent = OwnedMessages(messages_of(arguments, *known, collectives::Direction::send), Mode::persistent);
    call.received = received_messages(arguments, *known);
  }
  return std::make_shared<const PersistentCall>(std::move(call));
}

void ProcessRecording::begin_start(MPI_Request request, const PersistentCall& call,
                                   const void* return_address, StartInProgress& in_progress) {
  CallInProgress started;
  {
    const auto locked = lock();
    started.call = count_call(call.communicator, call.operation);
    started.state = CallInProgress::State::counted;
    if (started.call.recorded) {
      recorder_.record_counts(started.call, call.counts.row());
      if (call.displacements) recorder_.record_displacements(started.call, call.displacements->row());
      if (options_.backtraces && call.leads) record_backtrace(started.call, return_address);
      started.received = call.received;
    }
  }
  if (content_hasher_ && started.call.recorded)
    record_hash(started.call, collectives::Direction::send, call.sent.get());
  started.timed = arrive(started.call, call.leads);
  in_progress.push_back({request, std::move(started)});
}

void ProcessRecording::end_start(StartInProgress& in_progress, const CallTime& time, int code) {
  for (StartedRequest& started : in_progress)
    if (code == MPI_SUCCESS) {
      started.call.begin_ns = time.begin_ns;
      end_nonblocking(started.call, time.duration_ns, started.request);
    } else {
      const auto locked = lock();
      recorder_.record_failure(started.call.call, concerns_arguments(code));
    }
}

void ProcessRecording::finish(bool finalized) {
  // exit() may be called by a signal handler during a recorded call.
  const std::unique_lock locked(mutex_, std::try_to_lock);
  if (!locked) return;
  open_calls_.for_each([&](const OpenCall& open) { record_time(open.call, open.duration_ns); });
  recorder_.finish(finalized);
  if (!finalized) return;
  open_calls_.clear();  // frees their types
  if (content_hasher_) content_hasher_->release();
}

}  // namespace plimsoll::interpose
