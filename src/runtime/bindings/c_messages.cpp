// Messages in the C interface, plimsoll.h.
#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_recorder.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::Endpoint;
using plimsoll::runtime::ObjectId;
using plimsoll::runtime::with;
using plimsoll::support::usage_error;

plimsoll::lbdata::CommCategory category_of(int number) {
  constexpr auto& all = plimsoll::lbdata::all_comm_categories;
  if (number < 1 || number > static_cast<int>(all.size())) {
    throw plimsoll::support::usage_error(fmt::format("invalid message category {}", number),
                                         "use a value of enum plimsoll_category");
  }
  return all[static_cast<std::size_t>(number) - 1];
}

Endpoint endpoint(plimsoll::lbdata::EntityKind kind, std::uint64_t number) {
  if (kind == plimsoll::lbdata::EntityKind::object) return ObjectId{number};
  if (kind == plimsoll::lbdata::EntityKind::shared_id) return Endpoint::shared_block(number);
  constexpr std::uint64_t no_rank = std::numeric_limits<int>::max();
  return Endpoint::node(static_cast<int>(std::min(number, no_rank)));
}

}  // namespace

extern "C" {

void plimsoll_message(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(ObjectId{from.number}, ObjectId{to.number}, bytes); });
}

void plimsoll_message_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(ObjectId{from.number}, Endpoint::node(to), bytes); });
}

void plimsoll_message_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(Endpoint::node(from), ObjectId{to.number}, bytes); });
}

void plimsoll_broadcast(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(ObjectId{from.number}, ObjectId{to.number}, bytes); });
}

void plimsoll_broadcast_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(ObjectId{from.number}, Endpoint::node(to), bytes); });
}

void plimsoll_broadcast_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(Endpoint::node(from), ObjectId{to.number}, bytes); });
}

void plimsoll_writable_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.add_writable_shared_id(home, block, bytes); });
}

void plimsoll_read_only_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.add_read_only_shared_id(home, block, bytes); });
}

void plimsoll_record_edge(plimsoll_recorder* recorder, int category, uint64_t from, uint64_t to,
                          uint64_t bytes, uint64_t messages) {
  with(recorder, [&](LoadRecorder& self) {
    const auto known = category_of(category);
    const auto ends = plimsoll::lbdata::ends_of(known);
    self.record_edge(known, endpoint(ends.from, from), endpoint(ends.to, to), bytes, messages);
  });
}

}  // extern "C"
