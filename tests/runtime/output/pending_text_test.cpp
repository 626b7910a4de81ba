#include <gtest/gtest.h>

#include <filesystem>

#include "common/temporary_folder.hpp"
#include "runtime/output/phase_stream.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::TemporaryFolder;

PendingText::Place append(PendingText& text, int id) {
  const lbdata::Dataset no_entities;
  lbdata::PhaseRecord phase;
  phase.id = id;
  return text.append(phase, lbdata::RecordTables(no_entities));
}

/// Returns the file's text up to the first NUL, as repair reads it.
std::string recovered(const TemporaryFolder& folder) {
  const std::string content = folder.read("data.pending");
  return content.substr(0, content.find('\0'));
}

TEST(PendingText, ContainsPhasesSinceLastClear) {
  const TemporaryFolder folder;
  PendingText text(folder / "data.pending");
  append(text, 0);
  EXPECT_EQ(recovered(folder),
            "{\"type\":\"LBDatafile\",\"phases\":[\n"
            R"({"id":0,"tasks":[]})");
  const PendingText::Place second = append(text, 1);
  EXPECT_EQ(recovered(folder),
            "{\"type\":\"LBDatafile\",\"phases\":[\n"
            R"({"id":0,"tasks":[]},{"id":1,"tasks":[]})");
  std::string phase;
  text.read(second, phase);
  EXPECT_EQ(phase, R"({"id":1,"tasks":[]})");

  text.clear();
  append(text, 2);
  EXPECT_EQ(recovered(folder),
            "{\"type\":\"LBDatafile\",\"phases\":[\n"
            R"({"id":2,"tasks":[]})");
}

TEST(PendingText, RemovesOnlyItsOwnFile) {
  const TemporaryFolder folder;
  PendingText own(folder / "data.pending");
  own.remove();
  EXPECT_FALSE(folder.has("data.pending"));

  PendingText replaced(folder / "data.pending");
  std::filesystem::rename(folder / "data.pending", folder / "earlier");
  const PendingText of_new_run(folder / "data.pending");
  replaced.remove();
  EXPECT_TRUE(folder.has("data.pending"));
}

}  // namespace
}  // namespace plimsoll::runtime
