#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/traces.hpp>

#ifdef PLIMSOLL_WITH_OTF2
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <plimsoll/support/files.hpp>

#include "collectives/analysis/timeline.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

bool is_file_of_trace(const fs::path& path, const fs::path& folder) {
  const std::string name = path.lexically_relative(folder).generic_string();
  const std::string extension = path.extension().string();
  if (name == "traces" || name == "traces.otf2" || name == "traces.def" || name == "traces.marker")
    return true;
  return name.starts_with("traces/") && (extension == ".evt" || extension == ".def");
}

/// Throws Error (usage) if a directory exists and contains other files than those of a trace.
void check_only_trace(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(fs::symlink_status(folder, code))) return;
  bool is_trace = fs::is_directory(fs::symlink_status(folder, code));
  if (is_trace)
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, code))
      is_trace = is_trace && is_file_of_trace(entry.path(), folder);
  if (is_trace && !code) return;
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

/// Directory that is removed at the end of the scope.
class Temporary {
 public:
  explicit Temporary(fs::path path) : path_(std::move(path)) { remove(); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { remove(); }
  const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

}  // namespace

std::uint64_t write_otf2_trace(const RecordedRun& run, const std::string& folder, bool overwrite) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // without the slash at the end
  check_output(path, overwrite);
  const std::vector<std::string> hosts = rank_hosts(run);
  const Timeline timeline = timeline_of(run.profile(), static_cast<std::uint32_t>(hosts.size()));
  if (timeline.calls == 0) throw no_timed_calls();

  check_only_trace(path.string() + ".unfinished");
  check_only_trace(path.string() + ".replaced");
  const Temporary unfinished(path.string() + ".unfinished");
  const Temporary replaced(path.string() + ".replaced");
  support::make_folder(unfinished.path().string());
  write_otf2_archive(timeline, hosts, unfinished.path().string());
  check_output(path, overwrite);
  publish(unfinished.path(), path, replaced.path());
  return timeline.calls;
}

}  // namespace plimsoll::collectives

#else

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::uint64_t write_otf2_trace(const RecordedRun&, const std::string&, bool) {
  throw support::usage_error("this build of Plimsoll cannot write OTF2 traces",
                             "install the package libopen-trace-format2-dev and rebuild Plimsoll");
}

}  // namespace plimsoll::collectives

#endif
