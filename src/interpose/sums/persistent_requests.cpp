#include "interpose/sums/persistent_requests.hpp"

#include <mutex>
#include <unordered_map>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Persistent requests of this process. They are never destroyed, because threads may outlive the exit
/// handlers.
struct Requests {
  std::mutex mutex;
  std::unordered_map<MPI_Request, Transfer> transfers;
};

Requests& requests() {
  static Requests* const requests = new Requests;
  return *requests;
}

}  // namespace

void remember_request(MPI_Request request, const Transfer& transfer) {
  const std::lock_guard lock(requests().mutex);
  requests().transfers.insert_or_assign(request, transfer);
}

void forget_request(MPI_Request request) {
  const std::lock_guard lock(requests().mutex);
  requests().transfers.erase(request);
}

Transfer transfer_of_start(MPI_Request request) {
  const std::lock_guard lock(requests().mutex);
  const auto found = requests().transfers.find(request);
  return found == requests().transfers.end() ? Transfer{} : found->second;
}

}  // namespace plimsoll::interpose
