#pragma once

#include <mpi.h>

#include <cstdint>
#include <unordered_map>

#include <plimsoll/collectives/recorder.hpp>

namespace plimsoll::inline v0_1::alltoallv {

/// Timed calls whose requests may still be incomplete. The time of such a call includes the time in the calls
/// that wait for its request or test it, so that it is recorded only when the request is complete.
class OpenCalls {
 public:
  explicit OpenCalls(collectives::Recorder& recorder) : recorder_(recorder) {}

  /// Adds a call that took `duration_ns` to start. A persistent request stays in use after its completion:
  /// each start completes the one before.
  void add(MPI_Request request, const collectives::Recorder::Call& call, std::uint64_t begin_ns,
           std::uint64_t duration_ns);
  bool contains(MPI_Request request) const { return calls_.contains(request); }
  /// Adds time that a call spent on this request.
  void add_time(MPI_Request request, std::uint64_t time_ns);
  /// Records the time of the call with this request, if it is open.
  void complete(MPI_Request request);
  void complete_all();

 private:
  struct OpenCall {
    collectives::Recorder::Call call;
    std::uint64_t begin_ns;
    std::uint64_t duration_ns;
  };
  void record(const OpenCall& open);
  void publish_size() const;

  collectives::Recorder& recorder_;
  std::unordered_map<MPI_Request, OpenCall> calls_;
};

}  // namespace plimsoll::alltoallv
