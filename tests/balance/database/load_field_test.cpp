#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/dataset_phase.hpp>

#include "balance/database/dataset_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

// The factory assigns the whole load of a task to subphase 0.
TEST(LoadField, ReplacesLoadsAndScalesSubphases) {
  DatasetFactory factory(2);
  factory.task(0, 1, 4, true, 0, R"({"cpu":1})");
  factory.task(0, 2, 0, true, 0, R"({"cpu":3})");
  factory.task(1, 3, 2, true, 0, R"({"cpu":0})");
  factory.task(1, 3, 2, true, 1, R"({"cpu":2.5})");
  const lbdata::Dataset original = factory.dataset;
  RecordedLoads recorded = use_load_field(factory.dataset, "cpu");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(1, 3));
  EXPECT_THAT(factory.record(0).tasks.subphase_time_s, ElementsAre(1, 0));
  EXPECT_THAT(factory.record(1).tasks.time_s, ElementsAre(0));
  EXPECT_THAT(factory.record(1, 1).tasks.time_s, ElementsAre(2.5));
  restore_loads(factory.dataset, std::move(recorded));
  EXPECT_TRUE(factory.dataset == original);
}

TEST(LoadField, CanBeAttribute) {
  DatasetFactory factory(1);
  factory.task(0, 1, 4, true, 0, R"({"cells":8})");
  factory.record(0).tasks.attributes.add(0, R"({"cells":9,"cpu_time":0.5})");
  use_load_field(factory.dataset, "cpu_time");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(0.5));
  use_load_field(factory.dataset, "cells");
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(8)) << "user_defined takes precedence";
}

TEST(LoadField, LeavesLoadsUnchangedIfEmpty) {
  DatasetFactory factory(1);
  factory.task(0, 1, 4);
  EXPECT_TRUE(use_load_field(factory.dataset, "").ranks.empty());
  EXPECT_THAT(factory.record(0).tasks.time_s, ElementsAre(4));
}

TEST(LoadField, RejectsMissingAndInvalidValues) {
  const auto expect = [](std::string_view user_defined, const char* text) {
    DatasetFactory factory(2);
    factory.task(0, 1, 4, true, 5, R"({"cpu":1})");
    factory.task(1, 2, 4, true, 5, R"({"cpu":1})");
    factory.task(1, 3, 4, true, 5, user_defined);
    const lbdata::Dataset original = factory.dataset;
    EXPECT_ERROR(use_load_field(factory.dataset, "cpu"), bad_input, text);
    EXPECT_TRUE(factory.dataset == original);
  };
  expect("", "task 1 of rank 1 in phase 5: no number \"cpu\" in user_defined or attributes");
  expect(R"({"cpu":null})", "no number");
  expect(R"({"cpu":-1})", "task 1 of rank 1 in phase 5: invalid value -1 of member \"cpu\": must be >= 0");
  expect(R"({"cpu":"much"})", "is not a number");
  expect("[1]", "expected a JSON object");
}

}  // namespace
}  // namespace plimsoll::balance
