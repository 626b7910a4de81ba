#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <plimsoll/balance/plugin.hpp>

#include "balance/stats_factory.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string plugin(const std::string& name) {
  return PLIMSOLL_TEST_PLUGINS "/" + name + ".so";
}

std::string text_of(const Error& error) {
  return error.what();
}

/// Returns the error message that loading an invalid plug-in causes.
std::string refusal(const std::string& path) {
  const auto error = plimsoll::testing::error_of([&] { load_strategy_plugin(path); });
  if (!error) return "loaded";
  EXPECT_EQ(error->kind(), ErrorKind::bad_input) << error->what();
  EXPECT_THAT(error->what(), StartsWith(path + ": "));
  return error->what();
}

/// Creates two migratable objects and a non-migratable one on processor 0 of two. Processor 1 is unavailable.
LDStats small_case() {
  LDStats stats = testing::stats_of(2, {3, 1, 0.5}, {0, 0, 0});
  stats.obj_data[2].migratable = false;
  stats.procs[1].available = false;
  stats.to_proc = {7, 7, 7};
  return stats;
}

std::unique_ptr<Strategy> bad_lb(const std::string& defect, ParameterMap parameters = {}) {
  StrategyRegistry registry = StrategyRegistry::builtin();
  const std::string name = registry.resolve(plugin("bad_lb"));
  parameters["defect"] = defect;
  return registry.create(name, parameters);
}

TEST(Plugin, IsLoadedAndUsedLikeBuiltInStrategy) {
  StrategyRegistry registry = StrategyRegistry::builtin();
  EXPECT_EQ(registry.resolve(plugin("bad_lb")), "BadLB");
  EXPECT_EQ(registry.info("BadLB").parameters.at(0).name, "defect");
  EXPECT_EQ(registry.info("BadLB").parameters.at(1).name, "max_moves");
  const auto strategy = registry.create("BadLB");
  EXPECT_EQ(strategy->name(), "BadLB");
  EXPECT_EQ(strategy->parameters().get<std::string>("defect"), "none");
  LDStats stats = small_case();
  strategy->work(stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(Plugin, DetectsPathsBySlashOrSuffix) {
  StrategyRegistry registry = StrategyRegistry::builtin();
  EXPECT_EQ(registry.resolve("GreedyLB"), "GreedyLB");
  EXPECT_EQ(registry.resolve("NonsenseLB"), "NonsenseLB");  // info() and create() check the name
  EXPECT_ERROR(registry.resolve("libNone.so"), system, "libNone.so: cannot open this plug-in");
  EXPECT_ERROR(registry.resolve("./None"), system, "./None: cannot open this plug-in");
  const plimsoll::testing::TemporaryFolder folder;
  std::filesystem::create_symlink("loop.so", folder / "loop.so");
  EXPECT_ERROR(registry.resolve(folder / "loop.so"), system, "loop.so: cannot open this plug-in");
}

TEST(Plugin, LoadsFromCurrentDirectory) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(PLIMSOLL_TEST_PLUGINS);
  EXPECT_EQ(load_strategy_plugin("bad_lb.so").name, "BadLB");
  std::filesystem::current_path(before);
}

TEST(Plugin, LoadsOnceForDifferentSpellingsOfPath) {
  StrategyRegistry registry = StrategyRegistry::builtin();
  const std::size_t builtin = registry.list().size();
  EXPECT_EQ(registry.resolve(plugin("bad_lb")), "BadLB");
  EXPECT_EQ(registry.resolve(PLIMSOLL_TEST_PLUGINS "/../plugins/bad_lb.so"), "BadLB");
  EXPECT_EQ(registry.list().size(), builtin + 1);
}

TEST(Plugin, RequiresUniqueName) {
  const plimsoll::testing::TemporaryFolder folder;
  std::filesystem::copy_file(plugin("bad_lb"), folder / "another.so");
  StrategyRegistry registry = StrategyRegistry::builtin();
  registry.resolve(plugin("bad_lb"));
  EXPECT_ERROR(registry.resolve(folder / "another.so"), usage, "strategy \"BadLB\" already exists");
}

TEST(Plugin, RejectsFileThatIsNotASharedLibrary) {
  const plimsoll::testing::TemporaryFolder folder;
  EXPECT_THAT(refusal(PLIMSOLL_TEST_PLUGINS "/"), HasSubstr("expected a file"));
  const std::string text = folder / "text.so";
  std::ofstream(text) << "GreedyLB, but better\n";
  EXPECT_THAT(refusal(text), HasSubstr("not a shared library"));
  const std::ofstream empty(folder / "empty.so");
  EXPECT_THAT(refusal(folder / "empty.so"), HasSubstr("not a shared library"));
}

TEST(Plugin, RejectsTruncatedFile) {
  const plimsoll::testing::TemporaryFolder folder;
  const std::string cut = folder / "cut.so";
  std::filesystem::copy_file(plugin("bad_lb"), cut);
  const auto size = std::filesystem::file_size(cut);
  for (const auto left : {size - 1, size / 2, size / 10}) {
    std::filesystem::resize_file(cut, left);
    EXPECT_THAT(refusal(cut), HasSubstr("truncated shared library; rebuild it or copy it again")) << left;
  }
}

TEST(Plugin, RejectsLibraryWithoutStrategy) {
  EXPECT_THAT(
      refusal(plugin("no_entry_point")),
      HasSubstr("contains no strategy; use PLIMSOLL_STRATEGY_PLUGIN(Class) at the end of its source"));
  EXPECT_THAT(refusal(plugin("no_description")), HasSubstr("the shared library contains no strategy"));
  EXPECT_THAT(refusal(plugin("undefined_symbol")), HasSubstr("cannot load this plug-in: undefined symbol"));
}

TEST(Plugin, RejectsIncompatibleBuildBeforeCallingIt) {
  EXPECT_THAT(refusal(plugin("other_version")),
              HasSubstr("uses interface version 99, but this Plimsoll uses 4; rebuild the plug-in"));
  EXPECT_THAT(refusal(plugin("other_real_type")),
              AllOf(HasSubstr("uses loads of type "), HasSubstr("LBRealType")));
  EXPECT_THAT(refusal(plugin("other_abi")),
              HasSubstr("was built for another compiler, but this Plimsoll was built for "));
  EXPECT_THAT(refusal(plugin("other_size")), HasSubstr("size mismatch of LDObjData: "));
}

TEST(Plugin, RejectsInvalidInfo) {
  EXPECT_THAT(refusal(plugin("info_throws_exception")),
              HasSubstr("info() of this plug-in threw \"cannot describe it\""));
  EXPECT_THAT(refusal(plugin("info_throws_anything")),
              HasSubstr("threw an exception that is not derived from std::exception"));
  EXPECT_THAT(refusal(plugin("info_without_name")), HasSubstr("does not set the strategy's name"));
  EXPECT_THAT(refusal(plugin("info_without_make")), HasSubstr("does not set make()"));
  EXPECT_THAT(refusal(plugin("info_with_text_as_limit")),
              HasSubstr("parameter max_moves of this plug-in has type text"));
}

TEST(Plugin, ReportsExceptionFromMake) {
  const std::string path = plugin("bad_lb");
  EXPECT_ERROR(bad_lb("make throws exception"), bad_input,
               path + ": make() of this plug-in threw \"cannot continue\"");
  EXPECT_ERROR(bad_lb("make throws anything"), bad_input,
               path + ": make() of this plug-in threw an exception that is not derived");
  EXPECT_ERROR(bad_lb("make throws usage error"), usage,
               "plug-in " + path + ": invalid setting; use another setting");
  EXPECT_ERROR(bad_lb("make nothing"), bad_input, path + ": make() of this plug-in returned no strategy");
}

TEST(Plugin, ReportsExceptionFromWorkAndKeepsPlacement) {
  const std::string path = plugin("bad_lb");
  const auto expect = [&](const std::string& defect, ErrorKind kind, const std::string& text) {
    const auto strategy = bad_lb(defect);
    LDStats stats = small_case();
    const auto error = plimsoll::testing::error_of([&] { strategy->work(stats); });
    ASSERT_TRUE(error) << defect;
    EXPECT_EQ(error->kind(), kind) << defect;
    EXPECT_THAT(text_of(*error), AllOf(HasSubstr(path), HasSubstr(text)));
    EXPECT_EQ(stats.to_proc, std::vector<std::int32_t>({7, 7, 7})) << defect;
  };
  expect("work throws exception", ErrorKind::bad_input, "work() of this plug-in threw \"cannot continue\"");
  expect("work throws anything", ErrorKind::bad_input,
         "work() of this plug-in threw an exception that is not derived from std::exception");
  expect("work throws usage error", ErrorKind::usage, ": invalid setting; use another setting");
  expect("work throws bad input", ErrorKind::bad_input, "data.txt: plug-in ");
  expect("short", ErrorKind::bad_input, "set 2 entries in to_proc for 3 objects");
  expect("beyond", ErrorKind::bad_input, "placed object 1 on processor 2, but LDStats has only 2");
  expect("negative", ErrorKind::bad_input, "placed object 1 on processor -1, but LDStats has only 2");
  expect("sentinel", ErrorKind::bad_input, "moved object 2, which is not migratable");
  expect("unavailable", ErrorKind::bad_input, "placed object 1 on processor 1, which is not available");
}

TEST(Plugin, RejectsObjectsLeftOnUnavailableProcessor) {
  LDStats stats = small_case();
  stats.from_proc[1] = 1;
  EXPECT_ERROR(bad_lb("none")->work(stats), bad_input,
               "left object 1 on processor 1, which is not available");
}

TEST(Plugin, ReportsExceptionFromScore) {
  LDStats stats = small_case();
  EXPECT_ERROR(bad_lb("score throws exception", {{"max_moves", "1"}})->work(stats), bad_input,
               "score() of this plug-in threw \"cannot continue\"");
  EXPECT_EQ(stats.to_proc, std::vector<std::int32_t>({7, 7, 7}));
}

TEST(Plugin, ReportsRemarks) {
  const auto remarks = bad_lb("none")->remarks();
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].text, "Three steps were necessary.");
  EXPECT_ERROR(bad_lb("remarks throws exception")->remarks(), bad_input,
               "remarks() of this plug-in threw \"cannot continue\"");
}

TEST(Plugin, CannotModifyLoadsOfCaller) {
  LDStats stats = small_case();
  bad_lb("changes loads")->work(stats);
  EXPECT_EQ(stats.n_objs(), 3);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

}  // namespace
}  // namespace plimsoll::balance
