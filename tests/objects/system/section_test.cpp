// Sections: broadcasts to some elements of a collection and reductions over them.
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

std::map<int, int> n_sends;  // buffers sent by this rank, by receiver

constexpr std::int64_t n_rows = 6;
constexpr std::int64_t n_columns = 5;

struct Tile : Element<Tile, 2> {
  std::int64_t received = 0;
  std::vector<std::int64_t> row_sums;
  std::vector<std::int64_t> column_sums;

  std::int64_t value() const { return 100 * index()[0] + index()[1] + 1; }
  void add(std::int64_t number) { received += number; }
  void keep_row_sum(std::int64_t sum) { row_sums.push_back(sum); }
  void keep_column_sum(std::int64_t sum) { column_sums.push_back(sum); }
  /// Contributes `times` values, and sends the sum to the first tile of the row.
  void sum_row(const SectionId& row, int times) {
    for (int k = 1; k <= times; ++k)
      contribute<&Tile::keep_row_sum, std::plus<>>(k * value(), collection()[{index()[0], 0}], row);
  }
  void sum_column(const SectionId& column) {
    contribute<&Tile::keep_column_sum, std::plus<>>(value(), collection()[{0, index()[1]}], column);
  }
  /// Broadcasts to the row of this element.
  void tell_row(std::int64_t number) {
    const auto in_my_row = [this](const Index<2>& other) { return other[0] == index()[0]; };
    collection().section(in_my_row).broadcast<&Tile::add>(number);
  }
  void keep_nothing(const std::vector<int>&) {}
  void contribute_differently(const SectionId& section) {
    if (index()[1] % 2 == 0)
      contribute<&Tile::keep_row_sum, std::plus<>>(1, collection()[{0, 0}], section);
    else
      contribute<&Tile::keep_column_sum, std::plus<>>(1, collection()[{0, 0}], section);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(received, row_sums, column_sums);
  }
};

class Sections : public ::testing::Test {
 protected:
  Section<Tile> row(std::int64_t number) { return tiles.section({number, 0}, {number + 1, n_columns}); }
  Section<Tile> column(std::int64_t number) {
    return tiles.section([number](const Index<2>& index) { return index[1] == number; });
  }
  void migrate(int round) {
    tiles.for_each_local([&](Tile& tile) {
      tile.migrate_to(
          static_cast<int>((7 * tile.index()[0] + 3 * tile.index()[1] + 5 * round) % system.rank_count()));
    });
    system.run_until_quiet();
  }
  bool is_first() const { return system.rank() == 0; }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
  Collection<Tile> tiles{system, {.bounds = {{n_rows, n_columns}}}};
};

TEST_F(Sections, BroadcastToTheirMembersOnly) {
  const auto corners = tiles.section({{0, 0}, {5, 4}, {0, 4}, {5, 0}, {0, 0}});
  const auto box = tiles.section({1, 1}, {3, 4});
  const auto diagonal = tiles.section([](const Index<2>& index) { return index[0] == index[1]; });
  EXPECT_EQ(corners.size(), 4);
  EXPECT_EQ(box.size(), 6);
  EXPECT_EQ(diagonal.size(), 5);
  corners.broadcast<&Tile::add>(1);
  box.broadcast<&Tile::add>(100);
  diagonal.broadcast<&Tile::add>(10'000);
  system.run_until_quiet();
  tiles.for_each_local([&](const Tile& tile) {
    const auto [i, j] = tile.index();
    const bool is_corner = (i == 0 || i == 5) && (j == 0 || j == 4);
    const bool is_in_box = i >= 1 && i < 3 && j >= 1 && j < 4;
    const std::int64_t expected = (is_corner ? 1 : 0) + (is_in_box ? 100 : 0) + (i == j ? 10'000 : 0);
    EXPECT_EQ(tile.received, expected * system.rank_count()) << i << ", " << j;
  });
}

TEST_F(Sections, AreEqualIfTheirMembersAre) {
  EXPECT_EQ(column(2).id(), tiles.section({{5, 2}, {0, 2}, {1, 2}, {4, 2}, {3, 2}, {2, 2}, {1, 2}}).id());
  EXPECT_NE(column(2).id(), column(3).id());
  Collection<Tile> others(system, {.bounds = {{n_rows, n_columns}}});
  EXPECT_NE(column(2).id(), others.section({0, 2}, {n_rows, 3}).id());
}

TEST_F(Sections, MayBeEmpty) {
  const auto none = tiles.section({3, 3}, {3, 4});
  EXPECT_EQ(none.size(), 0);
  none.broadcast<&Tile::add>(1);
  system.run_until_quiet();
  tiles.for_each_local([](const Tile& tile) { EXPECT_EQ(tile.received, 0); });
}

TEST_F(Sections, NeedPositionsWithinBounds) {
  EXPECT_ERROR(tiles.section({{0, n_columns}}), usage, "invalid position (0, 5)");
  EXPECT_ERROR(tiles.section({-1, 0}, {1, 1}), usage, "invalid position (-1, 0)");
}

TEST_F(Sections, FollowMembersThatMigrate) {
  const auto third_row = row(3);
  const auto second_column = column(2);
  for (int round = 1; round <= 5; ++round) {
    third_row.broadcast<&Tile::add>(1);  // with the locations of the round before
    migrate(round);
    second_column.broadcast<&Tile::add>(1000);
    system.run_until_quiet();
  }
  tiles.for_each_local([&](const Tile& tile) {
    const auto [i, j] = tile.index();
    EXPECT_EQ(tile.received, 5 * system.rank_count() * ((i == 3 ? 1 : 0) + (j == 2 ? 1000 : 0)));
  });
}

TEST_F(Sections, ReduceTheValuesOfTheirMembers) {
  for (int round = 0; round < 4; ++round) {
    migrate(round);
    if (is_first()) {  // all at once, and each tile belongs to two
      for (std::int64_t i = 0; i < n_rows; ++i) row(i).broadcast<&Tile::sum_row>(row(i).id(), 2);
      for (std::int64_t j = 0; j < n_columns; ++j) column(j).broadcast<&Tile::sum_column>(column(j).id());
    }
    system.run_until_quiet();
  }
  tiles.for_each_local([](const Tile& tile) {
    const auto [i, j] = tile.index();
    std::int64_t row_sum = 0;
    std::int64_t column_sum = 0;
    for (std::int64_t k = 0; k < n_columns; ++k) row_sum += 100 * i + k + 1;
    for (std::int64_t k = 0; k < n_rows; ++k) column_sum += 100 * k + j + 1;
    if (j == 0) {
      std::vector<std::int64_t> expected;
      for (int round = 0; round < 4; ++round) expected.insert(expected.end(), {row_sum, 2 * row_sum});
      EXPECT_THAT(tile.row_sums, ::testing::UnorderedElementsAreArray(expected));
    } else {
      EXPECT_THAT(tile.row_sums, ::testing::IsEmpty());
    }
    if (i == 0)
      EXPECT_THAT(tile.column_sums, ::testing::ElementsAreArray(std::vector(4, column_sum)));
    else
      EXPECT_THAT(tile.column_sums, ::testing::IsEmpty());
  });
}

TEST_F(Sections, BelongToReductionsOverAllElementsToo) {
  if (is_first()) {
    row(1).broadcast<&Tile::sum_row>(row(1).id(), 1);
    tiles.broadcast<&Tile::sum_column>(SectionId{});
  }
  EXPECT_ERROR(system.run_until_quiet(), usage, "call it for the same reductions");  // several receivers
  if (is_first()) row(1).broadcast<&Tile::sum_row>(row(1).id(), 1);
  system.run_until_quiet();
}

TEST_F(Sections, CanBeMadeByElements) {
  if (is_first()) tiles[{4, 1}].send<&Tile::tell_row>(7);
  system.next_phase();
  tiles.for_each_local([](const Tile& tile) { EXPECT_EQ(tile.received, tile.index()[0] == 4 ? 7 : 0); });
}

TEST_F(Sections, RecordOneBroadcastPerMember) {
  recorder.node_lb_data().keep(1);
  if (is_first()) tiles[{4, 1}].send<&Tile::tell_row>(7);
  system.next_phase();
  const lbdata::PhaseRecord& record = recorder.node_lb_data().phases().back();
  std::int64_t n_broadcasts = 0;
  std::int64_t n_bytes = 0;
  for (std::size_t k = 0; record.communications && k < record.communications->size(); ++k) {
    if (record.communications->category[k] + 1 != static_cast<int>(lbdata::CommCategory::Broadcast)) continue;
    n_broadcasts += static_cast<std::int64_t>(record.communications->messages[k]);
    n_bytes += static_cast<std::int64_t>(record.communications->bytes[k]);
  }
  EXPECT_EQ(recorder.communicator().sum(n_broadcasts), n_columns);
  EXPECT_EQ(recorder.communicator().sum(n_bytes), 8 * n_columns);
}

TEST_F(Sections, MissDestroyedMembers) {
  migrate(1);
  const auto first_row = row(0);
  tiles.for_each_local([](Tile& tile) {
    if (tile.index() == Index<2>{0, 3}) tile.destroy();
  });
  if (is_first()) first_row.broadcast<&Tile::add>(1);
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "message to element (0, 3) of \"elements\", which does not exist");
  tiles.for_each_local(
      [](const Tile& tile) { EXPECT_EQ(tile.received, tile.index()[0] == 0 ? 1 : 0); });  // the others
  if (is_first())
    for (const std::int64_t j : {0, 1, 2, 4}) tiles[{0, j}].send<&Tile::sum_row>(first_row.id(), 1);
  EXPECT_ERROR(system.run_until_quiet(), usage, "a reduction is incomplete");
}

TEST_F(Sections, NeedTheSameReductionInAllMembers) {
  if (is_first()) row(2).broadcast<&Tile::contribute_differently>(row(2).id());
  EXPECT_ERROR(system.run_until_quiet(), usage, "contribute() is called for another reduction");
  if (is_first()) row(2).broadcast<&Tile::sum_row>(row(2).id(), 1);
  system.run_until_quiet();
}

TEST_F(Sections, SendOneMessageToEachRankWithMembers) {
  if (system.rank_count() < 3) GTEST_SKIP() << "needs three ranks";
  system.run_until_quiet();
  const auto of_rank_1 = tiles.section([&](const Index<2>& index) { return tiles.home(index) == 1; });
  ASSERT_GT(of_rank_1.size(), 2);
  n_sends.clear();
  // So large that each message has a buffer of its own.
  if (is_first()) of_rank_1.broadcast<&Tile::keep_nothing>(std::vector<int>(100'000));
  system.run_until_quiet();
  if (is_first())
    EXPECT_THAT(n_sends, ::testing::ElementsAre(::testing::Pair(1, 1)));
  else
    EXPECT_THAT(n_sends, ::testing::IsEmpty());
}

TEST_F(Sections, LearnWhereTheirMembersAre) {
  const auto first_rows = tiles.section({0, 0}, {3, n_columns});
  migrate(1);
  if (is_first()) first_rows.broadcast<&Tile::add>(1);  // takes detours
  system.run_until_quiet();
  n_sends.clear();
  if (is_first()) first_rows.broadcast<&Tile::keep_nothing>(std::vector<int>(100'000));
  system.run_until_quiet();
  if (is_first())
    for (const auto& [rank, count] : n_sends) EXPECT_EQ(count, 1) << rank;
  else
    EXPECT_THAT(n_sends, ::testing::IsEmpty());
}

}  // namespace
}  // namespace plimsoll::objects

// Counts what the messaging layer sends; its collective operations do not call this.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  ++plimsoll::objects::n_sends[to];
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}
