#include "interpose/counts/open_calls.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

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
  for (OpenCall& open : complete) open.call.received.reset();
  unused_.splice(unused_.begin(), complete);
}

void OpenCalls::for_each(const std::function<void(const OpenCall&)>& visit) const {
  for (const OpenCallList& bucket : buckets_)
    for (const OpenCall& open : bucket) visit(open);
}

void OpenCalls::clear() {
  for (OpenCallList& bucket : buckets_) bucket.clear();
  set_size(0);
}

OpenCallList& OpenCalls::bucket_of(MPI_Request request) {
  return buckets_[support::mix_bits(std::hash<MPI_Request>{}(request)) & (buckets_.size() - 1)];
}

void OpenCalls::set_size(std::size_t size) {
  size_ = size;
  detail::requests_open.store(size > 0, std::memory_order_relaxed);
}

}  // namespace plimsoll::interpose
