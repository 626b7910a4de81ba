// A program that saves checkpoints and continues from them. Its results do not depend on the number of ranks,
// on migrations, or on restarts.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::testing {

inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccd;
  return bits ^ bits >> 29;
}

/// Element that computes its next state from the states that it has received from two neighbours.
struct Cell : Element<Cell, 2> {
  std::uint64_t state = 0;
  std::uint64_t received = 0;
  int steps = 0;

  Cell() = default;
  explicit Cell(std::uint64_t seed) : state(mixed(seed + number())) {
    val_insert("first", static_cast<std::int64_t>(number()));
  }

  void advance() {
    state = mixed(state + std::exchange(received, 0));
    ++steps;
  }
  void send() {
    const auto [rows, columns] = collection().bounds().sizes;
    const auto [i, j] = index();
    collection()[{(i + 1) % rows, j}].send<&Cell::receive>(state);
    collection()[{i, (j + 1) % columns}].send<&Cell::receive>(state);
  }
  void receive(std::uint64_t value) { received += mixed(value); }
  /// Rises linearly; the first half of the elements is ten times as heavy.
  double user_set_lb_load() override {
    return (number() < collection().bounds().count() / 2 ? 10.0 : 1.0) * (1 + 0.25 * steps);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(state, received, steps);
  }
};

/// Element that is created in one phase and destroyed three phases later.
struct Walker : Element<Walker> {
  std::uint64_t state = 0;

  Walker() = default;
  explicit Walker(std::uint64_t seed) : state(seed) {}
  void walk() {
    state = mixed(state);
    migrate_to(static_cast<int>(state % static_cast<std::uint64_t>(system().rank_count())));
  }
  double user_set_lb_load() override { return 0.5; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(state);
  }
};

/// Member of an object group, which checkpoints do not contain.
struct Counter : Element<Counter> {
  int count = 0;
  void add() { ++count; }
};

/// The elements of all ranks.
struct Elements {
  std::int64_t count = 0;
  std::uint64_t digest = 0;  ///< of their states

  friend bool operator==(const Elements&, const Elements&) = default;
};

class RestartProgram {
 public:
  /// Collective. Restores the checkpoint in a directory, unless the name is empty.
  explicit RestartProgram(const mpi::Communicator& ranks, const std::string& folder = {},
                          const Settings& settings = quiet())
      : recorder(ranks.handle(), settings),
        system(recorder, {.restore = folder}),
        cells(system, {.bounds = {{6, 5}}, .measured = false, .name = "cells"}, std::uint64_t{1}),
        counters(system, "counters"),
        walkers(
            system,
            {.bounds = {{100}}, .is_dense = false, .map = hash_map, .measured = false, .name = "walkers"}) {}

  static Settings quiet() {
    Settings settings;
    settings.lb_quiet = true;
    settings.lb_check = true;
    settings.lb_load_model = "LinearModel(length=3)";
    return settings;
  }

  /// Ends a phase in which elements work, appear, disappear and migrate.
  PhaseSummary step() {
    const auto phase = static_cast<std::uint64_t>(recorder.phase());
    cells.for_each_local([&](Cell& cell) {
      if (cell.steps % 2 == 1)
        cell.migrate_to(static_cast<int>(cell.state % static_cast<std::uint64_t>(system.rank_count())));
    });
    if (system.rank() == 0) {
      cells.broadcast<&Cell::advance>();
      walkers.broadcast<&Walker::walk>();
    }
    system.run_until_quiet();
    if (system.rank() == 0) {
      cells.broadcast<&Cell::send>();
      counters.broadcast<&Counter::add>();
      for (std::uint64_t k = 5 * phase; k < 5 * phase + 5; ++k)
        walkers.insert({static_cast<std::int64_t>(k)}, mixed(k));
      if (phase >= 3)
        for (std::uint64_t k = 5 * phase - 15; k < 5 * phase - 10; ++k)
          walkers[{static_cast<std::int64_t>(k)}].send<&Walker::destroy>();
    }
    return system.next_phase();
  }
  /// Ends phases until this one is the current phase. Returns the summary of the last one.
  PhaseSummary run_to(std::int64_t phase) {
    PhaseSummary last;
    while (recorder.phase() < phase) last = step();
    return last;
  }

  Elements elements() {
    Elements mine;
    const auto add = [&](std::uint64_t collection, std::uint64_t number, std::uint64_t state) {
      ++mine.count;
      mine.digest += mixed(mixed(mixed(collection) + number) + state);
    };
    cells.for_each_local([&](const Cell& cell) {
      add(0, cells.bounds().number_of(cell.index()), mixed(cell.state + mixed(cell.received)) + cell.steps);
    });
    walkers.for_each_local(
        [&](const Walker& walker) { add(1, walkers.bounds().number_of(walker.index()), walker.state); });
    return {recorder.communicator().sum(mine.count), recorder.communicator().sum(mine.digest)};
  }

  LoadRecorder recorder;
  ObjectSystem system;
  Collection<Cell> cells;
  ObjGroup<Counter> counters;
  Collection<Walker> walkers;
};

/// Fixture with a directory that all ranks share.
class RestartTest : public ::testing::Test {
 protected:
  void TearDown() override { world.barrier(); }

  /// Runs `work(communicator)` on the first ranks, while the others wait. Collective.
  template <class Work>
  void on_first_ranks(int ranks, const Work& work) const {
    MPI_Comm handle = MPI_COMM_NULL;
    MPI_Comm_split(world.handle(), world.rank() < ranks ? 0 : MPI_UNDEFINED, world.rank(), &handle);
    if (handle != MPI_COMM_NULL) {
      const mpi::Communicator communicator(handle);
      MPI_Comm_free(&handle);
      work(communicator);
    }
    world.barrier();
  }
  /// Runs `change` on rank 0, while the others wait.
  template <class Change>
  void on_rank_0(const Change& change) const {
    world.barrier();
    if (world.rank() == 0) change();
    world.barrier();
  }

  const mpi::Communicator world{MPI_COMM_WORLD};
  const std::optional<TemporaryFolder> folder_of_rank_0 =
      world.rank() == 0 ? std::make_optional<TemporaryFolder>() : std::nullopt;
  const std::string folder = world.broadcast(world.rank() == 0 ? *folder_of_rank_0 / "checkpoint" : "");
};

}  // namespace plimsoll::testing
