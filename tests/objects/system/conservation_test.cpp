#include "objects/system/conservation.hpp"

#include <cereal/types/string.hpp>
#include <cereal/types/unordered_map.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <unordered_map>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

class ConservationTest : public ::testing::Test {
 protected:
  static ObjectId element(std::uint64_t number) { return runtime::object_id(0, number); }
  /// Compares the elements before and after migrations.
  void compare(const std::vector<ObjectId>& before, const std::vector<ObjectId>& after) {
    conservation.begin(before);
    conservation.end(ranks, after,
                     [](ObjectId id) { return "element " + std::to_string(*runtime::object_number(id)); });
  }

  const mpi::Communicator ranks{MPI_COMM_WORLD};
  ObjectId next() const { return element(static_cast<std::uint64_t>((ranks.rank() + 1) % ranks.size())); }
  const ObjectId mine = element(static_cast<std::uint64_t>(ranks.rank()));
  Conservation conservation;
};

TEST_F(ConservationTest, AcceptsMigrations) {
  compare({mine}, {next()});
  conservation.begin({mine});
  conservation.created(element(100));
  conservation.created(element(101));
  conservation.destroyed(element(100));
  conservation.destroyed(mine);
  EXPECT_NO_THROW(conservation.end(ranks, {element(101)}, [](ObjectId) { return std::string(); }));
}

TEST_F(ConservationTest, NamesLostAndDoubledElements) {
  const bool is_last = ranks.rank() == ranks.size() - 1;
  const std::vector<ObjectId> none;
  EXPECT_ERROR(compare(is_last ? std::vector{element(7)} : none, {}), system,
               "element 7 is on no rank after migrations");
  EXPECT_ERROR(compare({mine}, is_last ? std::vector{mine, element(0)} : std::vector{mine}), system,
               "element 0 is on two ranks after migrations");
  compare({mine}, {mine});
}

/// Element that changes when it is read, if `forgets`.
struct Forgetful : Element<Forgetful> {
  std::string name = "Plimsoll";
  std::unordered_map<int, int> squares;
  static inline bool forgets = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, squares);
    if (Archive::is_loading::value && forgets && index()[0] == 3) name += '?';
  }
};

TEST_F(ConservationTest, NamesElementsThatChangeWhenTheyMigrate) {
  if (ranks.size() == 1) GTEST_SKIP() << "needs two ranks";
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true});
  ObjectSystem system(recorder);
  Collection<Forgetful> elements(system, {.bounds = {{5}}});
  for (const bool forgets : {false, true, false}) {
    Forgetful::forgets = forgets;
    elements.for_each_local([&](Forgetful& element) {
      for (int k = 0; k < 100; ++k) element.squares[k * 17 % 101] = k * k;
      element.migrate_to((system.rank() + 1) % system.rank_count());
    });
    if (forgets)
      EXPECT_ERROR(system.next_phase(), usage,
                   "element (3) of \"elements\": the element has another state after its migration");
    else
      system.next_phase();
    elements.for_each_local([](const Forgetful& element) { EXPECT_EQ(element.name, "Plimsoll"); });
  }
}

}  // namespace
}  // namespace plimsoll::objects
