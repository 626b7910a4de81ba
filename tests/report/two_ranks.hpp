#pragma once

#include <plimsoll/lbdata/reader.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Data set of two ranks in phases 0 and 1; in phase 1, rank 1 has the data of phase 0.
///
/// Rank 0 has object 3 (migratable, element (1, 2) of collection 7, load 1.5 s, user data) and object 4 (load
/// 0.5 s). Rank 1 has object 5 (migratable, load 3 s). Objects 3 and 5 exchange 100 and 20 bytes.
inline lbdata::Dataset two_ranks() {
  const testing::TemporaryFolder folder;
  const auto phase = [](int id) {
    return R"({"id":)" + std::to_string(id) + R"(,"tasks":[
      {"entity":{"type":"object","id":3,"home":0,"migratable":true,"collection_id":7,"index":[1,2]},"node":0,
       "resource":"cpu","time":1.5,"subphases":[{"id":3,"time":1.0},{"id":7,"time":0.5}],
       "user_defined":{"cost":2,"text":"a,\"b\""}},
      {"entity":{"type":"object","id":4,"home":0,"migratable":false},"node":0,"resource":"cpu","time":0.5}],
      "communications":[
      {"type":"SendRecv","from":{"type":"object","id":3,"home":0,"migratable":true},
       "to":{"type":"object","id":5,"home":1,"migratable":true},"bytes":100.0,"messages":2}]})";
  };
  folder.write("data.0.json", R"({"type":"LBDatafile","metadata":{"type":"LBDatafile","rank":0},"phases":[)" +
                                  phase(0) + "," + phase(1) + "]}");
  folder.write("data.1.json", R"({"type":"LBDatafile","metadata":{"type":"LBDatafile","rank":1,
      "phases":{"count":2,"skipped":{"list":[],"range":[]},"identical_to_previous":{"list":[1],"range":[]}}},"phases":[{"id":0,"tasks":[
      {"entity":{"type":"object","id":5,"home":1,"migratable":true},"node":1,"resource":"cpu","time":3.0}],
      "communications":[
      {"type":"SendRecv","from":{"type":"object","id":5,"home":1,"migratable":true},
       "to":{"type":"object","id":3,"home":0,"migratable":true},"bytes":20.0,"messages":1}]}]})");
  return lbdata::read(lbdata::find_rank_files({folder.path()})).dataset;
}

}  // namespace plimsoll::report
