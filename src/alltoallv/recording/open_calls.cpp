#include "alltoallv/recording/open_calls.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <plimsoll/support/mix_bits.hpp>

#include "alltoallv/recording/profiler.hpp"

namespace plimsoll::inline v0_1::alltoallv {

void OpenCalls::add(const OpenCall& open) {
  if (unused_.empty()) unused_.emplace_back();
  unused_.front() = open;
  OpenCallList& bucket = bucket_of(open.request);
  bucket.splice(bucket.begin(), unused_, unused_.begin());
  set_size(size_ + 1);
}

bool OpenCalls::take(MPI_Request request, OpenCallList& taken) {
  OpenCallList& bucket = bucket_of(request);
  const auto found = std::ranges::find(bucket, request, &OpenCall::request);
  if (found == bucket.end()) return false;
  taken.splice(taken.end(), bucket, found);
  set_size(size_ - 1);
  return true;
}

void OpenCalls::put_back(OpenCallList& taken, OpenCallList::iterator open) {
  OpenCallList& bucket = bucket_of(open->request);
  bucket.splice(bucket.begin(), taken, open);
  set_size(size_ + 1);
}

void OpenCalls::reuse(OpenCallList& complete) {
  unused_.splice(unused_.begin(), complete);
}

OpenCallList OpenCalls::take_all() {
  OpenCallList all;
  for (OpenCallList& bucket : buckets_) all.splice(all.end(), bucket);
  set_size(0);
  return all;
}

OpenCallList& OpenCalls::bucket_of(MPI_Request request) {
  return buckets_[support::mix_bits(std::hash<MPI_Request>{}(request)) & (buckets_.size() - 1)];
}

void OpenCalls::set_size(std::size_t size) {
  size_ = size;
  detail::requests_open.store(size > 0, std::memory_order_relaxed);
}

}  // namespace plimsoll::alltoallv
