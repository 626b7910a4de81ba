#include "lbdata/repair/repair_command.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(RepairCommand, WritesCopyToNewDirectory) {
  const TemporaryFolder folder;
  const std::string data = folder / "data";
  EXPECT_EQ(copy_folder_command(data), "plimsoll repair " + data + " -o " + data + "-repaired");
  EXPECT_EQ(copy_folder_command(data + "/"), "plimsoll repair " + data + "/ -o " + data + "-repaired");
  std::filesystem::create_directory(data + "-repaired");
  EXPECT_EQ(copy_folder_command(data), "plimsoll repair " + data + " -o " + data + "-repaired-2");
  EXPECT_EQ(copy_folder_command("."), "plimsoll repair . -o repaired");
  EXPECT_EQ(copy_folder_command(".."), "plimsoll repair .. -o ../repaired");
  EXPECT_EQ(repair_in_place_command("my data"), "plimsoll repair 'my data'");
}

TEST(RepairCommand, CopiesWholeDataSetOfFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("data.0.json", "{}");
  EXPECT_EQ(copy_files_command({file}), "plimsoll repair " + file + " -o " + folder.path() + "-repaired/");
  folder.write("data.1.json.br", "{}");
  EXPECT_EQ(copy_files_command({file}), copy_folder_command(folder.path()));
  const std::vector<std::string> others = {folder / "x-0.txt", folder / "x-1.txt"};
  EXPECT_EQ(copy_files_command(others),
            "plimsoll repair " + others[0] + " " + others[1] + " -o " + folder.path() + "-repaired/");
}

TEST(RepairCommand, NamesOnlyFilesThatRepairCanCorrect) {
  const TemporaryFolder folder;
  const std::string cut = folder.write("cut.json", R"({"type":"LBDatafile","phases":[{"id")");
  const std::string whole = folder.write("whole.json", R"({"type":"LBDatafile","phases":[]})");
  EXPECT_EQ(repair_command({cut, whole}, {}), copy_files_command({cut}));
  EXPECT_EQ(repair_command({whole, folder.write("notes.json", "to do")}, {}), "");
}

}  // namespace
}  // namespace plimsoll::lbdata
