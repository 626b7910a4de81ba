#include "balance/database/phase_records.hpp"

#include <gtest/gtest.h>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;

TEST(ObjectNumbers, ResolveObjectsAndRanks) {
  DatasetFactory factory(2);
  factory.task(0, 10, 1);
  factory.task(0, 1, 1, false);
  factory.task(1, 1, 1, false);
  const lbdata::EntityIndex pseudo_task = factory.object(1, false);
  const lbdata::EntityIndex described_otherwise = factory.object(10, false);
  const ObjectNumbers numbers(factory.dataset.entities, phase_records(factory.dataset, 0));
  EXPECT_EQ(numbers.end(factory.object(10), 1), CommEnd::object(0));
  EXPECT_EQ(numbers.end(described_otherwise, 1), CommEnd::object(0));
  EXPECT_EQ(numbers.end(factory.object(1, true), 1), CommEnd::object(2));  // added after the map was built
  EXPECT_EQ(numbers.end(pseudo_task, 0), CommEnd::object(1));
  EXPECT_EQ(numbers.end(pseudo_task, 1), CommEnd::object(2));
  EXPECT_EQ(numbers.end(factory.object(99), 0), std::nullopt);
  EXPECT_EQ(numbers.end(factory.other("node", 1), 0), CommEnd::processor(1));
  EXPECT_EQ(numbers.end(factory.other("node", 2), 0), std::nullopt);
  EXPECT_EQ(numbers.end(factory.other("shared_id", 1), 0), std::nullopt);
}

TEST(ObjectNumbers, MapFirstRankToProcessorZero) {
  DatasetFactory factory(1);
  factory.task(0, 10, 1);
  const ObjectNumbers numbers(factory.dataset.entities, {&factory.record(0)}, 7);
  EXPECT_EQ(numbers.end(factory.object(10), 0), CommEnd::object(0));
  EXPECT_EQ(numbers.end(factory.other("node", 7), 0), CommEnd::processor(0));
  EXPECT_EQ(numbers.end(factory.other("node", 6), 0), std::nullopt);
  EXPECT_EQ(numbers.end(factory.other("node", 0), 0), std::nullopt);

  factory.task(0, 10, 1);
  EXPECT_ERROR(ObjectNumbers(factory.dataset.entities, {&factory.record(0)}, 7), bad_input,
               "object 10 has two tasks in one phase, on ranks 7 and 7");
}

}  // namespace
}  // namespace plimsoll::balance
