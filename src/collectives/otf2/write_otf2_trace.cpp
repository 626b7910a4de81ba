#include <plimsoll/collectives/internal/used_libraries.hpp>
#include <plimsoll/collectives/traces.hpp>
#include <plimsoll/support/error.hpp>

#ifdef PLIMSOLL_OTF2_LIBRARY
#include <fmt/format.h>
#include <otf2/otf2.h>

#include <cstdarg>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>

#include "collectives/analysis/timeline.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace fs = std::filesystem;

namespace {

/// OTF2, which is loaded when it is first used. Throws Error (system) if that fails.
struct Otf2 {
  support::LoadedLibrary library{PLIMSOLL_OTF2_LIBRARY};
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_Close);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_CloseDefFiles);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_CloseDefWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_CloseEvtFiles);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_CloseEvtWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_CloseGlobalDefWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_GetDefWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_GetEvtWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_GetGlobalDefWriter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_Open);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_OpenDefFiles);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_OpenEvtFiles);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_SetCreator);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_SetFlushCallbacks);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Archive_SetSerialCollectiveCallbacks);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Error_GetDescription);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, Error_RegisterCallback);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, EvtWriter_Enter);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, EvtWriter_GetNumberOfEvents);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, EvtWriter_Leave);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, EvtWriter_MpiCollectiveBegin);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, EvtWriter_MpiCollectiveEnd);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteClockProperties);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteComm);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteGroup);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteInterComm);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteLocation);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteLocationGroup);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteRegion);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteString);
  PLIMSOLL_LOADED_FUNCTION(OTF2_, GlobalDefWriter_WriteSystemTreeNode);

  Otf2() { library.expect_usable("OTF2", "export to another format (--format)"); }
};

const Otf2& otf2() {
  static const Otf2 loaded;
  return loaded;
}

/// Keeps the library from printing errors, and throws them instead.
class ErrorReports {
 public:
  ErrorReports() : previous_(otf2().Error_RegisterCallback(&ErrorReports::ignore, nullptr)) {}
  ErrorReports(const ErrorReports&) = delete;
  ErrorReports& operator=(const ErrorReports&) = delete;
  ~ErrorReports() { otf2().Error_RegisterCallback(previous_, nullptr); }

 private:
  static OTF2_ErrorCode ignore(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                               const char*, std::va_list) {
    return code;
  }
  OTF2_ErrorCallback previous_;
};

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

std::optional<OTF2_CollectiveOp> collective_of(Operation operation) {
  if (operation.mode != Mode::blocking || operation.neighborhood) return std::nullopt;
  switch (operation.exchange) {
    case Exchange::alltoall: return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Exchange::alltoallv: return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Exchange::alltoallw: return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Exchange::allgatherv: return OTF2_COLLECTIVE_OP_ALLGATHERV;
  }
  return std::nullopt;
}

class ArchiveWriter {
 public:
  ArchiveWriter(const Timeline& timeline, const std::string& folder) : timeline_(timeline), folder_(folder) {
    archive_.reset(otf2().Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE,
                                       OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive_) fail("the OTF2 library refuses to create it");
  }

  void write() {
    check(otf2().Archive_SetFlushCallbacks(archive_.get(), &flush_callbacks, nullptr));
    check(otf2().Archive_SetSerialCollectiveCallbacks(archive_.get()));
    check(otf2().Archive_SetCreator(archive_.get(), "plimsoll collectives export"));
    write_events();
    write_local_definitions();
    write_definitions();
    check(otf2().Archive_Close(archive_.release()));
  }

 private:
  /// Throws an error. The library does not tell a full disk from other causes.
  [[noreturn]] void fail(const std::string& reason) const {
    std::error_code unknown;
    const fs::space_info space = fs::space(folder_, unknown);
    throw support::Error(
        support::ErrorKind::system,
        {.what = "cannot write the trace: " + reason,
         .file = folder_,
         .suggestion = unknown ? "check the disk"
                               : fmt::format("check the disk, of which {} are free, and limits of file sizes",
                                             support::format_bytes(space.available))});
  }

  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail(otf2().Error_GetDescription(code));
  }

  void write_events() {
    check(otf2().Archive_OpenEvtFiles(archive_.get()));
    for (std::size_t location = 0; location < timeline_.tracks.size(); ++location) {
      OTF2_EvtWriter* const writer = otf2().Archive_GetEvtWriter(archive_.get(), location);
      if (!writer) fail("the OTF2 library refuses to write events");
      for (const TraceCall& call : timeline_.tracks[location].calls) write_call(*writer, call);
      std::uint64_t events = 0;
      check(otf2().EvtWriter_GetNumberOfEvents(writer, &events));
      events_.push_back(events);
      check(otf2().Archive_CloseEvtWriter(archive_.get(), writer));
    }
    check(otf2().Archive_CloseEvtFiles(archive_.get()));
  }

  void write_call(OTF2_EvtWriter& writer, const TraceCall& call) {
    const OTF2_RegionRef region =
        regions_.try_emplace(call.operation.index(), static_cast<OTF2_RegionRef>(regions_.size()))
            .first->second;
    const std::optional<OTF2_CollectiveOp> collective = collective_of(call.operation);
    check(otf2().EvtWriter_Enter(&writer, nullptr, call.begin_ns, region));
    if (collective) {
      check(otf2().EvtWriter_MpiCollectiveBegin(&writer, nullptr, call.begin_ns));
      check(otf2().EvtWriter_MpiCollectiveEnd(&writer, nullptr, call.end_ns, *collective, call.communicator,
                                              OTF2_COLLECTIVE_ROOT_NONE, call.sent_bytes,
                                              call.received_bytes));
    }
    check(otf2().EvtWriter_Leave(&writer, nullptr, call.end_ns, region));
  }

  /// Readers require a file of definitions per location, even if it is empty.
  void write_local_definitions() {
    check(otf2().Archive_OpenDefFiles(archive_.get()));
    for (std::size_t location = 0; location < timeline_.tracks.size(); ++location)
      check(otf2().Archive_CloseDefWriter(archive_.get(),
                                          otf2().Archive_GetDefWriter(archive_.get(), location)));
    check(otf2().Archive_CloseDefFiles(archive_.get()));
  }

  void write_definitions() {
    definitions_ = otf2().Archive_GetGlobalDefWriter(archive_.get());
    if (!definitions_) fail("the OTF2 library refuses to write definitions");
    constexpr std::uint64_t ns_per_s = 1'000'000'000;
    check(otf2().GlobalDefWriter_WriteClockProperties(definitions_, ns_per_s, 0, timeline_.end_ns,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    write_regions();
    write_locations();
    write_communicators();
    check(otf2().Archive_CloseGlobalDefWriter(archive_.get(), definitions_));
  }

  /// Returns the number of a string, which is written at its first use.
  OTF2_StringRef text(const std::string& string) {
    const auto [found, is_new] = strings_.try_emplace(string, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) check(otf2().GlobalDefWriter_WriteString(definitions_, found->second, string.c_str()));
    return found->second;
  }

  void write_regions() {
    for (const auto& [operation, region] : regions_) {
      const OTF2_StringRef name = text("MPI_" + Operation::at(operation).name());
      check(otf2().GlobalDefWriter_WriteRegion(definitions_, region, name, name, text(""),
                                               OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI,
                                               OTF2_REGION_FLAG_NONE, text(""), 0, 0));
    }
  }

  /// Writes one process per rank, below the node of its host, and its locations.
  void write_locations() {
    check(otf2().GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, text("program"), text("machine"),
                                                     OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::unordered_map<std::string, OTF2_SystemTreeNodeRef> nodes;
    for (std::size_t location = 0; location < timeline_.tracks.size(); ++location) {
      const Track& track = timeline_.tracks[location];
      const std::string& host = timeline_.hosts.at(track.rank);
      const auto [node, is_new] =
          nodes.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1));
      if (is_new)
        check(otf2().GlobalDefWriter_WriteSystemTreeNode(
            definitions_, node->second, text(host.empty() ? "unknown host" : host), text("node"), 0));
      const std::string rank = fmt::format("rank {}", track.rank);
      if (track.thread == 0)
        check(otf2().GlobalDefWriter_WriteLocationGroup(definitions_, track.rank, text(rank),
                                                        OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second,
                                                        OTF2_UNDEFINED_LOCATION_GROUP));
      check(otf2().GlobalDefWriter_WriteLocation(
          definitions_, location,
          text(track.thread == 0 ? rank : fmt::format("{} thread {}", rank, track.thread)),
          OTF2_LOCATION_TYPE_CPU_THREAD, events_[location], track.rank));
      if (track.thread == 0) mpi_locations_.push_back(location);
    }
  }

  OTF2_GroupRef write_group(const std::string& name, OTF2_GroupType type,
                            const std::vector<std::uint64_t>& members) {
    check(otf2().GlobalDefWriter_WriteGroup(definitions_, groups_, text(name), type, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                            members.data()));
    return groups_++;
  }

  /// Members of groups are ranks, i.e. positions in the group of all locations that call MPI.
  void write_communicators() {
    write_group("MPI ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, mpi_locations_);
    OTF2_CommRef number = 0;
    for (const TraceCommunicator& communicator : timeline_.communicators) {
      const std::string name =
          fmt::format("communicator {} of lead rank {}", communicator.id, communicator.lead);
      const OTF2_GroupRef group = write_group(name, OTF2_GROUP_TYPE_COMM_GROUP, communicator.members);
      if (communicator.remote_members.empty()) {
        check(otf2().GlobalDefWriter_WriteComm(definitions_, number, text(name), group, OTF2_UNDEFINED_COMM,
                                               OTF2_COMM_FLAG_NONE));
      } else {
        const OTF2_GroupRef remote =
            write_group(name + ", remote group", OTF2_GROUP_TYPE_COMM_GROUP, communicator.remote_members);
        check(otf2().GlobalDefWriter_WriteInterComm(definitions_, number, text(name), group, remote,
                                                    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
      }
      ++number;
    }
  }

  struct Close {
    void operator()(OTF2_Archive* archive) const { otf2().Archive_Close(archive); }
  };
  static constexpr OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = &flush,
                                                          .otf2_post_flush = nullptr};

  const ErrorReports error_reports_;
  const Timeline& timeline_;
  const std::string& folder_;
  std::unique_ptr<OTF2_Archive, Close> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::vector<std::uint64_t> events_;  // per location
  std::vector<std::uint64_t> mpi_locations_;
  std::map<std::size_t, OTF2_RegionRef> regions_;  // numbers of the regions, by Operation::index()
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  OTF2_GroupRef groups_ = 0;
};

bool is_file_of_trace(const fs::path& path, const fs::path& folder) {
  const std::string name = path.lexically_relative(folder).generic_string();
  const std::string extension = path.extension().string();
  if (name == "traces" || name == "traces.otf2" || name == "traces.def" || name == "traces.marker")
    return true;
  return name.starts_with("traces/") && (extension == ".evt" || extension == ".def");
}

/// Whether all files in `folder`, a directory of a trace, are files of this trace.
bool contains_only_trace(const fs::path& folder, const fs::path& trace) {
  bool is_trace = true;
  support::for_each_entry(folder.string(), [&](const support::FolderEntry& entry) {
    std::error_code code;
    is_trace = is_trace && is_file_of_trace(entry.path(), trace) &&
               (!fs::is_directory(fs::symlink_status(entry.path(), code)) ||
                contains_only_trace(entry.path(), trace));
  });
  return is_trace;
}

/// Throws Error (usage) if a directory exists and contains other files than those of a trace.
void check_only_trace(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(fs::symlink_status(folder, code))) return;
  if (fs::is_directory(fs::symlink_status(folder, code)) && contains_only_trace(folder, folder)) return;
  throw support::Error(support::ErrorKind::usage, {.what = "not an OTF2 trace: contains other files",
                                                   .file = folder.string(),
                                                   .suggestion = "use another name"});
}

void check_output(const fs::path& folder, bool overwrite) {
  std::error_code code;
  if (overwrite) return check_only_trace(folder);
  if (fs::exists(fs::symlink_status(folder, code))) throw support::already_exists(folder.string());
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) throw support::system_error("cannot rename", from.string(), code.value());
}

/// Gives a directory its name. Another one with this name is moved to `replaced`.
void publish(const fs::path& unfinished, const fs::path& path, const fs::path& replaced) {
  std::error_code code;
  const bool replaces = fs::exists(path, code);
  if (replaces) move(path, replaced);
  try {
    move(unfinished, path);
  } catch (const Error&) {
    if (replaces) move(replaced, path);
    throw;
  }
}

}  // namespace

std::uint64_t write_otf2_trace(const RecordedRun& run, const std::string& folder, bool overwrite) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // without the slash at the end
  check_output(path, overwrite);
  const Timeline timeline = timeline_of(run);
  check_only_trace(path.string() + ".unfinished");
  check_only_trace(path.string() + ".replaced");
  support::make_folder(path.parent_path().string());
  const support::ScratchFolder unfinished(path.string() + ".unfinished");
  const support::ScratchFolder replaced(path.string() + ".replaced");
  ArchiveWriter(timeline, unfinished.path()).write();
  check_output(path, overwrite);
  publish(unfinished.path(), path, replaced.path());
  return timeline.calls;
}

support::UsedLibrary otf2_library() {
  return support::try_library("OTF2", [](support::UsedLibrary& library) {
    static_cast<void>(otf2());
    library.version = OTF2_VERSION " when built";  // only the header contains it
  });
}

}  // namespace plimsoll::collectives

#else

namespace plimsoll::PLIMSOLL_ABI::collectives {

support::UsedLibrary otf2_library() {
  return {.name = "OTF2", .is_built_in = false};
}

std::uint64_t write_otf2_trace(const RecordedRun&, const std::string&, bool) {
  throw support::usage_error("this build of Plimsoll cannot write OTF2 traces",
                             "install the package libopen-trace-format2-dev and rebuild Plimsoll");
}

}  // namespace plimsoll::collectives

#endif
