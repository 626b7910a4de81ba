#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_file.hpp>

#include "lbdata/json/data_file_format.hpp"
#include "lbdata/repair/phase_rescue.hpp"

namespace plimsoll::lbdata {

namespace {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  return path.ends_with(".partial");
}

/// The name that a stream gets when it is closed; of other files their own.
std::string final_path(const std::string& path) {
  const fs::path name(path);
  return name.extension() == ".partial" || name.extension() == ".pending"
             ? fs::path(name).replace_extension().string()
             : path;
}

/// The folder of a file, as a name that can be opened.
std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Where a file comes into being beside where it is to be: the `.partial` of that name may be what is read.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& target)
      : path_(folder_of(target) + "/.plimsoll-repair-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw support::system_error("cannot write into the folder", folder_of(target), errno,
                                  "check name and permissions, or write elsewhere");
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file() const { return path_ + "/repaired"; }

 private:
  std::string path_;
};

/// Keeps other repairs away from a stream, if its writer does not: that one has locked it. What cannot be
/// opened is left to who reads it.
support::Descriptor lock_stream(const std::string& path) {
  support::Descriptor stream(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (stream.is_open() && ::flock(stream.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(ErrorKind::usage,
                {.what = "is still being written",
                 .file = path,
                 .suggestion = "wait for the program that writes it, or keep what it has so "
                               "far in another file (-o)"});
  return stream;
}

void remove_file(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code) throw support::system_error("was repaired, but cannot be removed", path, code.value());
}

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

void require_absent(const std::string& path) {
  if (!exists(path)) return;
  throw Error(ErrorKind::usage, {.what = "exists already",
                                 .file = path,
                                 .suggestion = "name another file to write (-o), or replace it (--force)"});
}

Error not_a_data_file(const RepairResult& result) {
  Diagnostic diagnostic = result.damage ? *result.damage : result.findings.front();
  if (!result.findings.empty()) diagnostic = result.findings.front();
  diagnostic.what = "nothing shows that this is an LB data file: " + diagnostic.what;
  diagnostic.file = result.file;
  diagnostic.suggestion = "name LB data files, whole, cut or as a stream (.partial)";
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

void rescue_phases(support::TextSource& source, const std::string& to, const WriteOptions& write,
                   const support::SizeLimits& limits, RepairResult& result) {
  const std::string& path = result.file;
  PhaseRescue rescue(to, rank_of_file(final_path(path)), write, result);
  rescue.read(source);
  const std::string pending = final_path(path) + ".pending";
  if (is_stream(path) && exists(pending)) {
    std::string text = support::read_text_file(pending, limits.max_bytes);
    text.resize(std::min(text.find('\0'), text.size()));  // what follows is of phases that the stream has
    support::TextSource more(text, pending, data_file_format, limits);
    rescue.read_pending(more);
  }
  // A program that was killed early may have left nothing yet.
  const bool empty_stream = is_stream(path) && source.file_bytes() == 0;
  if (!empty_stream && !rescue.recognised()) throw not_a_data_file(result);
  rescue.finish();
}

/// Whether all that could be read of a stream was kept, and the rest is but the end of a phase.
bool used_up(const RepairResult& result) {
  return (!result.damage || result.cut) && result.unreadable_phases == 0 && result.repeated_phases == 0 &&
         result.findings.empty();
}

}  // namespace

std::string repaired_name(const std::string& path, bool plain) {
  std::string name = final_path(path);
  if (plain && name.ends_with(".br")) name.resize(name.size() - 3);
  return name;
}

RepairResult repair(const std::string& path, const RepairOptions& options) {
  const bool in_place = options.output.empty();
  const bool replaces_stream = in_place && is_stream(path);
  const std::string target = !in_place         ? options.output
                             : replaces_stream ? repaired_name(path, options.plain)
                                               : path;
  if (!options.overwrite && target != path) require_absent(target);
  const support::Descriptor lock = replaces_stream ? lock_stream(path) : support::Descriptor();

  support::TextSource source(path, data_file_format, options.limits);
  RepairResult result{.file = path};
  const TemporaryFolder folder(target);
  const WriteOptions write{.compress = target.ends_with(".br") && !options.plain};
  rescue_phases(source, folder.file(), write, options.limits, result);
  if (in_place && !is_stream(path)) {
    if (result.whole()) return result;
    if (!options.overwrite) {
      throw Error(ErrorKind::usage,
                  {.what = fmt::format("is cut or damaged; {} of its phases can be kept", result.phases),
                   .file = path,
                   .suggestion = "name a file for them (-o), or replace this one (--force)"});
    }
  }
  support::rename_file(folder.file(), target, options.overwrite);
  result.output = target;
  support::sync_folder(folder_of(target));
  if (!replaces_stream) return result;
  result.stream_stays = !used_up(result);
  if (!result.stream_stays) {
    remove_file(final_path(path) + ".pending");
    remove_file(path);
  }
  return result;
}

std::vector<std::string> streams_of_folder(const std::string& folder) {
  std::vector<std::string> streams;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    std::error_code unknown;
    if (is_stream(entry->path().string()) && !entry->is_directory(unknown))
      streams.push_back(entry->path().string());
  }
  if (code) {
    throw support::system_error("cannot read the folder", folder, code.value(), "check name and permissions");
  }
  std::ranges::sort(streams);
  return streams;
}

}  // namespace plimsoll::lbdata
