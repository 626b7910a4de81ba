#include <gtest/gtest.h>

#include <plimsoll/collectives/internal/code_places.hpp>
#include <plimsoll/collectives/internal/python_code.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

TEST(PythonCode, IsUnchangedAsModule) {
  const auto line = python_line_of(to_module({"Solver.step", "/home/me/a b/solve.py", 27}));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->function, "Solver.step");
  EXPECT_EQ(line->file, "/home/me/a b/solve.py");
  EXPECT_EQ(line->line, 27);
}

TEST(PythonCode, HasNoControlCharacters) {
  const auto line = python_line_of(to_module({"f", "a\n7\x1b[31m.py", 3}));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->file, "a?7?[31m.py");
  EXPECT_EQ(line->line, 3);
}

TEST(PythonCode, IsNoOtherModule) {
  for (const char* module : {"", "/usr/bin/python3.11", "python", "python\n", "python\nf", "python\nf\n",
                             "python\nf\nsolve.py\nx", "python\nf\nsolve.py\n7 "})
    EXPECT_FALSE(python_line_of(module)) << module;
}

TEST(PythonCode, IsOnePlacePerLine) {
  CodePlaces places;
  const std::string line = to_module({"Solver.step", "/home/me/solve.py", 27});
  const auto place = places.number_of({line, 0x60});
  EXPECT_EQ(places.number_of({line, 0x4c}), place);
  EXPECT_EQ(places.location(place), "python(Solver.step+0x4c) [0x4c] /home/me/solve.py:27");
  EXPECT_EQ(short_location(places.location(place)), "solve.py:27 (Solver.step)");
  EXPECT_NE(places.number_of({to_module({"Solver.step", "/home/me/solve.py", 28}), 0x4c}), place);
}

}  // namespace
}  // namespace plimsoll::collectives
