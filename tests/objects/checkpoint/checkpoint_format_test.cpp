#include "objects/checkpoint/checkpoint_format.hpp"

#include <string>
#include <vector>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "objects/checkpoint/checkpoint_contents.hpp"

namespace plimsoll::testing {
namespace {

using objects::CheckpointManifest;

class Manifests : public ::testing::Test {
 protected:
  CheckpointManifest parse(const std::string& text) const {
    return objects::parse_manifest(text, folder.path());
  }

  const TemporaryFolder folder;
  const CheckpointManifest manifest{0x0123456789abcdef, {{24, 0, 7}, {100, 2, 9}}, to_bytes("phase 12")};
  const std::string text = to_text(manifest);
};

TEST_F(Manifests, ReturnsWhatWasWritten) {
  folder.write("checkpoint.manifest", text);
  const CheckpointManifest read = parse(objects::read_manifest(folder.path()));
  EXPECT_EQ(read.checkpoint, manifest.checkpoint);
  EXPECT_EQ(read.description, manifest.description);
  ASSERT_EQ(read.files.size(), 2);
  EXPECT_EQ(read.files[1].bytes, 100);
  EXPECT_EQ(read.files[1].records, 2);
  EXPECT_EQ(read.files[1].checksum, 9);
  EXPECT_EQ(text.size(), 24 + 8 + 2 * 24 + 8 + 8);
}

TEST_F(Manifests, RejectsEveryTruncationAndFlippedBit) {
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    EXPECT_ERROR(parse(text.substr(0, bytes)), bad_input, "checkpoint.manifest");
  EXPECT_ERROR(parse(text + "x"), bad_input, "contradicts its beginning");
  for (std::size_t byte = 0; byte < text.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit)
      EXPECT_ERROR(parse(flipped(text, byte, bit)), bad_input, "checkpoint.manifest");
}

TEST_F(Manifests, RejectsHugeSizes) {
  std::string huge = text;
  huge.replace(24, 8, 8, '\xff');
  EXPECT_ERROR(parse(huge), bad_input, "contradicts its beginning");
  huge = text;
  huge.replace(12, 4, 4, '\xff');
  EXPECT_ERROR(parse(huge), bad_input, "contradicts its beginning");
}

TEST_F(Manifests, NamesDirectoryWithoutCheckpoint) {
  EXPECT_ERROR(objects::read_manifest(folder / "missing"), bad_input,
               "missing: the directory does not contain a complete checkpoint; check the name");
}

TEST_F(Manifests, RemovesOnlyRecordFilesThatItDoesNotList) {
  folder.write("checkpoint.manifest", text);
  const std::vector<std::string> kept = {
      "checkpoint.0123456789abcdef.3.records",
      "checkpoint.0123456789abcdef.4.records.unfinished",
      "checkpoint.fedcba9876543210.4.records.txt",
      "checkpoint.fedcba9876543210.records",
      "checkpoint.fedcba987654321.4.records",
      "my.checkpoint.fedcba9876543210.4.records",
      "notes.txt",
  };
  const std::vector<std::string> removed = {"checkpoint.fedcba9876543210.4.records",
                                            "checkpoint.fedcba9876543210.17.records.unfinished"};
  for (const std::string& name : kept) folder.write(name, "x");
  for (const std::string& name : removed) folder.write(name, "x");
  folder.write("checkpoint.manifest", flipped(text, 60, 0));
  objects::remove_unlisted_files(folder.path());
  for (const std::string& name : removed) EXPECT_TRUE(folder.has(name)) << "although the manifest is damaged";
  folder.write("checkpoint.manifest", text);
  objects::remove_unlisted_files(folder.path());
  for (const std::string& name : kept) EXPECT_TRUE(folder.has(name)) << name;
  for (const std::string& name : removed) EXPECT_FALSE(folder.has(name)) << name;
}

}  // namespace
}  // namespace plimsoll::testing
