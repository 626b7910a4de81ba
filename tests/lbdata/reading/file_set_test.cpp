#include <plimsoll/lbdata/reader.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

using Names = std::vector<std::string>;

class FileSet : public ::testing::Test {
 protected:
  void make(const std::vector<std::string>& names) {
    for (const std::string& name : names) folder.write(name, "{}");
  }
  // Returns the names found, ordered by rank. Fails unless the ranks are 0 to n-1.
  std::vector<std::string> found(const std::vector<std::string>& inputs) {
    std::vector<std::string> names;
    for (const RankFile& file : find_rank_files(inputs)) {
      EXPECT_EQ(file.rank, static_cast<std::int64_t>(names.size()));
      names.push_back(std::filesystem::path(file.path).filename().string());
    }
    return names;
  }
  TemporaryFolder folder;
};

TEST_F(FileSet, AcceptsDirectory) {
  Names names;
  for (int rank = 0; rank < 12; ++rank) names.push_back("data." + std::to_string(rank) + ".json.br");
  make(names);
  make({"README", "data.json", "data.x.json", "data.3.json.partial", ".7.json", "stats.txt"});
  std::filesystem::create_directory(folder / "other.0.json");
  EXPECT_EQ(found({folder.path()}), names);
  EXPECT_EQ(found({folder.path() + "/"}), names);
}

TEST_F(FileSet, AcceptsMixOfPlainAndCompressedFiles) {
  make({"a.b.0.json", "a.b.1.json.br"});
  EXPECT_EQ(found({folder.path()}), Names({"a.b.0.json", "a.b.1.json.br"}));
}

TEST_F(FileSet, RejectsAmbiguousBaseName) {
  make({"after.0.json", "before.0.json", "before.1.json"});
  EXPECT_ERROR(found({folder.path()}), usage,
               "contains 2 data sets: \"after\", \"before\"; specify one, e.g. \"" + (folder / "after"));
  EXPECT_EQ(found({folder / "before"}), Names({"before.0.json", "before.1.json"}));
  EXPECT_ERROR(found({folder / "befor"}), system, "did you mean \"" + (folder / "before") + "\"?");
  EXPECT_ERROR(found({folder / "xyz"}), system,
               "cannot be found: No such file or directory; specify a directory, DIR/BASE");
}

TEST_F(FileSet, AcceptsPatterns) {
  make({"x.json0", "x.json1", "x.json1y", "x.json", "d-0.txt", "d-1.txt.br", "d-a.txt"});
  EXPECT_EQ(found({folder / "x.json%p"}), Names({"x.json0", "x.json1"}));
  EXPECT_EQ(found({folder / "d-%p.txt"}), Names({"d-0.txt", "d-1.txt.br"}));
  EXPECT_ERROR(found({folder / "d-%p.txt.br"}), bad_input, "the file of rank 0 is missing");
  EXPECT_ERROR(found({folder / "z.%p"}), bad_input, "no file matches the pattern");
  EXPECT_ERROR(found({folder / "%p/x.json"}), usage, "%p in a directory name");
}

// The system cannot look up the pattern itself, because it is longer than any file name.
TEST_F(FileSet, AcceptsPatternLongerThanFileNames) {
  const std::string stem(253, 'x');
  make({stem + ".0", stem + ".1"});
  EXPECT_EQ(found({folder / (stem + ".%p")}), Names({stem + ".0", stem + ".1"}));
}

TEST_F(FileSet, EscapesFileNamesInMessages) {
  make({"a\n.0.json", "b.0.json"});
  EXPECT_ERROR(found({folder.path()}), usage, "\"a\\n\", \"b\"");
}

TEST_F(FileSet, AcceptsFiles) {
  make({"one.json", "data.0.json", "data.1.json", "data.7.json", "x.json0", "x.json1.br"});
  EXPECT_EQ(found({folder / "one.json"}), Names({"one.json"}));
  EXPECT_EQ(found({folder / "data.1.json", folder / "data.0.json"}), Names({"data.0.json", "data.1.json"}));
  EXPECT_EQ(found({folder / "x.json1.br", folder / "x.json0"}), Names({"x.json0", "x.json1.br"}));
  EXPECT_ERROR(found({folder / "data.7.json"}), bad_input,
               "the files of 7 ranks are missing, starting with rank 0");
  const auto any = find_rank_files({folder / "data.7.json", folder / "data.1.json"}, RankCheck::any);
  EXPECT_EQ(any, (std::vector<RankFile>{{1, folder / "data.1.json"}, {7, folder / "data.7.json"}}));
  EXPECT_ERROR(found({folder / "one.json", folder / "data.0.json"}), usage, "missing rank in the file name");
  EXPECT_ERROR(found({folder / "data.0.json", folder.path()}), usage, "is a directory among several inputs");
  EXPECT_ERROR(found({folder / "data.0.json", folder / "data.9.json"}), system,
               "data.9.json: cannot be found");
}

TEST_F(FileSet, RejectsListWithFilesOfTwoDataSets) {
  make({"a.0.json", "a.1.json.br", "b.1.json", "x2.json0"});
  EXPECT_ERROR(found({folder / "a.0.json", folder / "b.1.json"}), usage,
               "the files belong to two data sets: \"a.0.json\" and \"b.1.json\"");
  EXPECT_ERROR(found({folder / "b.1.json", folder / "x2.json0"}), usage, "two data sets");
  EXPECT_EQ(found({folder / "a.0.json", folder / "a.1.json.br"}), Names({"a.0.json", "a.1.json.br"}));
  EXPECT_EQ(find_rank_files({folder / "a.0.json", folder / "b.1.json"}, RankCheck::any).size(), 2U);
}

TEST_F(FileSet, AcceptsArbitraryRanksOnlyForExplicitFiles) {
  make({"data.1.json", "data.7.json"});
  const auto ranks = [&](const std::vector<std::string>& inputs) {
    return find_rank_files(inputs, check_for(inputs)).size();
  };
  EXPECT_EQ(ranks({folder / "data.7.json"}), 1U);
  EXPECT_EQ(ranks({folder / "data.7.json", folder / "data.1.json"}), 2U);
  EXPECT_ERROR(ranks({folder.path()}), bad_input, "are missing, starting with rank 0");
  EXPECT_ERROR(ranks({folder / "data"}), bad_input, "are missing, starting with rank 0");
}

TEST_F(FileSet, ReportsMissingAndDuplicateRanks) {
  make({"data.0.json", "data.1.json", "data.3.json", "data.3.json.br"});
  EXPECT_ERROR(found({folder.path()}), bad_input,
               "duplicate file of rank 3: the other one is " + (folder / "data.3.json.br"));
  std::filesystem::remove(folder / "data.3.json");
  EXPECT_ERROR(found({folder.path()}), bad_input, "the file of rank 2 is missing (the highest rank is 3)");
  make({"data.2147483647.json"});
  EXPECT_ERROR(found({folder.path()}), bad_input,
               "the files of 2147483644 ranks are missing, starting with rank 2");
  make({"data.02.json", "data.2.json"});
  EXPECT_ERROR(found({folder.path()}), bad_input, "duplicate file of rank 2");
}

TEST_F(FileSet, ReportsDirectoryInPlaceOfFile) {
  make({"data.0.json", "x-0.txt"});
  for (const char* name : {"data.1.json", "x-1.txt", "old.json", "old.7.json", "data.2.json.partial"})
    std::filesystem::create_directory(folder / name);
  for (const std::string& input : {folder.path(), folder / "data"})
    EXPECT_ERROR(found({input}), bad_input,
                 (folder / "data.1.json") + ": is a directory in place of the file of rank 1");
  EXPECT_ERROR(found({folder / "x-%p.txt"}), bad_input, "x-1.txt: is a directory in place");
  std::filesystem::remove(folder / "data.1.json");
  EXPECT_EQ(found({folder.path()}), Names({"data.0.json"}));
}

TEST_F(FileSet, ReportsMissingDataSets) {
  EXPECT_ERROR(found({folder.path()}), bad_input, "the directory contains no LB data files");
  EXPECT_ERROR(found({folder / "no/data"}), system, "cannot be found");
  EXPECT_ERROR(found({}), usage, "no data set specified");
  EXPECT_ERROR(found({""}), usage, "the name of a data set is empty");
}

TEST_F(FileSet, GivesAdviceOnDirectoryWithOnlyIncompleteFiles) {
  make({"data.0.json.br.unfinished", "data.1.json.br.unfinished"});
  EXPECT_ERROR(found({folder.path()}), bad_input, "only 2 unfinished files (.unfinished)");
  EXPECT_ERROR(found({folder.path()}), bad_input, "'plimsoll repair FILE -o OUTPUT'");
  make({"data.0.json.br.partial"});
  EXPECT_ERROR(found({folder.path()}), bad_input, "only 1 partial file (.partial)");
  EXPECT_ERROR(found({folder.path()}), bad_input,
               "use plimsoll repair " + folder.path() + " to complete them");
}

TEST_F(FileSet, AcceptsManyFiles) {
  Names names;
  for (int rank = 0; rank < 1000; ++rank) names.push_back("data." + std::to_string(rank) + ".json");
  make(names);
  EXPECT_EQ(found({folder.path()}), names);
}

TEST(SetName, IsEqualForAllFilesOfDataSet) {
  for (const char* file : {"data.3.json", "data.17.json.br", "data.0.json.partial", "data.0.json.br.pending"})
    EXPECT_EQ(set_name(std::string("run7/") + file), "data") << file;
  EXPECT_EQ(set_of_pattern("run7/data.%p.json"), "data");
  EXPECT_EQ(set_of_pattern("run7/data.%p.json.br"), "data");
  for (const std::string pattern : {"x2.json%p", "x2-%p.txt", "2026-%p", "one.json", "x%p"}) {
    EXPECT_EQ(set_of_pattern("run7/" + pattern + ".br"), pattern);
    for (const char* rank : {"0", "17"}) {
      std::string name = pattern;
      if (const std::size_t mark = name.find("%p"); mark != std::string::npos) name.replace(mark, 2, rank);
      EXPECT_EQ(set_name("run7/" + name + ".br.partial"), pattern);
    }
  }
}

TEST(SetName, DiffersBetweenDataSets) {
  EXPECT_NE(set_of_pattern("x1-%p.txt"), set_of_pattern("x2-%p.txt"));
  EXPECT_NE(set_of_pattern("x1%p"), set_of_pattern("x2%p"));
  EXPECT_NE(set_of_pattern("x.json%p"), set_of_pattern("x.%p.json"));
}

TEST(SetName, IsAmbiguousIfSeveralNumbersMayBeTheRank) {
  const Names sets = {"x", "x%p-3.txt", "x-%p.txt", "x2-%p.txt", "x%p-4.txt", "x2-3.txt", "x1%p"};
  EXPECT_EQ(other_possible_sets("x2-3.txt.br.partial", sets), Names({"x%p-3.txt", "x2-3.txt"}));
  EXPECT_EQ(other_possible_sets("x10", sets), Names({"x1%p"}));
  EXPECT_EQ(other_possible_sets("x.10.json", {"x.1%p.json"}), Names());
}

TEST(RankFilePath, CombinesDirectoryBaseRankAndCompression) {
  EXPECT_EQ(rank_file_path("out", "data", 12, true), "out/data.12.json.br");
  EXPECT_EQ(rank_file_path("out", "data", 0, false), "out/data.0.json");
}

}  // namespace
}  // namespace plimsoll::lbdata
