#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>

#include "runtime/manager/lb_manager.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

/// Returns the path of this rank's recording. Recordings are compressed by default, but vt's default name of
/// the input file is that of an uncompressed file.
std::string recording_of(const Session& session) {
  const std::string path = input_file_path(session.settings(), session.rank());
  for (const std::string& file : {path, path + ".br"})
    if (std::filesystem::exists(file)) return file;
  throw support::bad_input(
      "missing recording", path,
      "use a recording with at least as many ranks as this run, or specify its files with "
      "--vt_lb_data_dir_in and --vt_lb_data_file_in");
}

balance::RecordedPlacement read_placement(const Session& session) {
  std::optional<balance::RecordedPlacement> placement;
  mpi::agreed(session.communicator(),
              [&] { placement = balance::RecordedPlacement::read(recording_of(session)); });
  return std::move(*placement);
}

/// Returns the objects that other ranks have requested, with these ranks.
std::vector<LeavingObject> requested(const std::map<ObjectId, int>& requests, const RankStats& mine) {
  std::unordered_map<ObjectId, std::uint32_t> here;
  for (std::uint32_t object = 0; object < mine.ids.size(); ++object) here.emplace(mine.ids[object], object);
  std::vector<LeavingObject> leaving;
  for (const auto& [id, rank] : requests) leaving.push_back({here.at(id), rank});
  std::ranges::sort(leaving, {}, &LeavingObject::object);
  return leaving;
}
/// Returns the number of migratable objects on this rank that the recording has on no rank. `recorded` are
/// the objects that it has on this rank.
std::int64_t count_unrecorded(const RankStats& mine, const std::vector<ObjectId>& recorded,
                              const std::vector<LeavingObject>& leaving) {
  std::unordered_set<ObjectId> known(recorded.begin(), recorded.end());
  for (const LeavingObject& object : leaving) known.insert(mine.ids[object.object]);
  std::int64_t count = 0;
  for (std::size_t object = 0; object < mine.ids.size(); ++object)
    count += mine.may_migrate(object) && !known.contains(mine.ids[object]) ? 1 : 0;
  return count;
}

}  // namespace

OfflineMigration::OfflineMigration(const Session& session)
    : session_(session), placement_(read_placement(session)) {}

std::vector<LeavingObject> OfflineMigration::leaving(std::int64_t phase, const RankStats& mine,
                                                     Directory& directory) {
  const mpi::Communicator& ranks = session_.communicator();
  if (!ranks.all(placement_.is_recorded(phase + 1)) || !ranks.any(placement_.needs_lb(phase))) return {};
  directory.update(mine.ids);
  std::vector<ObjectId> wanted;
  mpi::agreed(ranks, [&] {
    for (const std::uint64_t id : placement_.objects(phase + 1)) wanted.push_back(ObjectId{id});
  });
  const std::vector<int> owners = directory.owner(wanted);
  const auto write = [&](mpi::Messages& messages) {
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (owners[k] >= 0 && owners[k] != ranks.rank()) messages[owners[k]].value(wanted[k]);
  };
  std::map<ObjectId, int> requests;
  mpi::exchange_messages(ranks, write, [&](int from, mpi::Unpacker& message) {
    const auto id = message.value<ObjectId>();
    const auto [found, is_new] = requests.emplace(id, from);
    if (!is_new)
      throw support::bad_input(
          fmt::format("the recorded placement has {} on rank {} and on rank {}", name_of(id), found->second,
                      from),
          "use data in which each object is on one rank; 'plimsoll validate' checks this");
  });
  std::vector<LeavingObject> leaving;
  std::int64_t only_here = 0;
  mpi::agreed(ranks, [&] {
    leaving = requested(requests, mine);
    only_here = count_unrecorded(mine, wanted, leaving);
  });
  warn_of(std::ranges::count(owners, -1), only_here, phase);
  return leaving;
}

/// Tells once, on rank 0, that the recording has other objects than this run. Collective.
void OfflineMigration::warn_of(std::int64_t only_recorded, std::int64_t only_here, std::int64_t phase) {
  if (has_warned_) return;
  only_recorded = session_.communicator().sum(only_recorded);
  only_here = session_.communicator().sum(only_here);
  if (only_recorded == 0 && only_here == 0) return;
  has_warned_ = true;
  session_.tell(fmt::format(
      "OfflineLB: the recording of phase {} does not fit this run: {} of its objects do not exist "
      "here, and {} objects of this run are not in it and stay where they are",
      phase + 1, only_recorded, only_here));
}

}  // namespace plimsoll::runtime
