#include "collectives/merging/merged_backtraces.hpp"

#include <map>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void add_ids(const LogRun& run, NumberList& ids) {
  if (run.id_step == 1) {
    ids.append({run.first_id, run.last_id()});
  } else {
    for (std::uint64_t id = run.first_id; id <= run.last_id(); id += run.id_step) ids.push_back(id);
  }
}

}  // namespace

std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names) {
  using Place = std::pair<std::uint8_t, std::uint32_t>;        // operation, number of the backtrace
  std::map<Place, std::map<std::uint32_t, NumberList>> calls;  // keyed by communicator
  for (const auto& [key, runs] : lead.calls) {
    if (key.subject != rank_log::Subject::backtrace) continue;
    if (!ids.contains(&lead.communicators[key.communicator])) continue;
    for (const LogRun& run : runs.runs()) add_ids(run, calls[{key.operation, run.item}][key.communicator]);
  }
  std::vector<Backtrace> backtraces;
  for (const auto& [place, by_communicator] : calls) {
    Backtrace& backtrace = backtraces.emplace_back();
    backtrace.operation = Operation::at(place.first);
    backtrace.program = lead.program;
    backtrace.pid = lead.pid;
    for (const rank_log::Frame& frame : lead.backtraces[place.second])
      backtrace.frames.push_back(names.describe(
          frame.module < lead.modules.size() ? lead.modules[frame.module] : "?", frame.offset));
    for (const auto& [number, of_communicator] : by_communicator)
      backtrace.contexts.push_back({.communicator = ids.at(&lead.communicators[number]),
                                    .comm_rank = 0,
                                    .world_rank = lead.world_rank,
                                    .calls = of_communicator.ascending()});
  }
  return backtraces;
}

}  // namespace plimsoll::collectives
