#include "collectives/files/file_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <tuple>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/files/counts_files.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

/// Removes an operation's name and the following separator from the front of the text, and returns the
/// operation.
std::optional<Operation> skip_operation(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<Operation> operation = Operation::named(text.substr(0, end));
  if (operation) text.remove_prefix(end + separator.size());
  return operation;
}

}  // namespace

std::string BlocksFileName::to_string() const {
  return fmt::format("{}-{}.job{}.rank{}.txt", direction == Direction::send ? "send" : "recv",
                     content == Content::counts ? "counters" : "displs", job, rank);
}

std::optional<BlocksFileName> BlocksFileName::parse(std::string_view name) {
  BlocksFileName result{};
  if (take(name, "send-")) {
    result.direction = Direction::send;
  } else if (take(name, "recv-")) {
    result.direction = Direction::recv;
  } else {
    return std::nullopt;
  }
  if (take(name, "counters")) {
    result.content = Content::counts;
  } else if (take(name, "displs")) {
    result.content = Content::displacements;
  } else {
    return std::nullopt;
  }
  const bool rest = take(name, ".job") && take_number(name, result.job) && take(name, ".rank") &&
                    take_number(name, result.rank) && name == ".txt";
  return rest ? std::optional(result) : std::nullopt;
}

std::string CallFileName::to_string(bool dotted) const {
  const char separator = dotted ? '.' : '-';
  std::string name = "counts";
  if (operation) name += separator + operation->lower_case_name();
  return fmt::format("{}{}rank{}_call{}.md", name, separator, rank, call);
}

std::optional<CallFileName> CallFileName::parse(std::string_view name) {
  CallFileName result{};
  if (!take(name, "counts")) return std::nullopt;
  const std::string_view separator = name.substr(0, 1);
  if (separator != "-" && separator != ".") return std::nullopt;
  take(name, separator);
  result.operation = skip_operation(name, separator);
  const bool rest = take(name, "rank") && take_number(name, result.rank) && take(name, "_call") &&
                    take_number(name, result.call) && name == ".md" && result.call <= largest_id;
  return rest ? std::optional(result) : std::nullopt;
}

std::string ProfileFileName::to_string() const {
  return fmt::format("profile_{}_job{}.rank{}.md", operation.lower_case_name(), job, rank);
}

std::optional<ProfileFileName> ProfileFileName::parse(std::string_view name) {
  ProfileFileName result{};
  if (!take(name, "profile_")) return std::nullopt;
  const std::optional<Operation> operation = skip_operation(name, "_job");
  if (!operation) return std::nullopt;
  result.operation = *operation;
  const bool rest =
      take_number(name, result.job) && take(name, ".rank") && take_number(name, result.rank) && name == ".md";
  return rest ? std::optional(result) : std::nullopt;
}

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  support::for_each_entry(folder.string(), [&](const fs::directory_entry& entry) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) files.push_back(entry.path());
  });
  std::ranges::sort(files);
  return files;
}

/// Returns the number after "job" in a file's name.
std::optional<std::uint64_t> job_in(const std::string& name) {
  const std::size_t at = name.rfind("job");
  if (at == std::string::npos) return std::nullopt;
  std::string_view number = std::string_view(name).substr(at + 3);
  std::uint64_t job = 0;
  return support::take_number(number, job) ? std::optional(job) : std::nullopt;
}

/// Sorts files by kind as they are added.
class Sorter {
 public:
  explicit Sorter(std::vector<Diagnostic>& findings) : findings_(findings) {}

  void add(const fs::path& path, bool named) {
    std::error_code code;
    const fs::path canonical = fs::weakly_canonical(path, code);
    if (!seen_.insert(code ? path.string() : canonical.string()).second) return;
    const std::string name = path.filename().string();
    if (!add_as_blocks(path, name) && !add_as_call(path, name) && !add_as_summary(path, name) &&
        !add_as_time_file(path, name) && !add_as_mpi_calls(path, name)) {
      if (named) report_unknown(path);
      return;
    }
    if (const auto job = job_in(name)) jobs_[path.parent_path()].insert(*job);
  }

  InputFiles take() {
    for (auto& [key, pair] : pairs_) files_.blocks.push_back(std::move(pair));
    for (InputFiles::Call& call : files_.calls) {
      const std::set<std::uint64_t>& jobs = jobs_[fs::path(call.path).parent_path()];
      call.job = jobs.size() == 1 ? *jobs.begin() : 0;
    }
    std::ranges::stable_sort(files_.calls, {}, [](const InputFiles::Call& call) {
      const std::size_t operation = call.name.operation ? call.name.operation->index() + 1 : 0;
      return std::tuple(call.job, call.name.rank, operation, call.name.call);
    });
    std::stable_partition(files_.time_files.begin(), files_.time_files.end(),
                          [](const auto& file) { return names_job(file.name); });
    return std::move(files_);
  }

 private:
  bool add_as_blocks(const fs::path& path, const std::string& name) {
    const auto parsed = BlocksFileName::parse(name);
    if (!parsed) return false;
    const auto key = std::tuple(parsed->job, parsed->rank, parsed->content, path.parent_path());
    InputFiles::Pair& pair = pairs_[key];
    pair.name = *parsed;
    (parsed->direction == Direction::send ? pair.send : pair.recv) = path.string();
    return true;
  }

  bool add_as_call(const fs::path& path, const std::string& name) {
    const auto parsed = CallFileName::parse(name);
    if (parsed) files_.calls.push_back({path.string(), 0, *parsed});
    return parsed.has_value();
  }

  bool add_as_summary(const fs::path& path, const std::string& name) {
    const auto parsed = ProfileFileName::parse(name);
    if (parsed) files_.summaries.push_back({path.string(), *parsed});
    return parsed.has_value();
  }

  bool add_as_time_file(const fs::path& path, const std::string& name) {
    if (!is_time_file(name)) return false;
    files_.time_files.push_back({path.string(), name});
    return true;
  }

  bool add_as_mpi_calls(const fs::path& path, const std::string& name) {
    if (name != mpi_calls_file_name) return false;
    files_.mpi_calls.push_back(path.string());
    return true;
  }

  void report_unknown(const fs::path& path) {
    findings_.push_back(
        {.check = "counts",
         .what = "unknown file name",
         .file = path.string(),
         .suggestion = "use the original names of the profiler's files, e.g. send-counters.job0.rank0.txt"});
  }

  std::vector<Diagnostic>& findings_;
  InputFiles files_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, Content, fs::path>, InputFiles::Pair> pairs_;
  std::map<fs::path, std::set<std::uint64_t>> jobs_;
  std::set<std::string> seen_;
};

}  // namespace

std::size_t InputFiles::size() const {
  std::size_t in_pairs = 0;
  for (const Pair& pair : blocks) in_pairs += std::size_t{pair.send.has_value()} + pair.recv.has_value();
  return in_pairs + calls.size() + summaries.size() + time_files.size();
}

InputFiles find_files(const std::vector<std::string>& paths, std::vector<Diagnostic>& findings) {
  Sorter sorter(findings);
  for (const std::string& path : paths) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status))
      throw support::system_error("cannot open", path, code ? code.value() : ENOENT, "check the name");
    if (fs::is_directory(status)) {
      for (const fs::path& file : files_in(path)) sorter.add(file, false);
    } else {
      sorter.add(path, true);
    }
  }
  return sorter.take();
}

}  // namespace plimsoll::collectives
