// Tests that a written data set reads back bit for bit, and that writing it again gives the same files.

#include <gtest/gtest.h>

#include <string>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

class RoundTrip : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, PreservesPlainAndCompressedData) {
  const Dataset original = read(find_rank_files({GetParam()})).dataset;
  for (const bool compress : {false, true}) {
    const TemporaryFolder folder;
    write(original, folder / "first", "data", {.compress = compress});
    const auto files = find_rank_files({folder / "first"});
    const Dataset again = read(files).dataset;
    EXPECT_TRUE(again == original);
    EXPECT_TRUE(validate(files).valid());
    write(again, folder / "second", "data", {.compress = compress});
    for (const RankFile& file : files) {
      const std::string name = file.path.substr(file.path.rfind('/'));
      EXPECT_TRUE(plimsoll::testing::file_content(file.path) == folder.read("second" + name)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RoundTrip,
                         ::testing::ValuesIn(plimsoll::testing::own_and_real(
                             {"lb/blocks", "lb/generated", "lb/phases"},
                             {"data/lb/ccm_example", "data/lb/synthetic-blocks/synthetic-dataset-blocks",
                              "data/lb/synthetic-blocks/synthetic-dataset-blocks-alpha0",
                              "data/lb/user-defined-memory-toy-problem/toy_mem",
                              "data/lb/user-defined-memory-toy-problem/toy_mem_README",
                              "data/lb/user-defined-memory-toy-problem/toy_mem_optimal",
                              "data/lb/challenging_toy_fewer_tasks", "data/lb/challenging_toy_hundreds_tasks",
                              "data/lb/nolb-8color-16nodes-11firstphases",
                              "data/lb/lb_data_file_example.json"})));

TEST(ValueRoundTrip, PreservesValuesMissingFromRealFiles) {
  const std::string text =
      R"({"metadata":{"attributes":{"a": 1},"phases":{"count":3,"identical_to_previous":{"list":[2],"range":[]},)"
      R"("skipped":{"list":[],"range":[[5,6]]}},"rank":0,"rank_alpha":0.1,"shared_node":{"id":1,"num_nodes":4,"rank":3,)"
      R"("size":2},"type":"LBDatafile"},"phases":[{"communications":[{"bytes":1e+300,"from":{"id":5,"type":"shared_id"},)"
      R"("messages":-3,"to":{"id":1,"type":"node"},"type":"Mine"}],"id":1,"lb_iterations":[{"communications":[],"id":7,)"
      R"("tasks":[],"user_defined":{}}],"tasks":[{"attributes":{},"entity":{"collection_id":18446744073709551615,"home":-1,)"
      R"("id":-5,"index":[9007199254740993,-1],"migratable":true,"objgroup_id":0,"seq_id":0,"type":"object"},"node":2,)"
      R"("resource":"c\u0070u \"x\"","subphases":[],"time":-0.0,"user_defined":{"b":[1.50,2]}},{"entity":{"home":0,"id":1,)"
      R"("index":[],"migratable":false,"type":"mine"},"node":0,"resource":"gpu","subphases":[{"id":3,"time":4.9e-324}],)"
      R"("time":1.7976931348623157e+308}],"user_defined":{"z":null}}],"type":"LBDatafile"})";
  const Dataset original = read_text(text, "text").dataset;
  const TemporaryFolder folder;
  write(original, folder.path(), "data", {.compress = false});
  const std::string written = folder.read("data.0.json");
  EXPECT_TRUE(read_text(written, "written").dataset == original) << written;
}

}  // namespace
}  // namespace plimsoll::lbdata
