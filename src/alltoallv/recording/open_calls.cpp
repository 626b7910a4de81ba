#include "alltoallv/recording/open_calls.hpp"

#include "alltoallv/recording/profiler.hpp"

namespace plimsoll::inline v0_1::alltoallv {

void OpenCalls::add(MPI_Request request, const collectives::Recorder::Call& call, std::uint64_t begin_ns,
                    std::uint64_t duration_ns) {
  complete(request);
  const OpenCall open = {call, begin_ns, duration_ns};
  if (request == MPI_REQUEST_NULL) return record(open);
  calls_.emplace(request, open);
  publish_size();
}

void OpenCalls::add_time(MPI_Request request, std::uint64_t time_ns) {
  if (const auto found = calls_.find(request); found != calls_.end()) found->second.duration_ns += time_ns;
}

void OpenCalls::complete(MPI_Request request) {
  const auto found = calls_.find(request);
  if (found == calls_.end()) return;
  record(found->second);
  calls_.erase(found);
  publish_size();
}

void OpenCalls::complete_all() {
  for (const auto& [request, open] : calls_) record(open);
  calls_.clear();
  publish_size();
}

void OpenCalls::record(const OpenCall& open) {
  recorder_.record_time(open.call, open.begin_ns, open.duration_ns);
}

void OpenCalls::publish_size() const {
  detail::requests_open.store(!calls_.empty(), std::memory_order_relaxed);
}

}  // namespace plimsoll::alltoallv
