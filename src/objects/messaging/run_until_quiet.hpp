#pragma once

#include <plimsoll/mpi/communicator.hpp>

#include "objects/messaging/message_exchange.hpp"
#include "objects/messaging/quiescence.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Delivers messages and does local work until all ranks are idle and no message is under way. Collective,
/// but without a barrier at the start. `bool local_work()` does some of this rank's work
/// and returns whether it did. Messages of this rank are sent at the latest when it has no more work. An idle
/// rank sleeps between its tests for messages, so that other ranks can use its core.
///
/// An exception of `deliver` or `local_work` ends the function on this rank. The other ranks get an error
/// once this rank has destroyed `quiescence`, which must happen before it destroys `exchange`.
template <class Deliver, class LocalWork>
void run_until_quiet(MessageExchange& exchange, Quiescence& quiescence, Deliver&& deliver,
                     LocalWork&& local_work) {
  for (mpi::Backoff backoff;;) {
    const bool has_received = exchange.receive(deliver);
    const bool has_worked = local_work();
    if (has_received || has_worked) {
      backoff.reset();
      continue;
    }
    exchange.flush();
    if (quiescence.is_reached(exchange.sent(), exchange.received())) return;
    backoff.pause();
  }
}

}  // namespace plimsoll::objects
