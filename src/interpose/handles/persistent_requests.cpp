#include "interpose/handles/persistent_requests.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

using ByHandle = std::unordered_map<MPI_Request, PersistentRequest>;

/// Persistent requests of this process. They are never destroyed, because threads may outlive the exit
/// handlers.
struct Requests {
  std::mutex mutex;
  ByHandle by_handle;
};

Requests& requests() {
  static Requests* const requests = new Requests;
  return *requests;
}

void update_flag() {
  detail::requests_remembered.store(!requests().by_handle.empty(), std::memory_order_release);
}

}  // namespace

void remember_transfer(MPI_Request request, const Transfer& transfer) {
  const std::lock_guard lock(requests().mutex);
  requests().by_handle[request].transfer = transfer;
  update_flag();
}

void remember_call(MPI_Request request, std::shared_ptr<const PersistentCall> call) {
  const std::lock_guard lock(requests().mutex);
  requests().by_handle[request].call = std::move(call);
  update_flag();
}

PersistentRequest remembered_request(MPI_Request request) {
  const std::lock_guard lock(requests().mutex);
  const auto found = requests().by_handle.find(request);
  return found == requests().by_handle.end() ? PersistentRequest() : found->second;
}

void forget_request(MPI_Request request) {
  ByHandle::node_type freed;  // after the lock, because it may call MPI
  const std::lock_guard lock(requests().mutex);
  freed = requests().by_handle.extract(request);
  update_flag();
}

void forget_requests() {
  ByHandle freed;
  const std::lock_guard lock(requests().mutex);
  freed.swap(requests().by_handle);
  update_flag();
}

}  // namespace plimsoll::interpose
