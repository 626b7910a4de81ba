// Restarts with other options of the collection than those of the program that wrote the checkpoint.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "objects/system/element_data.hpp"
#include "objects/system/restart_program.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::int64_t n_elements = 12;
constexpr double load_s = 100;  ///< of elements that are not measured

/// Properties of a collection, or of one of its elements.
struct Properties {
  bool migratable = true;
  bool measured = true;
};

/// Element of which the positions 3 k choose to be neither migratable nor measured, and 3 k + 1 the opposite.
struct Chooser : Element<Chooser> {
  Chooser() = default;
  explicit Chooser(const Properties& options) {
    if (choice()) {
      uses_auto_measure(*choice());
      if (options.migratable) set_migratable(*choice());
    }
  }
  std::optional<bool> choice() const {
    return index()[0] % 3 == 2 ? std::nullopt : std::optional(index()[0] % 3 == 1);
  }
  double user_set_lb_load() override { return load_s; }
  template <class Archive>
  void serialize(Archive&) {}
};

/// A program with one collection, which ends a phase after it has restored a checkpoint.
struct Program {
  Program(const Properties& options, const Settings& settings, const std::string& restored = {})
      : recorder(MPI_COMM_WORLD, settings),
        system(recorder, {.restore = restored}),
        choosers(system,
                 {.bounds = {{n_elements}}, .migratable = options.migratable, .measured = options.measured},
                 options) {}

  LoadRecorder recorder;
  ObjectSystem system;
  Collection<Chooser> choosers;
};

using RestartOptions = RestartTest;
using RestartedElements = RestartTest;

TEST_F(RestartOptions, ApplyToElementsThatHaveNotChosen) {
  const Properties combinations[] = {{true, true}, {true, false}, {false, true}, {false, false}};
  for (const Properties& before : combinations) {
    {
      Program program(before, RestartProgram::quiet());
      program.system.next_phase();
      program.system.checkpoint(folder);
    }
    for (const Properties& after : combinations) {
      SCOPED_TRACE(std::to_string(before.migratable) + std::to_string(before.measured) + ", then " +
                   std::to_string(after.migratable) + std::to_string(after.measured));
      Settings settings = RestartProgram::quiet();
      settings.lb_data = true;
      settings.lb_data_dir = folder + "-data";
      Program program(after, settings, folder);
      program.system.next_phase();
      program.choosers.for_each_local([&](const Chooser& chooser) {
        const std::optional<bool> saved = before.migratable ? chooser.choice() : std::nullopt;
        EXPECT_EQ(chooser.is_migratable(), after.migratable && saved.value_or(true)) << chooser.index()[0];
        const bool is_measured = chooser.choice().value_or(after.measured);
        EXPECT_EQ(element_loads_s(program.recorder).at(chooser.index()[0]) < load_s, is_measured)
            << chooser.index()[0];
      });
      program.recorder.close();
      on_rank_0([&] { std::filesystem::remove_all(settings.lb_data_dir); });
    }
  }
}

TEST_F(RestartOptions, ApplyAfterSeveralRestarts) {
  { Program({true, true}, RestartProgram::quiet()).system.checkpoint(folder); }
  { Program({false, true}, RestartProgram::quiet(), folder).system.checkpoint(folder); }
  Program program({true, true}, RestartProgram::quiet(), folder);
  program.choosers.for_each_local([](const Chooser& chooser) {
    EXPECT_EQ(chooser.is_migratable(), chooser.choice().value_or(true)) << chooser.index()[0];
  });
}

/// Element that notes how many elements exist when it is constructed.
struct Census : Element<Census> {
  std::uint64_t count_in_constructor = collection().count();
  void end() { destroy(); }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST_F(RestartedElements, KnowTheirNumberInTheConstructor) {
  const auto run = [&](const std::string& restored, const auto& work) {
    LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
    ObjectSystem system(recorder, {.restore = restored});
    Collection<Census> elements(system, {.bounds = {{20}}});
    work(system, elements);
  };
  run("", [&](ObjectSystem& system, Collection<Census>& elements) {
    if (system.rank() == 0)
      for (const std::int64_t position : {3, 4, 19}) elements[{position}].send<&Census::end>();
    system.checkpoint(folder);
  });
  run(folder, [&](ObjectSystem&, Collection<Census>& elements) {
    EXPECT_EQ(elements.count(), 17U);
    elements.for_each_local([](const Census& element) { EXPECT_EQ(element.count_in_constructor, 17U); });
  });
}

}  // namespace
}  // namespace plimsoll::testing
