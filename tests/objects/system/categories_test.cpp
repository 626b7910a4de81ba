// One program whose calls record edges of all ten categories.
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <plimsoll/objects.hpp>

#include "runtime/recorder/recorder_test.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::uint64_t first_number = std::uint64_t{1} << 36;  // of elements of the first collection
constexpr std::uint64_t bytes_of_value = 8;
constexpr std::uint64_t bytes_of_values = 8 + 3 * 8;  // number of values, and three values
constexpr std::uint64_t bytes_of_block = 1000;

int calls = 0;
void receive_on_rank(ObjectSystem&, const std::vector<double>& values) {
  calls += static_cast<int>(values.size());
}
void answer_rank(ObjectSystem& system, double value) {
  system.send_to_rank<&receive_on_rank>(0, std::vector<double>(3, value));
}

/// Element 2r is on rank r, and so is element 2r + 1.
struct Speaker : Element<Speaker> {
  double sum = 0;

  double hear(double value) { return sum += value; }
  void speak() {
    const std::int64_t n = collection().bounds().sizes[0];
    const std::int64_t k = index()[0];
    collection()[{(k + 1) % n}].send<&Speaker::hear>(1);
    if (k == 0) {
      collection()[{k}].send<&Speaker::hear>(1);
      collection().broadcast<&Speaker::hear>(1);
      system().recorder().add_writable_shared_id(0, 7, bytes_of_block);
      system().recorder().add_read_only_shared_id(0, 8, bytes_of_block);
    }
    if (k == 1) {
      system().send_to_rank<&receive_on_rank>(system().rank_count() - 1, std::vector<double>(3));
      system().broadcast_to_ranks<&receive_on_rank>(std::vector<double>(3));
    }
    if (k % 2 == 0) {
      const double before = collection().find({k + 1})->sum;
      EXPECT_EQ(collection()[{k + 1}].invoke<&Speaker::hear>(1), before + 1);
    }
  }
};

using Edge = std::tuple<std::string, std::uint64_t, std::uint64_t>;  // category, from, to
struct Volume {
  std::int64_t messages = 0;
  double bytes = 0;
  bool operator==(const Volume&) const = default;
};
using Edges = std::map<Edge, Volume>;

class Categories : public RecorderRun {
 protected:
  std::uint64_t element(std::int64_t k) const {
    return static_cast<std::uint64_t>(
        runtime::object_id(static_cast<int>(k / 2), first_number + static_cast<std::uint64_t>(k)));
  }
  static std::uint64_t rank_object(int rank) {
    return static_cast<std::uint64_t>(runtime::rank_object_id(rank));
  }
  static void add(Edges& edges, const Edge& edge, double bytes) {
    ++edges[edge].messages;
    edges[edge].bytes += bytes;
  }
  /// Returns the edges that the rank must have received.
  Edges expected(int rank) const {
    Edges edges;
    const std::int64_t n = 2 * count;
    const auto from_node = [](int node) { return static_cast<std::uint64_t>(node); };
    for (std::int64_t k = 2 * rank; k < 2 * rank + 2; ++k) {
      add(edges, {"SendRecv", element((k + n - 1) % n), element(k)}, bytes_of_value);
      if (k == 0) add(edges, {"SendRecv", element(0), element(0)}, bytes_of_value);
      if (k == 1) add(edges, {"NodeToCollection", from_node(0), element(1)}, bytes_of_value);
      add(edges, {"Broadcast", element(0), element(k)}, bytes_of_value);
      add(edges, {"NodeToCollectionBcast", from_node(0), element(k)}, bytes_of_value);
      add(edges, {"CollectiveToCollectionBcast", from_node(rank), element(k)}, 0);
    }
    add(edges, {"LocalInvoke", element(2 * rank), element(2 * rank + 1)}, bytes_of_value);
    if (rank == count - 1) add(edges, {"CollectionToNode", element(1), from_node(rank)}, bytes_of_values);
    add(edges, {"CollectionToNodeBcast", element(1), from_node(rank)}, bytes_of_values);
    if (rank == 0) {
      add(edges, {"WriteShared", 7, from_node(0)}, bytes_of_block);
      add(edges, {"ReadOnlyShared", 8, from_node(0)}, bytes_of_block);
      for (int from = 0; from < count; ++from)
        add(edges, {"SendRecv", rank_object(from), rank_object(0)}, bytes_of_values);
    }
    add(edges, {"Broadcast", rank_object(0), rank_object(rank)}, bytes_of_value);
    return edges;
  }
};

TEST_F(Categories, AriseFromCallsOfTheProgram) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  ObjectSystem system(recorder);
  Collection<Speaker> speakers(system, {.bounds = {{2 * count}}, .migratable = true});
  calls = 0;
  speakers.broadcast_collective<&Speaker::speak>();
  if (rank == 0) {
    speakers[{1}].send<&Speaker::hear>(1);
    speakers.broadcast<&Speaker::hear>(1);
    system.broadcast_to_ranks<&answer_rank>(1);
  }
  system.next_phase();
  recorder.close();
  EXPECT_EQ(calls, 3 * (1 + (rank == count - 1 ? 1 : 0) + (rank == 0 ? count : 0)));
  speakers.for_each_local([](const Speaker& speaker) {
    const std::int64_t k = speaker.index()[0];
    EXPECT_EQ(speaker.sum, 3 + (k == 0 ? 1 : 0) + (k == 1 ? 1 : 0) + k % 2);
  });

  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& phase = dataset.ranks[static_cast<std::size_t>(rank)].phases[0];
  ASSERT_TRUE(phase.communications);
  const lbdata::Communications& communications = *phase.communications;
  Edges edges;
  for (std::size_t k = 0; k < communications.size(); ++k) {
    const auto category = static_cast<lbdata::CommCategory>(communications.category[k] + 1);
    edges[{std::string(to_string(category)), dataset.entities.number(communications.from[k]).bits,
           dataset.entities.number(communications.to[k]).bits}] = {communications.messages[k],
                                                                   communications.bytes[k]};
  }
  const Edges all = expected(rank);
  for (const auto& [edge, volume] : all)
    EXPECT_TRUE(edges.contains(edge) && edges[edge] == volume)
        << std::get<0>(edge) << " " << std::get<1>(edge) << " " << std::get<2>(edge);
  EXPECT_EQ(edges.size(), all.size());
  const std::optional<std::uint32_t> own = task_of(dataset, phase, ObjectId{rank_object(rank)});
  ASSERT_TRUE(own);
  EXPECT_GT(phase.tasks.time_s[*own], 0) << "work of the rank itself";
}

struct Counter : Element<Counter> {
  int left = 0;
  /// Calls itself and its neighbour in turn, and ends in the middle.
  void count_down(int from) {
    left = from;
    if (from == 2) destroy();
    if (from > 0) collection()[{1 - index()[0]}].invoke<&Counter::count_down>(from - 1);
    EXPECT_EQ(left, from % 2);
  }
  void fail() { throw std::runtime_error("it broke"); }
};

TEST_F(Categories, LetElementsInvokeEachOther) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  ObjectSystem system(recorder);
  Collection<Counter> counters(system, {.bounds = {{2}}, .map = [](auto...) { return 0; }});
  if (rank == 0) {
    counters[{0}].invoke<&Counter::count_down>(5);
    EXPECT_EQ(counters.find({1}), nullptr) << "ended after its last call";
    EXPECT_NE(counters.find({0}), nullptr);
    EXPECT_THROW(counters[{0}].invoke<&Counter::fail>(), std::runtime_error);
  } else {
    EXPECT_ERROR(counters[{0}].invoke<&Counter::fail>(), usage,
                 "element (0) of \"elements\" is invoked on a rank that does not have it");
  }
  system.next_phase();
  recorder.close();
  read();
}

}  // namespace
}  // namespace plimsoll::testing
