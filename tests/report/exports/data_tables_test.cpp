#include <gtest/gtest.h>

#include <string>

#include <plimsoll/report/exports.hpp>

#include "report/two_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

std::string table(auto&& write, const std::vector<std::int64_t>& phases) {
  std::string text;
  write(two_ranks(), phases, [&](std::string_view part) { text += part; });
  return text;
}

TEST(TaskTable, HasOneRowPerTask) {
  EXPECT_EQ(table(write_task_table, {0}),
            "phase,rank,object,type,collection,object_group,home,migratable,index,resource,load_s,"
            "subphase_loads_s,user_defined,attributes\n"
            "0,0,3,object,7,,0,1,1 2,cpu,1.5,3:1.0 "
            "7:0.5,\"{\"\"cost\"\":2,\"\"text\"\":\"\"a,\\\"\"b\\\"\"\"\"}\",\n"
            "0,0,4,object,,,0,0,,cpu,0.5,,,\n"
            "0,1,5,object,,,1,1,,cpu,3.0,,,\n");
}

TEST(TaskTable, RepeatsIdenticalPhases) {
  const std::string text = table(write_task_table, {0, 1});
  EXPECT_NE(text.find("\n1,1,5,object,,,1,1,,cpu,3.0,,,\n"), std::string::npos) << text;
}

TEST(EdgeTable, HasOneRowPerEdge) {
  EXPECT_EQ(table(write_edge_table, {1}),
            "phase,rank,category,from,from_type,to,to_type,bytes,messages\n"
            "1,0,SendRecv,3,object,5,object,100.0,2\n"
            "1,1,SendRecv,5,object,3,object,20.0,1\n");
}

}  // namespace
}  // namespace plimsoll::report
