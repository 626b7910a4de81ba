// Tests commands that find a link, a FIFO or a device in place of their output file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Links : public ::testing::Test {
 protected:
  Links() {
    folder_.write("precious", "data");
    fs::create_directory(folder_ / "out");
  }

  /// Runs a command that would write `path`. The command must refuse if `path` is a link or another special
  /// file.
  void expect_refused(const std::string& path, const std::vector<std::string>& command) {
    fs::create_symlink(folder_ / "precious", path);
    expect_unchanged(command, "is a symbolic link");
    fs::remove(path);
    fs::create_symlink(folder_ / "missing", path);
    expect_unchanged(command, "is a symbolic link");
    EXPECT_FALSE(folder_.has("missing"));
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_unchanged(command, "is a FIFO");  // the command would wait for a reader
    EXPECT_TRUE(fs::is_fifo(path));
    fs::remove(path);
    if (::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) return;  // only root can create a device
    expect_unchanged(command, "is a device");
    EXPECT_TRUE(fs::is_character_file(path));
    fs::remove(path);
  }

  /// Runs a command that uses `path` for a temporary file. The command may replace a link, but must not
  /// follow it.
  void expect_not_followed(const std::string& path, const std::vector<std::string>& command) {
    SCOPED_TRACE(path);
    for (const char* target : {"precious", "missing"}) {
      fs::create_symlink(folder_ / target, path);
      static_cast<void>(run_plimsoll(command));
      EXPECT_EQ(folder_.read("precious"), "data");
      EXPECT_FALSE(folder_.has("missing"));
      for (const auto& left : fs::directory_iterator(folder_ / "out")) fs::remove_all(left.path());
    }
  }

  void expect_unchanged(const std::vector<std::string>& command, const std::string& why) {
    const Outcome outcome = run_plimsoll(command);
    EXPECT_GE(outcome.status, 1) << outcome.out;
    EXPECT_LE(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(why)) << ::testing::PrintToString(command);
    EXPECT_EQ(folder_.read("precious"), "data");
  }

  TemporaryFolder folder_;
};

TEST_F(Links, AreNotFollowedByGenerate) {
  const std::vector<std::string> command = {"generate", "--plain", "--ranks",      "1",
                                            "--force",  "-o",      folder_ / "out"};
  expect_refused(folder_ / "out/data.0.json.partial", command);
  expect_refused(folder_ / "out/data.0.json", command);
}

TEST_F(Links, AreNotFollowedByLayoutSolve) {
  const std::string output = folder_ / "out/pes.xml";
  const std::vector<std::string> command = {
      "layout", "solve", "--json_input", own_path("cime/example.json"), "--pe_output", output, "--force"};
  expect_refused(output, command);
  expect_not_followed(output + ".unfinished", command);
}

TEST_F(Links, AreNotFollowedByLayoutSubmit) {
  folder_.write("pes.xml",
                R"(<config_pes><grid name="any"><mach name="any"><pes compset="any" pesize="S"><ntasks>)"
                "<ntasks_atm>8</ntasks_atm></ntasks></pes></mach></grid></config_pes>");
  for (const char* name :
       {"c_S.state", "c_S.state.partial", "c_S.state.unfinished", "c_S.log", ".plimsoll.c_S.lock"})
    expect_not_followed(folder_ / ("out/" + std::string(name)),
                        {"layout", "submit", "--pesfile", folder_ / "pes.xml", "--case_root", folder_ / "out",
                         "--casename_prefix", "c", "--command_template", "true {case}"});
}

}  // namespace
}  // namespace plimsoll::testing
