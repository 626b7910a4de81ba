// Compares messages and bytes in every category with sums computed by brute force.
#include <map>
#include <random>
#include <tuple>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

using lbdata::CommCategory;
using lbdata::EntityKind;
using runtime::object_id;

class MessageRecording : public RecorderRun {};

using Key = std::tuple<EntityKind, std::uint64_t, EntityKind, std::uint64_t, CommCategory>;
using Volumes = std::map<Key, std::pair<double, std::int64_t>>;

constexpr int objects_of_rank = 5;

struct Message {
  CommCategory category;
  Endpoint from;
  Endpoint to;
  std::uint64_t bytes;
  std::uint64_t count;
};

// Returns the messages that the given rank records in the given phase; every rank can compute them.
std::vector<Message> messages_of(int rank, int phase, int ranks) {
  std::mt19937 random(static_cast<unsigned>(1000 * phase + rank));
  const auto any_rank = [&] { return static_cast<int>(random() % static_cast<unsigned>(ranks)); };
  const auto object = [&] { return Endpoint(object_id(any_rank(), random() % objects_of_rank)); };
  const auto node = [&] { return Endpoint::node(any_rank()); };
  const auto block = [&] { return Endpoint::shared_block(random() % 4); };
  std::vector<Message> messages;
  for (int k = 0; k < 300; ++k) {
    using enum CommCategory;
    const auto category = CommCategory(1 + random() % 10);
    const bool from_node = category == NodeToCollection || category == NodeToCollectionBcast ||
                           category == CollectiveToCollectionBcast;
    const bool shared = category == WriteShared || category == ReadOnlyShared;
    const bool to_node = shared || category == CollectionToNode || category == CollectionToNodeBcast;
    const Endpoint from = shared ? block() : from_node ? node() : object();
    const Endpoint to = to_node ? node() : object();
    messages.push_back({category, from, to, random() % 100'000, shared ? 1 : 1 + random() % 4});
  }
  return messages;
}

void record(LoadRecorder& recorder, const Message& message) {
  using enum CommCategory;
  const auto& [category, from, to, bytes, count] = message;
  switch (category) {
    case SendRecv:
    case CollectionToNode:
    case NodeToCollection: return recorder.record_message(from, to, bytes, count);
    case Broadcast:
    case CollectionToNodeBcast:
    case NodeToCollectionBcast: return recorder.record_broadcast(from, to, bytes, count);
    case WriteShared:
      return recorder.add_writable_shared_id(static_cast<int>(to.number()), from.number(), bytes);
    case ReadOnlyShared:
      return recorder.add_read_only_shared_id(static_cast<int>(to.number()), from.number(), bytes);
    default: recorder.record_edge(category, from, to, bytes, count);
  }
}

Volumes expected(int rank, int phase, int ranks) {
  Volumes result;
  for (const auto& [category, from, to, bytes, count] : messages_of(rank, phase, ranks)) {
    auto& [sum, messages] = result[{from.kind(), from.number(), to.kind(), to.number(), category}];
    sum += static_cast<double>(bytes);
    messages += static_cast<std::int64_t>(count);
  }
  return result;
}

Volumes found(const lbdata::Dataset& dataset, const lbdata::PhaseRecord& phase) {
  Volumes result;
  if (!phase.communications) return result;
  const lbdata::Communications& edges = *phase.communications;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const lbdata::EntityIndex from = edges.from[edge];
    const lbdata::EntityIndex to = edges.to[edge];
    const Key key{dataset.entities.kind(from), dataset.entities.number(from).bits, dataset.entities.kind(to),
                  dataset.entities.number(to).bits, CommCategory(edges.category[edge] + 1)};
    EXPECT_TRUE(result.emplace(key, std::pair{edges.bytes[edge], edges.messages[edge]}).second);
  }
  return result;
}

TEST_F(MessageRecording, CountsMessagesAndBytesExactlyInEveryCategory) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  for (unsigned number = 0; number < objects_of_rank; ++number) recorder.register_object({.number = number});
  constexpr int phases = 4;
  for (int phase = 0; phase < phases; ++phase) {
    for (const Message& message : messages_of(rank, phase, count)) record(recorder, message);
    recorder.next_phase();
  }
  recorder.next_phase();  // a phase without messages
  recorder.close();
  const lbdata::Dataset dataset = read();
  for (int other = 0; other < count; ++other) {
    const lbdata::RankData& data = dataset.ranks[static_cast<std::size_t>(other)];
    for (int phase = 0; phase < phases; ++phase) {
      EXPECT_EQ(found(dataset, *data.find(phase)), expected(other, phase, count));
    }
    EXPECT_FALSE(data.find(phases)->communications);
  }
}

// Bytes as defined by vt (docs/reference/lb-data-files.md).
TEST_F(MessageRecording, ComputesStatisticsOverAllRanks) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  for (unsigned number = 0; number < objects_of_rank; ++number) recorder.register_object({.number = number});
  for (const Message& message : messages_of(rank, 0, count)) {
    if (message.category != CommCategory::LocalInvoke) record(recorder, message);
  }
  const PhaseSummary summary = recorder.next_phase();
  recorder.close();

  lbdata::Statistics of_objects;
  lbdata::Statistics of_ranks;
  for (int other = 0; other < count; ++other) {
    double rank_bytes = 0;
    const auto home = [](Endpoint end) {
      return end.kind() == EntityKind::node ? static_cast<int>(end.number())
                                            : static_cast<int>(lbdata::decode_identifier(end.number())->home);
    };
    Volumes sums;
    for (const auto& [category, from, to, bytes, messages] : messages_of(other, 0, count)) {
      using enum CommCategory;
      if (category == LocalInvoke || from == to) continue;
      if (category == SendRecv) {
        sums[{from.kind(), from.number(), to.kind(), to.number(), category}].first +=
            static_cast<double>(bytes);
      }
      if (category == Broadcast || category == CollectionToNodeBcast || category == NodeToCollectionBcast)
        continue;
      const bool shared = from.kind() == EntityKind::shared_id;
      if (shared || home(from) != other || home(to) != other) rank_bytes += static_cast<double>(bytes);
    }
    for (const auto& [key, volume] : sums) of_objects.add(volume.first);
    of_ranks.add(rank_bytes);
  }
  const auto expect_same = [](const lbdata::Statistics& measured, const lbdata::Statistics& wanted) {
    for (std::size_t k = 0; k < wanted.quantities().size(); ++k) {
      const auto [name, value] = wanted.quantities()[k];
      EXPECT_NEAR(measured.quantities()[k].value, value, 1e-9 * std::abs(value) + 1e-12) << name;
    }
  };
  expect_same(summary.object_comm_bytes, of_objects);
  expect_same(summary.rank_comm_bytes, of_ranks);
}

TEST_F(MessageRecording, DescribesOnlyLocalEndpointsInDetail) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  const ObjectHandle mine = recorder.register_object({.index = {rank}, .number = 0});
  const int next = (rank + 1) % count;
  recorder.record_message(recorder.id(mine), object_id(next, 0), 8);
  recorder.record_message(object_id(next, 0), recorder.id(mine), 8);
  recorder.next_phase();
  recorder.close();
  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = *dataset.ranks[static_cast<std::size_t>(rank)].find(0);
  for (std::size_t edge = 0; edge < phase.communications->size(); ++edge) {
    for (const lbdata::EntityIndex end : {phase.communications->from[edge], phase.communications->to[edge]}) {
      const bool here = dataset.entities.number(end).bits == static_cast<std::uint64_t>(object_id(rank, 0));
      EXPECT_EQ(dataset.entities.family(end).has_collection_id, here);
      EXPECT_EQ(dataset.entities.family(end).has_index, here);
      EXPECT_TRUE(dataset.entities.migratable(end));
      EXPECT_EQ(dataset.entities.home(end), here ? rank : next);
    }
  }
}

}  // namespace
}  // namespace plimsoll::testing
