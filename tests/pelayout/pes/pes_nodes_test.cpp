#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/pes_file.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns the entry of a PE file with this content.
PesEntry entry_with(const std::string& content) {
  return parse_pes_file(R"(<config_pes version="2.0"><grid name="any"><mach name="any">
    <pes compset="any" pesize="any">)" +
                            content + "</pes></mach></grid></config_pes>",
                        "pes.xml")
      .entries.front();
}

// Counts of the case NorESM3 on 128 tasks per node: the atmosphere runs on 15 nodes, the ocean on 2 others.
constexpr const char* noresm = R"(
    <MAX_MPITASKS_PER_NODE>128</MAX_MPITASKS_PER_NODE>
    <ntasks> <ntasks_atm>-15</ntasks_atm> <ntasks_lnd>-9</ntasks_lnd> <ntasks_ocn>-2</ntasks_ocn>
             <ntasks_esp>1</ntasks_esp> </ntasks>
    <rootpe> <rootpe_atm>0</rootpe_atm> <rootpe_lnd>-6</rootpe_lnd> <rootpe_ocn>-15</rootpe_ocn> </rootpe>
    <pstrid> <pstrid_ocn>2</pstrid_ocn> </pstrid>)";

TEST(PesNodes, BecomeTasks) {
  const PesEntry tasks = in_tasks(entry_with(noresm));
  EXPECT_EQ(tasks.components.at("ATM"), (ComponentPes{1920, {}, 0, {}}));
  EXPECT_EQ(tasks.components.at("LND"), (ComponentPes{1152, {}, 768, {}}));
  EXPECT_EQ(tasks.components.at("OCN"), (ComponentPes{256, {}, 1920, 2}));
  EXPECT_EQ(tasks.components.at("ESP"), (ComponentPes{1, {}, {}, {}}));
  EXPECT_EQ(tasks.variables.at("MAX_MPITASKS_PER_NODE"), "128");
}

TEST(PesNodes, AreWrittenForWholeNodes) {
  const PesEntry entry = entry_with(noresm);
  EXPECT_EQ(in_nodes(in_tasks(entry)).components, entry.components);
  const PesEntry partial = entry_with(R"(<MAX_MPITASKS_PER_NODE>64</MAX_MPITASKS_PER_NODE>
    <ntasks> <ntasks_atm>96</ntasks_atm> <ntasks_ocn>64</ntasks_ocn> </ntasks>
    <rootpe> <rootpe_atm>0</rootpe_atm> <rootpe_ocn>128</rootpe_ocn> </rootpe>)");
  EXPECT_EQ(in_nodes(partial).components.at("ATM"), (ComponentPes{96, {}, 0, {}}));
  EXPECT_EQ(in_nodes(partial).components.at("OCN"), (ComponentPes{-1, {}, -2, {}}));
  const PesFile read = parse_pes_file(to_xml({in_nodes(partial)}), "pes.xml");
  EXPECT_EQ(in_tasks(read.entries.front()).components, partial.components);
}

TEST(PesNodes, RequireTheTasksPerNode) {
  const PesEntry nodes = entry_with("<ntasks><ntasks_atm>-4</ntasks_atm></ntasks>");
  EXPECT_ERROR(in_tasks(nodes, "pes.xml"), bad_input,
               "pes.xml:2: numbers of nodes without MAX_MPITASKS_PER_NODE; set MAX_MPITASKS_PER_NODE");
  const PesEntry tasks = entry_with("<ntasks><ntasks_atm>4</ntasks_atm></ntasks>");
  EXPECT_EQ(in_tasks(tasks).components, tasks.components);
  EXPECT_ERROR(in_nodes(tasks), bad_input, "without MAX_MPITASKS_PER_NODE");
}

TEST(PesNodes, MustNotOverflow) {
  for (const std::string size : {"0", "x", "$MAX_TASKS_PER_NODE"})
    EXPECT_ERROR(in_tasks(entry_with("<MAX_MPITASKS_PER_NODE>" + size +
                                     "</MAX_MPITASKS_PER_NODE><ntasks><ntasks_atm>-4</ntasks_atm></ntasks>")),
                 bad_input, "invalid value \"" + size + "\" of MAX_MPITASKS_PER_NODE");
  EXPECT_ERROR(in_tasks(entry_with("<MAX_MPITASKS_PER_NODE>128</MAX_MPITASKS_PER_NODE>"
                                   "<ntasks><ntasks_atm>-2000000000</ntasks_atm></ntasks>")),
               bad_input, "too many tasks of ATM: 2000000000 nodes of 128");
}

}  // namespace
}  // namespace plimsoll::pelayout
