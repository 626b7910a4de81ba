#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include <plimsoll/collectives/internal/frame_names.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the address from which this function is called.
[[gnu::noinline]] void* address_of_caller() {
  return __builtin_return_address(0);
}

/// Function whose name in C is the mangled name of the type float.
extern "C" int f() {
  return 0;
}

struct CallSite {
  void* address;
  int line;
};

[[gnu::noinline]] CallSite call_site_in_a_known_function(int) {
  void* const address = address_of_caller();
  return {address, __LINE__ - 1};
}

namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

bool has_libdw() {
  return ::dlopen("libdw.so.1", RTLD_LAZY) != nullptr;
}

TEST(FrameNames, ContainFunctionAndLineOfProgram) {
  if (!has_libdw()) GTEST_SKIP() << "needs libdw.so.1";
  const CallSite site = call_site_in_a_known_function(1);
  const auto code = module_of(site.address);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->module_path, std::filesystem::read_symlink("/proc/self/exe"));
  const std::string text = FrameNames().describe(code->module_path, code->offset);
  EXPECT_THAT(text, StartsWith(code->module_path +
                               "(plimsoll::v0_1::collectives::call_site_in_a_known_function(int)+0x"));
  std::ostringstream address;
  address << "[0x" << std::hex << code->offset << "] ";
  EXPECT_THAT(text, HasSubstr(address.str()));
  EXPECT_THAT(text, ::testing::EndsWith("frame_names_test.cpp:" + std::to_string(site.line)));
}

TEST(FrameNames, ContainOffsetFromStartOfFunction) {
  if (!has_libdw()) GTEST_SKIP() << "needs libdw.so.1";
  const auto begin = module_of(reinterpret_cast<void*>(&call_site_in_a_known_function));
  ASSERT_TRUE(begin);
  EXPECT_THAT(FrameNames().describe(begin->module_path, begin->offset + 5),
              HasSubstr("call_site_in_a_known_function(int)+0x5) "));
}

TEST(FrameNames, ContainFunctionsOfCUnchanged) {
  if (!has_libdw()) GTEST_SKIP() << "needs libdw.so.1";
  const auto begin = module_of(reinterpret_cast<void*>(&f));
  ASSERT_TRUE(begin);
  EXPECT_THAT(FrameNames().describe(begin->module_path, begin->offset + 1), HasSubstr("(f+0x1) ["));
}

TEST(FrameNames, ContainSymbolsOfLibraries) {
  if (!has_libdw()) GTEST_SKIP() << "needs libdw.so.1";
  void* const function = ::dlsym(RTLD_DEFAULT, "getenv");
  const auto code = module_of(function);
  ASSERT_TRUE(code);
  EXPECT_THAT(code->module_path, HasSubstr("libc.so"));
  EXPECT_THAT(FrameNames().describe(code->module_path, code->offset + 1), HasSubstr("(getenv+0x1) ["));
}

TEST(FrameNames, ContainDynamicSymbolsOfStrippedLibraries) {
  if (!has_libdw()) GTEST_SKIP() << "needs libdw.so.1";
  void* const library = ::dlopen(PLIMSOLL_STRIPPED_LIBRARY, RTLD_LAZY);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto code = module_of(::dlsym(library, "named_by_dynamic_symbol"));
  ASSERT_TRUE(code);
  EXPECT_THAT(FrameNames().describe(code->module_path, code->offset + 1),
              MatchesRegex(".*\\(named_by_dynamic_symbol\\+0x1\\) \\[0x[0-9a-f]+\\]"));
}

// Returns the lines that a program prints. Disables LeakSanitizer in the program, because its report would
// appear between the lines.
std::vector<std::string> output_lines(const std::string& program) {
  const std::string command = "ASAN_OPTIONS=detect_leaks=0 " + program;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::vector<std::string> lines;
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) lines.emplace_back(line.data());
  return lines;
}

TEST(FrameNames, AreIndependentOfLoadAddress) {
  std::set<std::string> addresses;
  std::set<std::string> names;
  for (int run = 0; run < 4; ++run) {
    const auto lines = output_lines(PLIMSOLL_FRAME_PROGRAM);
    ASSERT_EQ(lines.size(), 2U);
    addresses.insert(lines[0]);
    names.insert(lines[1]);
  }
  if (addresses.size() == 1) GTEST_SKIP() << "load addresses are not randomised here";
  ASSERT_EQ(names.size(), 1U);
  if (has_libdw()) {
    EXPECT_THAT(*names.begin(), HasSubstr("(main+0x"));
    EXPECT_THAT(*names.begin(), HasSubstr("frame_program.cpp:19"));
  }
}

TEST(FrameNames, ContainAddressForFilesWithoutSymbols) {
  const plimsoll::testing::TemporaryFolder folder;
  std::string garbage = "\177ELF\2\1\1";
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>(i * 7919 >> 3);
  std::string half_of_itself;
  {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    half_of_itself.resize(100000);
    self.read(half_of_itself.data(), static_cast<std::streamsize>(half_of_itself.size()));
  }
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  FrameNames names;
  for (const std::string& path :
       {std::string(), folder / "missing", folder.path(), folder / "pipe", std::string("linux-vdso.so.1"),
        folder.write("empty", ""), folder.write("text", "#!/bin/sh\n"), folder.write("garbage", garbage)}) {
    EXPECT_EQ(names.describe(path, 0x1a2b), path + " [0x1a2b]");
    EXPECT_EQ(names.describe(path, 0x1a2b), path + " [0x1a2b]") << "again";
    EXPECT_EQ(names.describe(path, 0), path + " [0x0]");
  }
  const std::string half = folder.write("half", half_of_itself);
  EXPECT_THAT(names.describe(half, 0x1a2b), StartsWith(half));
}

TEST(FrameNames, ContainAddressOfCodeOutsideFunctions) {
  const auto code = module_of(reinterpret_cast<void*>(&call_site_in_a_known_function));
  ASSERT_TRUE(code);
  FrameNames names;
  for (const std::uint64_t offset : {UINT64_MAX, std::uint64_t{1} << 40, std::uint64_t{0}, std::uint64_t{1}})
    EXPECT_THAT(names.describe(code->module_path, offset), MatchesRegex(".* \\[0x[0-9a-f]+\\]"));
}

TEST(FrameNames, OmitModuleForAddressesWithoutFile) {
  EXPECT_FALSE(module_of(nullptr));
  const auto heap = std::make_unique<int>(1);
  EXPECT_FALSE(module_of(heap.get()));
}

}  // namespace
}  // namespace plimsoll::collectives
