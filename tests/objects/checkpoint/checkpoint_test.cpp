#include "objects/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <mpi.h>
#include <sys/resource.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "objects/checkpoint/checkpoint_contents.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using mpi::Communicator;
using objects::CheckpointReader;
using objects::CheckpointWriter;

/// Returns the communicator of the ranks below `ranks`, or nothing on the other ranks. Collective.
std::optional<Communicator> first_ranks(const Communicator& all, int ranks) {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(all.handle(), all.rank() < ranks ? 0 : MPI_UNDEFINED, all.rank(), &handle);
  if (handle == MPI_COMM_NULL) return std::nullopt;
  std::optional<Communicator> result(handle);
  MPI_Comm_free(&handle);
  return result;
}

/// Returns the elements of a rank: none on every third rank, otherwise states of up to several MiB.
CheckpointContents contents_of(int rank, int version = 0) {
  CheckpointContents contents;
  if (rank % 3 == 1) return contents;
  std::uint64_t number = static_cast<std::uint64_t>(rank) << 20;
  for (const std::size_t bytes : {0UL, 3UL, 3'000'000UL, 0UL, 65'536UL}) {
    const auto seed = number + static_cast<std::uint64_t>(version);
    contents[{static_cast<std::uint32_t>(number % 2), number}] = state_of(bytes, seed);
    ++number;
  }
  return contents;
}

/// Returns the elements of ranks 0 to `ranks` - 1.
CheckpointContents contents_of_all(int ranks, int version = 0) {
  CheckpointContents all;
  for (int rank = 0; rank < ranks; ++rank) all.merge(contents_of(rank, version));
  return all;
}

/// Fixture with a directory that all ranks share.
class Checkpoint : public ::testing::Test {
 protected:
  void TearDown() override { world.barrier(); }

  void write(int ranks, int version = 0) const {
    const std::optional<Communicator> writers = first_ranks(world, ranks);
    if (writers) {
      CheckpointWriter writer(*writers, folder, to_bytes("version " + std::to_string(version)));
      add_all(writer, contents_of(rank, version));
      writer.finish();
    }
    world.barrier();
  }
  /// Reads on the first ranks, and returns the elements of this rank. Collective over the first ranks.
  CheckpointContents read(const Communicator& readers) const {
    CheckpointReader reader(readers, folder);
    CheckpointContents mine;
    mpi::agreed(readers, [&] { collect_all(reader, mine); });
    return mine;
  }
  CheckpointContents read() const { return read(world); }

  /// Expects the elements that `written` ranks have written, when all ranks read them together.
  void expect_contents(int written, int version = 0) const {
    CheckpointReader reader(world, folder);
    EXPECT_EQ(reader.description(), to_bytes("version " + std::to_string(version)));
    CheckpointContents mine;
    collect_all(reader, mine);
    EXPECT_TRUE(is_part_of(mine, contents_of_all(written, version)));
    EXPECT_EQ(world.sum(mine.size()), contents_of_all(written, version).size());
  }
  /// Returns the names in the directory, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder))
      result.push_back(entry.path().filename().string());
    std::ranges::sort(result);
    return result;
  }
  /// Returns the path of the only file with this end of its name.
  std::string path_ending(const std::string& end) const {
    for (const std::string& name : names())
      if (name.ends_with(end)) return folder + "/" + name;
    throw std::runtime_error("missing " + end);
  }
  /// Runs `change` on rank 0, while the others wait.
  template <class Function>
  void on_rank_0(Function&& change) const {
    world.barrier();
    if (rank == 0) change();
    world.barrier();
  }

  const Communicator world{MPI_COMM_WORLD};
  const int rank = world.rank();
  const int size = world.size();
  const std::optional<TemporaryFolder> folder_of_rank_0 =
      rank == 0 ? std::make_optional<TemporaryFolder>() : std::nullopt;
  const std::string folder = world.broadcast(rank == 0 ? *folder_of_rank_0 / "new/checkpoint" : "");
};

TEST_F(Checkpoint, IsReadOnAnyNumberOfRanks) {
  for (int written = 1; written <= size; ++written) {
    write(written, written);
    expect_contents(written, written);
    EXPECT_EQ(names().size(), static_cast<std::size_t>(written) + 1);
    for (int ranks = 1; ranks < size; ++ranks) {
      const std::optional<Communicator> readers = first_ranks(world, ranks);
      const CheckpointContents mine = readers ? read(*readers) : CheckpointContents();
      EXPECT_TRUE(is_part_of(mine, contents_of_all(written, written)));
      EXPECT_EQ(world.sum(mine.size()), contents_of_all(written, written).size());
    }
  }
}

TEST_F(Checkpoint, MayBeEmpty) {
  CheckpointWriter(world, folder, {}).finish();
  CheckpointReader reader(world, folder);
  EXPECT_TRUE(reader.description().empty());
  EXPECT_FALSE(reader.next(0));
}

TEST_F(Checkpoint, SpreadsFilesOverReaders) {
  write(size);
  CheckpointContents expected = contents_of(rank);
  EXPECT_EQ(read(), expected) << "as many files as ranks";
}

TEST_F(Checkpoint, KeepsOldFilesIfNotFinished) {
  write(size, 1);
  {
    CheckpointWriter writer(world, folder, {});
    add_all(writer, contents_of(rank, 2));
    world.barrier();
    EXPECT_EQ(names().size(), 2 * static_cast<std::size_t>(size) + 2) << "with the lock";
    world.barrier();
  }
  world.barrier();
  EXPECT_EQ(names().size(), static_cast<std::size_t>(size) + 1);
  expect_contents(size, 1);
}

TEST_F(Checkpoint, KeepsOldFilesIfOneRankCannotWrite) {
  write(size, 1);
  CheckpointWriter writer(world, folder, {});
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  if (rank == size - 1) {
    const rlimit full{1'000'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  const CheckpointBytes large = state_of(2'000'000, 0);
  writer.add({.bytes = large});
  writer.add({.bytes = large});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_ERROR(writer.finish(), system, "writing failed");
  world.barrier();
  expect_contents(size, 1);
}

TEST_F(Checkpoint, KeepsOldFilesIfFileOfOneRankDisappears) {
  write(size, 1);
  {
    CheckpointWriter writer(world, folder, {});
    const std::string suffix = "." + std::to_string(size - 1) + ".records.unfinished";
    on_rank_0([&] { fs::remove(path_ending(suffix)); });
    EXPECT_ERROR(writer.finish(), system, "another program has removed or replaced it");
  }
  world.barrier();
  EXPECT_EQ(names().size(), static_cast<std::size_t>(size) + 1) << "new files are removed";
  expect_contents(size, 1);
}

TEST_F(Checkpoint, KeepsOldFilesIfManifestCannotBeWritten) {
  write(size, 1);
  {
    CheckpointWriter writer(world, folder, {});
    on_rank_0([&] { fs::create_directory(folder + "/checkpoint.manifest.unfinished"); });
    EXPECT_ERROR(writer.finish(), usage, "checkpoint.manifest.unfinished");
    on_rank_0([&] { fs::remove(folder + "/checkpoint.manifest.unfinished"); });
  }
  world.barrier();
  EXPECT_EQ(names().size(), static_cast<std::size_t>(size) + 1) << "new files are removed";
  expect_contents(size, 1);
}

TEST_F(Checkpoint, IgnoresAndRemovesFilesOfKilledProgram) {
  write(size, 1);
  on_rank_0([&] {
    for (const char* name :
         {"checkpoint.00000000000000ff.0.records", "checkpoint.00000000000000ff.1.records.unfinished",
          "checkpoint.manifest.unfinished"})
      folder_of_rank_0->write("new/checkpoint/" + std::string(name), "killed");
  });
  expect_contents(size, 1);
  write(size, 2);
  EXPECT_EQ(names().size(), static_cast<std::size_t>(size) + 1);
  expect_contents(size, 2);
}

TEST_F(Checkpoint, ConsistsOfFilesThatManifestLists) {
  write(size, 1);
  on_rank_0([&] { fs::copy(folder, folder + ".old"); });
  write(size, 2);
  // Both directories get the record files of both checkpoints, and keep their manifests.
  on_rank_0([&] {
    constexpr auto missing = fs::copy_options::recursive | fs::copy_options::skip_existing;
    fs::copy(folder, folder + ".old", missing);
    fs::copy(folder + ".old", folder, missing);
  });
  EXPECT_EQ(names().size(), 2 * static_cast<std::size_t>(size) + 1);
  expect_contents(size, 2);
  on_rank_0([&] {
    fs::rename(folder, folder + ".new");
    fs::rename(folder + ".old", folder);
  });
  EXPECT_EQ(names().size(), 2 * static_cast<std::size_t>(size) + 1);
  expect_contents(size, 1);
}

TEST_F(Checkpoint, ReplacesDamagedCheckpoint) {
  write(size, 1);
  on_rank_0([&] { folder_of_rank_0->write("new/checkpoint/checkpoint.manifest", "damaged"); });
  EXPECT_ERROR(read(), bad_input, "checkpoint.manifest (byte 7): is too short; use an undamaged copy");
  write(size, 2);
  EXPECT_EQ(names().size(), static_cast<std::size_t>(size) + 1);
  expect_contents(size, 2);
}

TEST_F(Checkpoint, ReportsDamageOnAllRanks) {
  write(size);
  std::string file;
  on_rank_0([&] { file = path_ending(".0.records"); });
  on_rank_0([&] { fs::resize_file(file, fs::file_size(file) - 1); });
  EXPECT_ERROR(read(), bad_input, "bytes: expected ");
  on_rank_0([&] { fs::remove(file); });
  EXPECT_ERROR(read(), bad_input, "file of the checkpoint is missing");
  on_rank_0([&] { fs::remove(folder + "/checkpoint.manifest"); });
  EXPECT_ERROR(read(), bad_input, "the directory does not contain a complete checkpoint");
}

TEST_F(Checkpoint, ReportsManifestOfAnotherCheckpoint) {
  write(size, 1);
  on_rank_0([&] { fs::copy(folder + "/checkpoint.manifest", folder + "/../manifest"); });
  write(size, 2);
  on_rank_0([&] { fs::rename(folder + "/../manifest", folder + "/checkpoint.manifest"); });
  EXPECT_ERROR(read(), bad_input, "file of the checkpoint is missing");
}

TEST_F(Checkpoint, ReportsRecordsOutOfOrder) {
  CheckpointWriter writer(world, folder, {});
  writer.add({.collection = 1, .number = 7});
  writer.add({.collection = 0, .number = 8});
  writer.finish();
  CheckpointReader reader(world, folder);
  EXPECT_FALSE(reader.next(0));
  EXPECT_EQ(reader.next(1).value().number, 7);
  EXPECT_ERROR(reader.next(1), bad_input, "record of collection 0 comes too late: expected 1");
}

TEST_F(Checkpoint, ReportsUnusableDirectoryOnAllRanks) {
  on_rank_0([&] { folder_of_rank_0->write("file", ""); });
  const std::string file = world.broadcast(rank == 0 ? *folder_of_rank_0 / "file" : "");
  EXPECT_ERROR(CheckpointWriter(world, file + "/checkpoint", {}), system, "cannot create the directory");
}

TEST_F(Checkpoint, RejectsTwoWritersInOneDirectory) {
  {
    const CheckpointWriter first(world, folder, {});
    EXPECT_ERROR(CheckpointWriter(world, folder, {}), usage, "is writing there");
  }
  write(size);
  expect_contents(size);
}

}  // namespace
}  // namespace plimsoll::testing
