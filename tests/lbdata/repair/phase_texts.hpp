#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/output_file.hpp>

#include "common/temporary_folder.hpp"

// Texts of which the tests of repair() compose files of rank 3.
namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Returns the text of a phase with two tasks and an edge.
inline std::string phase_text(int id) {
  return R"({"communications":[{"bytes":12.5,"from":{"id":3,"type":"object"},"messages":2,"to":{"id":4,"type":"object"},)"
         R"("type":"SendRecv"}],"id":)" +
         std::to_string(id) +
         R"(,"tasks":[{"entity":{"home":0,"id":3,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":0.5},)"
         R"({"entity":{"home":0,"id":4,"migratable":true,"type":"object"},"node":0,"resource":"cpu","subphases":[{"id":0,)"
         R"("time":1.5}],"time":1.5,"user_defined":{"k":["}]",null]}}]})";
}

inline const std::string first_metadata = R"({"metadata":{"rank":3,"type":"LBDatafile"},"phases":[)";
inline const std::string first_type = R"({"type":"LBDatafile","phases":[)";
/// Returns the bytes of a brotli stream that is flushed after each piece.
inline std::string compressed(const std::vector<std::string>& pieces) {
  const plimsoll::testing::TemporaryFolder folder;
  support::OutputFile file(folder / "file", {.brotli = support::BrotliOptions{}});
  for (const std::string& piece : pieces) {
    file.write(piece);
    file.flush();
  }
  file.close();
  return folder.read("file");
}

/// Expects a valid repaired file with exactly these phases.
inline void expect_phases(const RepairResult& result, const std::vector<int>& ids) {
  ValidateOptions options;
  const ValidationReport report = validate({{3, result.output}}, options);
  EXPECT_TRUE(report.valid()) << (report.findings.empty() ? "" : to_string(report.findings.front()));
  const Dataset dataset = read({{3, result.output}}).dataset;
  const auto& phases = dataset.ranks.at(0).phases;
  ASSERT_EQ(phases.size(), ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    EXPECT_EQ(to_json(phases[k], RecordTables(dataset)), phase_text(ids[k]));
  }
  EXPECT_EQ(result.phases, ids.size());
  if (!ids.empty()) {
    EXPECT_EQ(result.first_phase, ids.front());
    EXPECT_EQ(result.last_phase, ids.back());
  }
}

}  // namespace plimsoll::lbdata
