#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/counts/content_hash.hpp"
#include "interpose/counts/messages.hpp"
#include "interpose/counts/open_calls.hpp"
#include "interpose/counts/row_builder.hpp"
#include "interpose/lifecycle/options.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/rules/arguments.hpp"
#include "interpose/rules/completed_requests.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// A persistent collective, with the data that each of its starts records.
struct PersistentCall {
  collectives::Operation operation;
  std::uint32_t communicator;
  bool leads;  ///< whether this is rank 0 of the communicator
  OwnedRow counts;
  std::unique_ptr<OwnedRow> displacements;
  OwnedMessages sent;                             ///< empty if the data are not hashed
  std::shared_ptr<const OwnedMessages> received;  ///< null if the data are not hashed
};

/// Records the collective calls of this process from MPI_Init to MPI_Finalize. Its members may throw.
class ProcessRecording {
 public:
  /// Creates the log. `several_threads`: whether calls may come from several threads at once
  /// (MPI_THREAD_MULTIPLE). Throws Error if the log cannot be created.
  ProcessRecording(const Options& options, const collectives::RankIdentity& identity, bool several_threads);

  /// Begins a call that returns to `return_address`.
  CallInProgress begin_call(const Arguments& arguments, const void* return_address);
  /// Records the data of a complete call.
  void end_call(const CallInProgress& call, std::uint64_t duration_ns);
  /// Ends a call for which MPI returned the error `code`.
  void fail_call(const CallInProgress& in_progress, const Arguments& arguments, int code);
  /// Ends the start of a nonblocking collective, which `request` completes.
  void end_nonblocking(const CallInProgress& in_progress, std::uint64_t duration_ns, MPI_Request request);

  /// Ends the call with this request if it is open. The call that completed it was not seen, so that the data
  /// may no longer exist.
  void end_open_call(MPI_Request request);
  /// Adds the request at `position` of the program's array if it belongs to an open collective.
  void begin_completion(MPI_Request request, int position, CompletionInProgress& in_progress);
  void end_completion(CompletionInProgress& in_progress, std::uint64_t duration_ns,
                      const CompletedRequests& completed);

  /// Returns what each start of a persistent collective records; null if nothing.
  std::shared_ptr<const PersistentCall> persistent_call(const Arguments& arguments);
  void begin_start(MPI_Request request, const PersistentCall& call, const void* return_address,
                   StartInProgress& in_progress);
  void end_start(StartInProgress& in_progress, const CallTime& time, int code);

  /// Ends the log and all recording. Leaves the log as it is if a thread is currently recording.
  void finish(bool finalized);

  collectives::Recorder& recorder() { return recorder_; }

 private:
  std::unique_lock<std::mutex> lock() {
    return several_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  Communicator* known_communicator(MPI_Comm communicator);
  void describe(MPI_Comm communicator, Communicator& known);
  Communicator* communicator_of(const Arguments& arguments);
  collectives::Recorder::Call count_call(std::uint32_t communicator, collectives::Operation operation);
  bool is_refused(const Arguments& arguments, int code);
  void record_backtrace(const collectives::Recorder::Call& call, const void* return_address);
  void record_hash(const collectives::Recorder::Call& call, collectives::Direction direction,
                   std::span<const Message> messages);
  std::shared_ptr<const OwnedMessages> received_messages(const Arguments& arguments,
                                                         const Communicator& known) const;
  void record_time(const CallInProgress& call, std::uint64_t duration_ns);
  bool arrive(const collectives::Recorder::Call& call, bool leads);

  const Options options_;
  const bool several_threads_;
  bool limits_differ_ = false;
  std::mutex mutex_;
  collectives::Recorder recorder_;
  RowBuilder rows_;
  OpenCalls open_calls_;
  std::optional<ContentHasher> content_hasher_;  // if the data are to be hashed
};

}  // namespace plimsoll::interpose
