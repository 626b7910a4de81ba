#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include <plimsoll/pelayout/pes_file.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

using namespace plimsoll;
using namespace plimsoll::pelayout;
using ::testing::HasSubstr;

namespace {

/// A file in the style of CESM and E3SM.
constexpr auto two_runs = R"(<?xml version="1.0"?>
<config_pes version="2.0">
  <!-- everywhere -->
  <grid name="any" >
    <mach name='any'>
      <pes pesize="small" compset="any">
	<comment> all on "-2" nodes &amp; more </comment>
        <MAX_TASKS_PER_NODE>64</MAX_TASKS_PER_NODE>
	<ntasks>
	  <ntasks_atm> -2
	  </ntasks_atm>
	  <ntasks_iac>+1</ntasks_iac>
	</ntasks>
	<nthrds><nthrds_atm>2</nthrds_atm></nthrds>
	<rootpe><rootpe_atm>0</rootpe_atm><rootpe_esp>-1</rootpe_esp></rootpe>
        <pstrid><pstrid_atm>8</pstrid_atm></pstrid>
        <ngpus_per_node>4</ngpus_per_node>
        <ESMF_AWARE_THREADING>"TRUE"</ESMF_AWARE_THREADING>
        <excl_stride><excl_stride_ocn>8</excl_stride_ocn></excl_stride>
      </pes>
      <pes compset="any" pesize="big">
        <ntasks><ntasks_atm>2<!-- 5 -->56</ntasks_atm></ntasks>
      </pes>
    </mach>
  </grid>
</config_pes>
)";

std::string in_pes(const std::string& content) {
  return "<config_pes>\n<grid name=\"any\">\n<mach name=\"any\">\n<pes compset=\"any\" pesize=\"x\">\n" +
         content + "\n</pes></mach></grid></config_pes>";
}

ComponentPes tasks(std::int64_t count) {
  ComponentPes pes;
  pes.tasks = count;
  return pes;
}

void expect_equal(const PesEntry& a, const PesEntry& b) {
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.compset, b.compset);
  EXPECT_EQ(a.pesize, b.pesize);
  EXPECT_EQ(a.comment, b.comment);
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.variables, b.variables);
}

TEST(PesFile, ReadsAllFormsThatCimeAccepts) {
  const PesFile file = parse_pes_file(two_runs, "pes.xml");
  EXPECT_EQ(file.path, "pes.xml");
  EXPECT_THAT(file.warnings, ::testing::IsEmpty());
  ASSERT_EQ(file.entries.size(), 2U);
  const PesEntry& small = file.entries[0];
  EXPECT_EQ(small.grid, "any");
  EXPECT_EQ(small.pesize, "small");
  EXPECT_EQ(small.line, 6U);
  EXPECT_EQ(small.comment, "all on \"-2\" nodes & more");
  EXPECT_EQ(small.components.at("ATM"), (ComponentPes{-2, 2, 0, 8}));
  EXPECT_EQ(small.components.at("OCN").exclusive_stride, 8);
  EXPECT_EQ(small.components.at("IAC"), tasks(1));
  EXPECT_EQ(small.components.at("ESP").root, -1);
  EXPECT_EQ(small.variables,
            (std::map<std::string, std::string>{
                {"MAX_TASKS_PER_NODE", "64"}, {"NGPUS_PER_NODE", "4"}, {"ESMF_AWARE_THREADING", "TRUE"}}));
  EXPECT_EQ(file.entries[1].components.at("ATM"), tasks(256));
  EXPECT_EQ(file.entries[1].line, 21U);
}

// CIME removes one pair of quotation marks.
TEST(PesXml, KeepsQuotedValues) {
  for (const std::string text : {"TRUE", "\"TRUE\"", "'-a b'", "\"'x'\"", "\" x \"", "\"", "'\""}) {
    const PesFile file = parse_pes_file(in_pes("<A>" + text + "</A>"), "pes.xml");
    EXPECT_EQ(parse_pes_file(to_xml(file.entries), "again.xml").entries[0].variables,
              file.entries[0].variables);
  }
  EXPECT_EQ(parse_pes_file(in_pes("<A>\"'x'\"</A>"), "pes.xml").entries[0].variables.at("A"), "'x'");
}

TEST(PesFile, SeparatesOverridesFromEntries) {
  const PesFile file = parse_pes_file(
      "<config_pes><overrides><grid name='a%ne4'><mach name='any'><pes compset='any' pesize='any'>"
      "<ntasks><ntasks_ocn>4</ntasks_ocn></ntasks></pes></mach></grid></overrides></config_pes>",
      "pes.xml");
  EXPECT_TRUE(file.entries.empty());
  ASSERT_EQ(file.overrides.size(), 1U);
  EXPECT_EQ(file.overrides[0].grid, "a%ne4");
}

TEST(PesFile, ReadsOutputOfCimeTool) {
  const PesFile file = parse_pes_file(
      "<config_pes><grid name=\"any\"><mach name=\"any\"><pes compset=\"any\" pesize=\"\">"
      "<ntasks><ntasks_atm>992</ntasks_atm></ntasks></pes></mach></grid></config_pes>",
      "pes.xml");
  EXPECT_EQ(select_pes(file, {}).components.at("ATM"), tasks(992));
}

TEST(PesFile, ReportsLineOfError) {
  const auto error_in = [](const std::string& content, const std::string& text) {
    EXPECT_ERROR(parse_pes_file(in_pes(content), "pes.xml"), bad_input, text);
  };
  error_in("<ntasks>\n<ntasks_atm>four</ntasks_atm></ntasks>",
           "pes.xml:6: invalid value \"four\" of ntasks_atm");
  error_in("<ntasks><ntasks_atm>4.5</ntasks_atm></ntasks>", "4.5");
  error_in("<ntasks><ntasks_atm>4 4</ntasks_atm></ntasks>", "4 4");
  error_in("<ntasks><ntasks_atm>+-4</ntasks_atm></ntasks>", "+-4");
  error_in("<ntasks><ntasks_atm/></ntasks>", "invalid value \"\" of ntasks_atm");
  error_in("<ntasks><ntasks_atm>99999999999</ntasks_atm></ntasks>", "99999999999");
  error_in("<ntasks><ntasks_atm>99999999999999999999999</ntasks_atm></ntasks>", "99999999999999999999999");
  error_in("<ntasks><ntasks_atm>4<b/></ntasks_atm></ntasks>",
           "pes.xml:5: invalid ntasks_atm: expected a value");
  error_in("<ntasks><ntasks_atm>0</ntasks_atm></ntasks>", "invalid value 0 of NTASKS_ATM");
  error_in("<nthrds><nthrds_atm>0</nthrds_atm></nthrds>", "invalid value of NTHRDS_ATM: must be >= 1");
  error_in("<nthrds><nthrds_atm>-1</nthrds_atm></nthrds>", "invalid value of NTHRDS_ATM: must be >= 1");
  error_in("<pstrid><pstrid_atm>0</pstrid_atm></pstrid>", "invalid value of PSTRID_ATM: must be >= 1");
  error_in("<NTASKS_ATM>0</NTASKS_ATM>", "invalid value 0 of NTASKS_ATM");
  error_in("<ntasks>", "pes.xml:6: invalid XML");
}

TEST(PesFile, RejectsInvalidFiles) {
  const auto refuse = [](const std::string& xml, const std::string& text) {
    EXPECT_ERROR(parse_pes_file(xml, "pes.xml"), bad_input, text);
  };
  refuse("", "pes.xml:1: invalid XML");
  refuse("# NTASKS_ATM=4", "invalid XML");
  refuse("<config_machines/>", "root element config_machines, expected config_pes");
  refuse("<config_pes/>\n<config_pes/>", "pes.xml:2: second root element");
  refuse(std::string("<config_pes/>\n\0<", 16), "pes.xml:2: invalid XML: contains a zero byte");
  refuse("<config_pes><grid/></config_pes><x/>", "second root");
  refuse("<config_pes><grid><mach name='any'><pes/></mach></grid></config_pes>", "missing name of grid");
  refuse("<config_pes><grid name='any'><mach><pes/></mach></grid></config_pes>", "missing name of mach");
  refuse("<config_pes><grid name='any'><mach name='any'><pes/></mach></grid></config_pes>",
         "missing compset of pes");
  refuse("<config_pes>" + std::string((4 << 20) + 1, ' ') + "</config_pes>", "too large");
}

TEST(PesFile, LeavesEntitiesUnexpanded) {
  const PesFile file = parse_pes_file(
      "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" + in_pes("<comment>&b;</comment>"),
      "pes.xml");
  EXPECT_EQ(file.entries.at(0).comment, "&b;");
}

TEST(PesFile, ReadsOrRejectsDeepNesting) {
  std::string xml = "<config_pes>";
  for (int k = 0; k < 500'000; ++k) xml += "<a>";
  EXPECT_ERROR(parse_pes_file(xml, "pes.xml"), bad_input, "invalid XML");
  for (int k = 0; k < 500'000; ++k) xml += "</a>";
  EXPECT_EQ(parse_pes_file(xml + "</config_pes>", "pes.xml").warnings.size(), 1U);
}

TEST(PesFile, WarnsAboutSkippedContent) {
  const auto warning_of = [](const std::string& content) {
    const PesFile file = parse_pes_file(in_pes(content), "pes.xml");
    EXPECT_EQ(file.warnings.size(), 1U) << content;
    return file.warnings.empty() ? "" : to_string(file.warnings[0]);
  };
  EXPECT_THAT(warning_of("\n<ntask>4</ntask>"), HasSubstr("pes.xml:6: unknown element ntask"));
  EXPECT_THAT(warning_of("<ntasks><ntasks_atm>4</ntasks_atm><ntasks_atm>5</ntasks_atm></ntasks>"),
              HasSubstr("duplicate NTASKS_ATM"));
  EXPECT_THAT(warning_of("<ntasks><nthrds_atm>4</nthrds_atm></ntasks>"),
              HasSubstr("nthrds_atm is inside ntasks"));
  EXPECT_THAT(warning_of("<A append=\"true\">4</A>"), HasSubstr("append"));
  EXPECT_EQ(parse_pes_file(
                "<config_pes><x/><grid name='any'><y/><mach name='any'><z/></mach></grid></config_pes>", "f")
                .warnings.size(),
            3U);
  std::string many = "<config_pes>";
  for (int k = 0; k < 5000; ++k) many += "<x/>";
  EXPECT_EQ(parse_pes_file(many + "</config_pes>", "f").warnings.size(), 1000U);
}

TEST(PesFile, ReadsFromDisk) {
  const plimsoll::testing::TemporaryFolder folder;
  EXPECT_EQ(read_pes_file(folder.write("pes.xml", two_runs)).entries.size(), 2U);
  EXPECT_ERROR(read_pes_file(folder / "none.xml"), system, "none.xml");
}

TEST(PesXml, WritesIndentedEntriesInOrder) {
  PesEntry entry;
  entry.pesize = "S";
  entry.comment = "a < b & c";
  entry.components["ATM"] = {64, 2, 0, {}};
  entry.components["OCN"] = {-1, {}, 64, 4};
  entry.variables["MAX_TASKS_PER_NODE"] = "128";
  EXPECT_EQ(to_xml({entry}), R"(<?xml version="1.0"?>
<config_pes version="2.0">
  <grid name="any">
    <mach name="any">
      <pes compset="any" pesize="S">
        <comment>a &lt; b &amp; c</comment>
        <MAX_TASKS_PER_NODE>128</MAX_TASKS_PER_NODE>
        <ntasks>
          <ntasks_atm>64</ntasks_atm>
          <ntasks_ocn>-1</ntasks_ocn>
        </ntasks>
        <nthrds>
          <nthrds_atm>2</nthrds_atm>
        </nthrds>
        <rootpe>
          <rootpe_atm>0</rootpe_atm>
          <rootpe_ocn>64</rootpe_ocn>
        </rootpe>
        <pstrid>
          <pstrid_ocn>4</pstrid_ocn>
        </pstrid>
      </pes>
    </mach>
  </grid>
</config_pes>
)");
}

TEST(PesXml, RoundTripsEntries) {
  std::mt19937_64 random(6);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const auto text = [&] {
    static const std::vector<std::string> pieces = {"a", "ne30", "<", ">", "&",  "\"", "'",  "]]>", "&amp;",
                                                    "%", "\t",   "ü", "|", ".+", "--", "\n", "x y"};
    std::string result = "b";
    for (std::uint64_t k = below(6); k > 0; --k) result += pieces[below(pieces.size())];
    return result + "e";
  };
  const auto count = [&](std::int64_t minimum) -> std::optional<std::int64_t> {
    if (below(3) == 0) return std::nullopt;
    const auto value = static_cast<std::int64_t>(below(100'000)) + 1;
    return minimum < 0 && below(2) == 0 ? -value : value;
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<PesEntry> entries(below(6));
    for (PesEntry& entry : entries) {
      if (below(2) == 0) entry.grid = text();
      if (below(2) == 0) entry.machine = text();
      if (below(2) == 0) entry.compset = text();
      entry.pesize = below(2) == 0 ? "M" : text();
      if (below(2) == 0) entry.comment = text();
      for (const char* name : {"ATM", "LND", "IAC", "CPL"})
        if (const ComponentPes pes{count(-1), count(1), count(-1), count(1)}; pes != ComponentPes{})
          entry.components[name] = pes;
      if (below(2) == 0) entry.variables["CAM_CONFIG_OPTS"] = text();
    }
    const PesFile again = parse_pes_file(to_xml(entries), "again.xml");
    EXPECT_TRUE(again.warnings.empty());
    ASSERT_EQ(again.entries.size(), entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) expect_equal(again.entries[k], entries[k]);
  }
}

TEST(PesFile, LimitsNumberOfEntries) {
  std::string xml = "<config_pes><grid name='any'><mach name='any'>\n";
  for (int k = 0; k <= 2000; ++k) xml += "<pes compset='any' pesize='S'/>\n";
  EXPECT_ERROR(parse_pes_file(xml + "</mach></grid></config_pes>", "pes.xml"), bad_input,
               "pes.xml:2002: too many pes elements: at most 2000 are supported");
}

}  // namespace
