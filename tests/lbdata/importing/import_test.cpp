#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include <plimsoll/lbdata/import.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string import_error(std::string_view text, ImportFormat format) {
  try {
    import_text(text, "loads", format);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

std::string csv_error(std::string_view text) {
  return import_error(text, ImportFormat::csv);
}

constexpr const char* two_phases =
    "phase,object,rank,load,x,y,bytes\n"
    "0,7,0,0.5,1,2.5,100\n"
    "0,8,1,1.5,2,2.5,200\n"
    "3,7,1,0.25,1,2.5,100\r\n"
    "3,8,1,1e-3,2,2.5,200";

TEST(ImportCsv, ReadsLoadsPositionsAndSizes) {
  const ImportedData imported = import_text(two_phases, "loads", ImportFormat::csv);
  EXPECT_EQ(imported.phases, 2);
  EXPECT_EQ(imported.objects, 2);
  const Dataset& data = imported.dataset;
  ASSERT_EQ(data.ranks.size(), 2U);
  EXPECT_THAT(data.phase_ids(), ElementsAre(0, 3));
  EXPECT_EQ(data.ranks[0].find(3)->tasks.size(), 0U);  // both objects are on rank 1
  const Tasks& last = data.ranks[1].find(3)->tasks;
  EXPECT_THAT(last.time_s, ElementsAre(0.25, 1e-3));
  EXPECT_EQ(data.entities.number(last.entity[0]).bits, 7U);
  EXPECT_EQ(data.entities.home(last.entity[0]), 0);
  EXPECT_TRUE(data.entities.migratable(last.entity[0]));
  EXPECT_EQ(last.user_defined.at(1), R"({"position":[2,2.5],"task_serialized_bytes":200})");
}

TEST(ImportCsv, AcceptsAnyOrderOfColumnsAndRows) {
  const ImportedData imported = import_text("\xEF\xBB\xBF\"load\", rank ,object,phase\n2,1,5,1\n\n1,0,5,0\n",
                                            "loads", ImportFormat::csv);
  EXPECT_THAT(imported.dataset.ranks[0].find(0)->tasks.time_s, ElementsAre(1));
  EXPECT_THAT(imported.dataset.ranks[1].find(1)->tasks.time_s, ElementsAre(2));
}

TEST(ImportCsv, RejectsInvalidFilesWithTheirLine) {
  EXPECT_THAT(csv_error(""), HasSubstr("the file is empty"));
  EXPECT_THAT(csv_error("phase,object,rank,load\n"), HasSubstr("the file contains no loads"));
  EXPECT_THAT(csv_error("phase,object,rank\n0,0,0\n"), HasSubstr("loads:1: missing column load"));
  EXPECT_THAT(csv_error("phase,object,rank,load,cost\n"), HasSubstr("loads:1: unknown column \"cost\""));
  EXPECT_THAT(csv_error("phase,object,rank,load,load\n"), HasSubstr("two columns have the name load"));
  EXPECT_THAT(csv_error("phase,object,rank,load,y\n"), HasSubstr("the coordinates are not x"));
  const std::string header = "phase,object,rank,load\n";
  EXPECT_THAT(csv_error(header + "0,0,0\n"), HasSubstr("loads:2: 3 fields, but 4 columns"));
  for (const char* load : {"-1", "nan", "inf", "1e31", "1,5", "", "1s"})
    EXPECT_THAT(csv_error(header + "0,0,0," + load + "\n"), HasSubstr("loads:2: ")) << load;
  for (const char* number : {"-1", "0.5", "99999999999999999999"})
    EXPECT_THAT(csv_error(header + "0," + number + ",0,1\n"), HasSubstr("loads:2: invalid object")) << number;
  EXPECT_THAT(csv_error(header + "0,1,0,1\n0,2,0,1\n0,1,1,1\n"),
              HasSubstr("loads:4: object 1 has two loads in phase 0; the other one is in line 2"));
  EXPECT_THAT(csv_error(header + "0,1,5000,1\n"), HasSubstr("rank 5000 is too high for a file with 1 loads"));
}

// Two levels; the second line has one box less, the third one pads it.
constexpr const char* balanced_costs =
    "#[0]step() [1]time(s) [2]cost_box_0() [3]proc_box_0() [4]lev_box_0() [5]i_low_box_0() [6]j_low_box_0() "
    "[7]k_low_box_0() [8]num_cells_0() [9]hostname_box_0() [10]cost_box_1() [11]proc_box_1() [12]lev_box_1() "
    "[13]i_low_box_1() [14]j_low_box_1() [15]k_low_box_1() [16]num_cells_1() [17]hostname_box_1()\n"
    "0 0.0 1.5e+00 0.0e+00 0 0 0 0 64 node1 2.5 1 1 8 -4 0 64 node2\n"
    "100 1e-12 3 1 0 0 0 0 64 node2\n"
    "200 2e-12 3 1 0 0 0 0 64 node2 NaN NaN NaN NaN NaN NaN NaN nan\n";

TEST(ImportWarpx, ReadsCostsRanksLevelsAndPositions) {
  const ImportedData imported = import_text(balanced_costs, "LBC.txt", ImportFormat::warpx);
  EXPECT_EQ(imported.phases, 3);
  EXPECT_EQ(imported.objects, 2);
  const Dataset& data = imported.dataset;
  ASSERT_EQ(data.ranks.size(), 2U);
  EXPECT_THAT(data.ranks[0].find(0)->tasks.time_s, ElementsAre(1.5));
  const Tasks& of_rank_1 = data.ranks[1].find(0)->tasks;
  EXPECT_THAT(of_rank_1.time_s, ElementsAre(2.5));
  EXPECT_EQ(of_rank_1.user_defined.at(0), R"({"level":1,"position":[8,-4,0]})");
  EXPECT_EQ(data.ranks[1].find(1)->user_defined, R"({"step":100,"time":1e-12})");
  EXPECT_EQ(data.ranks[0].find(1)->tasks.size(), 0U);
  EXPECT_THAT(data.ranks[1].find(2)->tasks.time_s, ElementsAre(3));
}

TEST(ImportWarpx, RejectsOtherFilesAndRestarts) {
  const auto error = [](const std::string& text) { return import_error(text, ImportFormat::warpx); };
  EXPECT_THAT(error(""), HasSubstr("the first line names no step"));
  EXPECT_THAT(error("#[0]step() [1]time(s) [2]total(J)\n0 0 1\n"), HasSubstr("LoadBalanceCosts"));
  const std::string header = "#[0]step() [1]cost_box_0() [2]proc_box_0()\n";
  EXPECT_THAT(error(header + "0 1 0 7\n"), HasSubstr("loads:2: 4 values, but 3 columns"));
  EXPECT_THAT(error(header + "0 1\n"), HasSubstr("invalid processor \"\""));
  EXPECT_THAT(error(header + "0 1 0.5\n"), HasSubstr("invalid processor \"0.5\""));
  EXPECT_THAT(error(header + "0 -1 0\n"), HasSubstr("invalid cost \"-1\""));
  EXPECT_THAT(error(header + "9 1 0\n8 1 0\n"), HasSubstr("loads:3: step 8 after step 9"));
  EXPECT_THAT(error("#step cost_box_5 proc_box_5\n"), HasSubstr("box 5 comes before box 0"));
}

class CharmDump {
 public:
  template <class Number>
  CharmDump& add(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  CharmDump& id(std::uint64_t number) { return add(std::int32_t{12}).add(number); }
  CharmDump& object(std::uint64_t number, double load_s, bool migratable) {
    add(std::int32_t{12}).id(number).add(std::int32_t{0}).add(load_s);
    // The size of migratable objects is 3 x 256 bytes; others have none.
    return add(migratable).add(std::uint8_t{0}).add(static_cast<std::uint16_t>(migratable ? 0x2003 : 0));
  }
  CharmDump& sender(std::int32_t processor, std::uint64_t number) { return add(processor).id(number); }
  void messages(std::int32_t number, std::int32_t size) { add(number).add(size); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Two processors; object 5 (1.5 s) on processor 0, object 6 (0.5 s, cannot migrate) on processor 1. Object 5
// sends 100 bytes in 2 messages to object 6, and 10 bytes to objects 5 and 6 at once; a processor sends to
// object 5, and object 5 to a processor.
std::string charm_dump() {
  CharmDump dump;
  for (int k = 0; k < 16; ++k) dump.add(std::uint8_t{0});
  dump.add(std::int32_t{3}).add(std::int32_t{2}).add(std::int32_t{1}).add(std::uint64_t{2});
  for (std::int32_t processor = 0; processor < 2; ++processor)
    dump.add(2.0).add(0.25).add(0.125).add(1.0).add(true).add(std::int32_t{1}).add(processor);
  dump.add(std::uint64_t{2}).object(5, 1.5, true).object(6, 0.5, false);
  dump.add(std::uint64_t{2}).add(std::int32_t{0}).add(std::int32_t{1});
  dump.add(std::uint64_t{4});
  dump.sender(-1, 5).add(std::uint8_t{2}).id(6).add(std::int32_t{1}).messages(2, 100);
  dump.sender(-1, 5).add(std::uint8_t{3}).add(std::int32_t{2}).id(5).id(6).messages(1, 10);
  dump.sender(0, 0).add(std::uint8_t{2}).id(5).add(std::int32_t{0}).messages(1, 8);
  dump.sender(-1, 5).add(std::uint8_t{1}).add(std::int32_t{1}).messages(1, 8);
  return dump.bytes();
}

TEST(ImportCharm, ReadsLoadsPlacesAndMessages) {
  const ImportedData imported = import_text(charm_dump(), "dump.0", ImportFormat::charm);
  EXPECT_EQ(imported.phases, 1);
  EXPECT_EQ(imported.objects, 2);
  EXPECT_EQ(imported.edges_without_object, 0);
  const Dataset& data = imported.dataset;
  ASSERT_EQ(data.ranks.size(), 2U);
  const Tasks& first = data.ranks[0].find(0)->tasks;
  const Tasks& second = data.ranks[1].find(0)->tasks;
  EXPECT_THAT(first.time_s, ElementsAre(1.5));
  EXPECT_THAT(second.time_s, ElementsAre(0.5));
  EXPECT_TRUE(data.entities.migratable(first.entity[0]));
  EXPECT_FALSE(data.entities.migratable(second.entity[0]));
  EXPECT_EQ(first.user_defined.at(0), R"({"task_serialized_bytes":768})");
  EXPECT_EQ(second.user_defined.size(), 0U);
  const Communications& received = *data.ranks[1].find(0)->communications;
  EXPECT_THAT(received.bytes, ElementsAre(100, 10));
  EXPECT_THAT(received.messages, ElementsAre(2, 1));
  EXPECT_THAT(data.ranks[0].find(0)->communications->bytes, ElementsAre(10));
}

TEST(ImportCharm, RejectsFilesOfOtherBuilds) {
  const auto error = [](const std::string& text) { return import_error(text, ImportFormat::charm); };
  const std::string whole = charm_dump();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(error(whole.substr(0, size)), HasSubstr("(byte ")) << size;
  EXPECT_THAT(error(whole + '0'), HasSubstr("data after the messages"));
  std::string other = whole;
  other[16] = 4;
  EXPECT_THAT(error(other), HasSubstr("version 4, not 3"));
}

// Replaces one character: the result is an error, or a data set with valid numbers.
TEST(Import, RejectsOrReadsDamagedFiles) {
  std::uint64_t state = 1;
  const auto next = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  const std::string characters = "0123456789,.-e\n\" #[]_xn";
  for (const auto& [text, format] : {std::pair(std::string(two_phases), ImportFormat::csv),
                                     std::pair(std::string(balanced_costs), ImportFormat::warpx),
                                     std::pair(charm_dump(), ImportFormat::charm)}) {
    for (int mutation = 0; mutation < 200; ++mutation) {
      std::string damaged = text;
      damaged[next(damaged.size())] = characters[next(characters.size())];
      try {
        const ImportedData imported = import_text(damaged, "loads", format);
        for (const RankData& rank : imported.dataset.ranks)
          for (const PhaseRecord& phase : rank.phases)
            for (const double time_s : phase.tasks.time_s) EXPECT_TRUE(time_s >= 0 && std::isfinite(time_s));
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input) << damaged;
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll::lbdata
