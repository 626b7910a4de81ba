// Checkpoints that cannot be written or restored. All ranks get the same error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "common/throws_error.hpp"
#include "objects/checkpoint/checkpoint.hpp"
#include "objects/system/restart_program.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;

/// Element that reads and writes as many numbers as the test wants.
struct Record : Element<Record> {
  static inline int n_written = 3;
  static inline int n_read = 3;
  static inline bool fails = false;

  void save() { system().checkpoint("checkpoint"); }
  template <class Archive>
  void serialize(Archive& archive) {
    if (fails && number() == 7) throw std::runtime_error("it broke");
    for (int k = 0; k < (Archive::is_loading::value ? n_read : n_written); ++k) archive(k);
  }
};

struct Unserialisable : Element<Unserialisable> {
  Unserialisable() = default;
};
struct Undefault : Element<Undefault> {
  explicit Undefault(int) {}
  template <class Archive>
  void serialize(Archive&) {}
};

class RestartErrors : public RestartTest {
 protected:
  void TearDown() override {
    Record::n_read = 3;
    Record::n_written = 3;
    Record::fails = false;
    RestartTest::TearDown();
  }

  /// A program with one collection of records.
  struct Program {
    explicit Program(const std::string& restored = {})
        : recorder(MPI_COMM_WORLD, RestartProgram::quiet()),
          system(recorder, {.restore = restored}),
          records(system, {.bounds = {{20}}, .name = "records"}) {}
    LoadRecorder recorder;
    ObjectSystem system;
    Collection<Record> records;
  };

  void save() const { Program().system.checkpoint(folder); }
  /// Creates a collection in a program that restores the checkpoint.
  template <class T>
  void create(const CollectionOptions<T::dimensions>& options) const {
    LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
    ObjectSystem system(recorder, {.restore = folder});
    Collection<T> collection(system, options);
  }
  /// Changes a byte before the end of the first record file.
  void damage() const {
    on_rank_0([&] {
      for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        if (!path.ends_with(".0.records")) continue;
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(-1, std::ios::end);
        file.put('\x55');
      }
    });
  }
};

TEST_F(RestartErrors, NameMissingCheckpoint) {
  EXPECT_ERROR(Program{folder}, bad_input, "the directory does not contain a complete checkpoint");
}

TEST_F(RestartErrors, NameCheckpointsOfAnotherLayout) {
  // Layout 1, phase 0, no collections; the last two have 8 bytes each.
  const std::uint32_t description[] = {1, 0, 0, 0, 0};
  objects::CheckpointWriter(world, folder, std::as_bytes(std::span(description))).finish();
  EXPECT_ERROR(Program{folder}, bad_input, "was written by another version of Plimsoll");
}

TEST_F(RestartErrors, NameDamagedFile) {
  save();
  damage();
  EXPECT_ERROR(Program{folder}, bad_input, ".0.records (byte ");
  EXPECT_ERROR(Program{folder}, bad_input, "record does not match its checksum");
}

TEST_F(RestartErrors, NameCollectionsThatDiffer) {
  save();
  const std::string saved = "has the collection \"records\" (";
  EXPECT_ERROR(create<Record>({.bounds = {{21}}, .name = "records"}), usage,
               "Record, 20), but the program creates");
  EXPECT_ERROR(create<Record>({.bounds = {{21}}, .name = "records"}), usage, "Record, 21)");
  EXPECT_ERROR(create<Record>({.bounds = {{20}}, .name = "others"}), usage, saved);
  EXPECT_ERROR(create<Walker>({.bounds = {{20}}, .name = "records"}), usage, "Walker, 20)");
  EXPECT_ERROR(create<Cell>({.bounds = {{4, 5}}, .name = "records"}), usage, "Cell, 4 x 5)");
}

TEST_F(RestartErrors, NameCollectionsInAnotherOrder) {
  { RestartProgram(world).system.checkpoint(folder); }
  EXPECT_ERROR(create<Walker>({.bounds = {{100}}, .name = "walkers"}), usage, "has the collection \"cells\"");
}

TEST_F(RestartErrors, NameCollectionsThatAreNotCreated) {
  { RestartProgram(world).system.checkpoint(folder); }
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "has collections that the program has not created: \"cells\" (");
  Collection<Cell> cells(system, {.bounds = {{6, 5}}, .name = "cells"});
  EXPECT_ERROR(system.next_phase(), usage, "has not created: \"walkers\" (");
  EXPECT_ERROR(system.checkpoint(folder), usage, "has not created: \"walkers\" (");
  Collection<Walker> walkers(system, {.bounds = {{100}}, .is_dense = false, .name = "walkers"});
  system.next_phase();
}

TEST_F(RestartErrors, NameElementThatReadsTooMuchOrTooLittle) {
  save();
  Record::n_read = 4;
  EXPECT_ERROR(Program{folder}, usage, "of \"records\": the object reads more data than were written");
  Record::n_read = 2;
  EXPECT_ERROR(Program{folder}, usage, "of \"records\": serialize() reads 8 of 12 bytes");
  EXPECT_ERROR(Program{folder}, usage, folder);
}

TEST_F(RestartErrors, RejectSecondAttempt) {
  save();
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  const auto create_records = [&] {
    const Collection<Record> records(system, {.bounds = {{20}}, .name = "records"});
  };
  Record::n_read = 2;
  EXPECT_ERROR(create_records(), usage, "serialize() reads 8 of 12 bytes");
  Record::n_read = 3;
  EXPECT_ERROR(create_records(), usage, "could not be restored; use a new LoadRecorder");
}

TEST_F(RestartErrors, NameElementThatThrows) {
  save();
  Record::fails = true;
  EXPECT_ERROR(Program{folder}, system, "element (7) of \"records\": it broke");
  Program program;
  EXPECT_ERROR(program.system.checkpoint(folder), system, "element (7) of \"records\": it broke");
  Record::fails = false;
  EXPECT_EQ(world.sum(Program{folder}.records.local_count()), 20) << "the old checkpoint is still there";
  program.system.checkpoint(folder);
}

TEST_F(RestartErrors, NamePhaseOfCheckpoint) {
  const std::string file = folder + "/file";
  on_rank_0([&] {
    fs::create_directories(folder);
    std::ofstream(file) << "not a directory";
  });
  Program program;
  program.system.next_phase();
  EXPECT_ERROR(program.system.checkpoint(file + "/checkpoint"), system, "phase 1: ");
  Record::fails = true;
  EXPECT_ERROR(program.system.checkpoint(folder), system, "phase 1: ");
}

TEST_F(RestartErrors, NameClassesThatCannotBeSaved) {
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder);
  {
    Collection<Unserialisable> elements(system, {.bounds = {{3}}, .migratable = false});
    EXPECT_ERROR(system.checkpoint(folder), usage,
                 "\"elements\" can neither migrate nor be saved: their class needs");
    EXPECT_ERROR(system.checkpoint(folder), usage, "a member function serialize()");
  }
  Collection<Undefault> elements(system, {.bounds = {{3}}, .migratable = false}, 1);
  EXPECT_ERROR(system.checkpoint(folder), usage, "a default constructor");
}

TEST_F(RestartErrors, RejectRecorderWhosePhasesHaveEnded) {
  save();
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  recorder.next_phase();
  EXPECT_ERROR(ObjectSystem(recorder, {.restore = folder}), usage, "phase 0 has ended already");
}

TEST_F(RestartErrors, NameDirectoriesThatDiffer) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const std::string mine = world.rank() == 0 ? "" : folder;
  EXPECT_ERROR(Program{mine}, usage,
               "rank 0 calls the constructor of ObjectSystem with restore = \"\", rank ");
  EXPECT_ERROR(Program().system.checkpoint(folder + mine), usage, "rank 0 calls checkpoint(\"" + folder);
}

TEST_F(RestartErrors, NameMissingDirectories) {
  EXPECT_ERROR(Program().system.checkpoint(""), usage, "checkpoint() without a directory");
}

TEST_F(RestartErrors, NameCallsThatDiffer) {
  Program program;
  program.records[{3}].send<&Record::save>();
  EXPECT_ERROR(program.system.run_until_quiet(), usage, "checkpoint() is called by an element");
  if (world.size() == 1) return;
  const auto call = [&] {
    if (world.rank() == 0)
      program.system.checkpoint(folder);
    else
      program.system.next_phase();
  };
  EXPECT_ERROR(call(), usage, "different collective calls: rank 0 calls checkpoint(\"" + folder);
  program.system.checkpoint(folder);
}

}  // namespace
}  // namespace plimsoll::testing
