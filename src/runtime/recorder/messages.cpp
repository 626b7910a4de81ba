// Members of LoadRecorder that record messages.
#include <fmt/format.h>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

bool is_object(Endpoint end) {
  return end.kind() == lbdata::EntityKind::object;
}

bool is_node(Endpoint end) {
  return end.kind() == lbdata::EntityKind::node;
}

struct Categories {
  lbdata::CommCategory object_to_object;
  lbdata::CommCategory object_to_node;
  lbdata::CommCategory node_to_object;
};

constexpr Categories messages{lbdata::CommCategory::SendRecv, lbdata::CommCategory::CollectionToNode,
                              lbdata::CommCategory::NodeToCollection};
constexpr Categories broadcasts{lbdata::CommCategory::Broadcast, lbdata::CommCategory::CollectionToNodeBcast,
                                lbdata::CommCategory::NodeToCollectionBcast};

lbdata::CommCategory category_of(const Categories& categories, Endpoint from, Endpoint to) {
  if (is_node(to)) return categories.object_to_node;
  return is_node(from) ? categories.node_to_object : categories.object_to_object;
}

bool ends_fit(lbdata::CommCategory category, Endpoint from, Endpoint to) {
  const lbdata::CategoryEnds ends = lbdata::ends_of(category);
  return from.kind() == ends.from && to.kind() == ends.to;
}

std::string name_of(Endpoint end) {
  switch (end.kind()) {
    case lbdata::EntityKind::node: return fmt::format("rank {}", static_cast<std::int64_t>(end.number()));
    case lbdata::EntityKind::shared_id: return fmt::format("shared block {}", end.number());
    default: return end.number() == 0 ? "no object" : name_of(ObjectId{end.number()});
  }
}

}  // namespace

void LoadRecorder::record_message(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t count) {
  record_edge(category_of(messages, from, to), from, to, bytes, count);
}

void LoadRecorder::record_broadcast(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t count) {
  record_edge(category_of(broadcasts, from, to), from, to, bytes, count);
}

void LoadRecorder::add_writable_shared_id(int home, std::uint64_t block, std::uint64_t bytes) {
  record_edge(lbdata::CommCategory::WriteShared, Endpoint::shared_block(block), Endpoint::node(home), bytes,
              1);
}

void LoadRecorder::add_read_only_shared_id(int home, std::uint64_t block, std::uint64_t bytes) {
  record_edge(lbdata::CommCategory::ReadOnlyShared, Endpoint::shared_block(block), Endpoint::node(home),
              bytes, 1);
}

// Called for every message. Needs no stack protector: it writes only error messages of fixed kinds to the
// stack.
[[gnu::no_stack_protector]] void LoadRecorder::record_edge(lbdata::CommCategory category, Endpoint from,
                                                           Endpoint to, std::uint64_t bytes,
                                                           std::uint64_t count) {
  if (!instruments() || count == 0) return;
  if (!ends_fit(category, from, to)) [[unlikely]] {
    return note(support::usage_error(
        fmt::format("invalid sender or receiver for category {}: from {} to {}", to_string(category),
                    name_of(from), name_of(to)),
        "use the kinds of sender and receiver (object, rank or shared block) that the category requires"));
  }
  const auto is_none = [](Endpoint end) { return is_object(end) && end.number() == 0; };
  const auto is_no_rank = [this](Endpoint end) {
    return is_node(end) && end.number() >= static_cast<std::uint64_t>(rank_count());
  };
  if (is_none(from) || is_none(to) || is_no_rank(from) || is_no_rank(to)) [[unlikely]] {
    return note(
        support::usage_error(fmt::format("invalid message from {} to {}: sender or receiver does not exist",
                                         name_of(from), name_of(to)),
                             "specify an object by its ID, see id(), and a rank by its number"));
  }
  Recording& recording = parts_->recording;
  EdgeTable& edges = meter_.is_own_thread() ? recording.edges : recording.edges_of_other_thread();
  edges.add(from, to, category, bytes, count);
}

}  // namespace plimsoll::runtime
