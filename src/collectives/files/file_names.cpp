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

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

// Words for each kind of time file; the first one is used for writing.
constexpr support::Named<FileKind> kind_words[] = {
    {"execution_times", FileKind::execution_times},
    {"exec_timings", FileKind::execution_times},
    {"execution_timings", FileKind::execution_times},
    {"late_arrival_times", FileKind::late_arrival_times},
    {"late_arrivals_timings", FileKind::late_arrival_times},
    {"late_arrival_timings", FileKind::late_arrival_times},
    {"late_arrivals_times", FileKind::late_arrival_times},
    {"timestamps", FileKind::timestamps},
    {"content_hashes", FileKind::content_hashes},
    {"locations", FileKind::locations},
    {"comm_data", FileKind::communicator_data},
    {"backtrace", FileKind::backtrace},
};

/// Removes a number from the text, unless it is already known.
template <class Number>
bool take_new_number(std::string_view& text, std::optional<Number>& number) {
  Number value = 0;
  if (number || !take_number(text, value)) return false;
  number = value;
  return true;
}

/// Removes an operation's name and the following separator from the front of the text, and returns the
/// operation.
std::optional<Operation> skip_operation(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<Operation> operation = Operation::named(text.substr(0, end));
  if (operation) text.remove_prefix(end + separator.size());
  return operation;
}

/// Reads a name such as "recv-displs.job0.rank2.txt".
std::optional<FileName> parse_blocks(std::string_view text) {
  FileName name{.direction = text.starts_with("send-") ? Direction::send : Direction::recv};
  if (!take(text, "send-") && !take(text, "recv-")) return std::nullopt;
  name.kind = text.starts_with("counters") ? FileKind::counts : FileKind::displacements;
  if (!take(text, "counters") && !take(text, "displs")) return std::nullopt;
  const bool rest = take(text, ".job") && take_new_number(text, name.job) && take(text, ".rank") &&
                    take_number(text, name.lead) && text == ".txt";
  return rest ? std::optional(name) : std::nullopt;
}

/// Reads a name such as "counts-rank0_call7.md" or "counts.alltoallw.rank0_call7.md".
std::optional<FileName> parse_call(std::string_view text) {
  FileName name{.kind = FileKind::call};
  if (!take(text, "counts")) return std::nullopt;
  const std::string_view separator = text.substr(0, 1);
  if (separator != "-" && separator != ".") return std::nullopt;
  take(text, separator);
  name.operation = skip_operation(text, separator);
  const bool rest = take(text, "rank") && take_number(text, name.lead) && take(text, "_call") &&
                    take_number(text, name.call) && text == ".md" && name.call <= largest_id;
  return rest ? std::optional(name) : std::nullopt;
}

/// Reads a name such as "profile_alltoallv_job0.rank2.md".
std::optional<FileName> parse_summary(std::string_view text) {
  FileName name{.kind = FileKind::summary};
  if (!take(text, "profile_")) return std::nullopt;
  name.operation = skip_operation(text, "_job");
  const bool rest = name.operation && take_new_number(text, name.job) && take(text, ".rank") &&
                    take_number(text, name.lead) && text == ".md";
  return rest ? std::optional(name) : std::nullopt;
}

/// Reads "collectives.job0.json" or "collectives.job0.profile".
std::optional<FileName> parse_index(std::string_view text) {
  FileName name;
  if (!take(text, "collectives.job") || !take_new_number(text, name.job)) return std::nullopt;
  name.kind = text == ".profile" ? FileKind::profile : FileKind::index;
  return text == ".profile" || text == ".json" ? std::optional(name) : std::nullopt;
}

/// The parts after the kind of a time file: ".rank0_comm1_job2".
struct Parts {
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> communicator;
  std::optional<std::uint32_t> trace;
  std::optional<std::uint64_t> job;

  bool take_from(std::string_view& text) {
    if (!take(text, "_") && !take(text, ".")) return false;
    const auto numbered = [&](std::string_view word, auto& number) {
      if (!take(text, word)) return false;
      take(text, "_");
      return take_new_number(text, number);
    };
    return numbered("rank", rank) || numbered("comm", communicator) || numbered("trace", trace) ||
           numbered("job", job);
  }

  /// Returns whether these are the parts that a kind needs.
  bool fit(FileKind kind) const {
    const bool by_trace = kind == FileKind::backtrace;
    const bool by_communicator = !by_trace && kind != FileKind::communicator_data;
    return rank && trace.has_value() == by_trace && communicator.has_value() == by_communicator;
  }
};

std::optional<FileName> parse_time_file(std::string_view text) {
  if (text.ends_with(".md")) text.remove_suffix(3);
  for (const auto& [word, kind] : kind_words) {
    const std::string separator = fmt::format("_{}", word);
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) continue;
    const std::optional<Operation> operation = Operation::named(text.substr(0, at));
    std::string_view rest = text.substr(at + separator.size());
    Parts parts;
    bool sound = operation.has_value();
    while (sound && !rest.empty()) sound = parts.take_from(rest);
    if (!sound) continue;
    if (!parts.fit(kind)) return std::nullopt;
    return FileName{.kind = kind,
                    .operation = operation,
                    .job = parts.job,
                    .lead = *parts.rank,
                    .communicator = parts.communicator.value_or(0),
                    .trace = parts.trace.value_or(0)};
  }
  return std::nullopt;
}

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  support::for_each_entry(folder.string(), [&](const support::FolderEntry& entry) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  });
  std::ranges::sort(files);
  return files;
}

class Sorter {
 public:
  explicit Sorter(std::vector<Diagnostic>& findings) : findings_(findings) {}

  void add(const fs::path& path, bool named) {
    std::error_code code;
    const fs::path canonical = fs::weakly_canonical(path, code);
    if (!seen_.insert(code ? path.string() : canonical.string()).second) return;
    if (const auto name = FileName::parse(path.filename().string()))
      add(path, *name);
    else if (named)
      findings_.push_back(
          {.check = "counts",
           .what = "unknown file name",
           .file = path.string(),
           .suggestion =
               "use the original names of the profiler's files, e.g. send-counters.job0.rank0.txt"});
  }

  InputFiles take() {
    for (auto& [key, pair] : pairs_) files_.blocks.push_back(std::move(pair));
    for (InputFile& call : files_.calls) {
      const std::set<std::uint64_t>& jobs = jobs_[fs::path(call.path).parent_path()];
      call.name.job = jobs.size() == 1 ? *jobs.begin() : 0;
    }
    std::ranges::stable_sort(files_.calls, {}, [](const InputFile& call) {
      const std::size_t operation = call.name.operation ? call.name.operation->index() + 1 : 0;
      return std::tuple(call.name.job, call.name.lead, operation, call.name.call);
    });
    std::stable_partition(files_.time_files.begin(), files_.time_files.end(),
                          [](const InputFile& file) { return file.name.job.has_value(); });
    return std::move(files_);
  }

 private:
  void add(const fs::path& path, const FileName& name) {
    if (name.job) jobs_[path.parent_path()].insert(*name.job);
    switch (name.kind) {
      case FileKind::counts:
      case FileKind::displacements: {
        InputFiles::Pair& pair = pairs_[{*name.job, name.lead, name.kind, path.parent_path()}];
        pair.name = name;
        (name.direction == Direction::send ? pair.send : pair.recv) = path.string();
        break;
      }
      case FileKind::call: files_.calls.push_back({path.string(), name}); break;
      case FileKind::summary: files_.summaries.push_back({path.string(), name}); break;
      case FileKind::profile: files_.profiles.push_back({path.string(), name}); break;
      case FileKind::mpi_calls: files_.mpi_calls.push_back(path.string()); break;
      default: files_.time_files.push_back({path.string(), name});
    }
  }

  std::vector<Diagnostic>& findings_;
  InputFiles files_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, FileKind, fs::path>, InputFiles::Pair> pairs_;
  std::map<fs::path, std::set<std::uint64_t>> jobs_;
  std::set<std::string> seen_;
};

}  // namespace

std::string FileName::text(bool dotted) const {
  const std::string name = operation ? operation->lower_case_name() : "";
  const std::string begin = fmt::format("{}_{}", name, support::name_of(kind_words, kind));
  const std::string end = (job ? fmt::format("_job{}", *job) : "") + ".md";
  const char* const separator = dotted ? "." : "-";
  switch (kind) {
    case FileKind::counts:
    case FileKind::displacements:
      return fmt::format("{}-{}.job{}.rank{}.txt", direction == Direction::send ? "send" : "recv",
                         kind == FileKind::counts ? "counters" : "displs", job.value_or(0), lead);
    case FileKind::call:
      return fmt::format("counts{}{}{}rank{}_call{}.md", operation ? separator : "", name, separator, lead,
                         call);
    case FileKind::summary: return fmt::format("profile_{}_job{}.rank{}.md", name, job.value_or(0), lead);
    case FileKind::locations: return fmt::format("{}_comm{}_rank{}{}", begin, communicator, lead, end);
    case FileKind::communicator_data: return fmt::format("{}_rank{}{}", begin, lead, end);
    case FileKind::backtrace: return fmt::format("{}_rank{}_trace{}{}", begin, lead, trace, end);
    case FileKind::index: return fmt::format("collectives.job{}.json", job.value_or(0));
    case FileKind::profile: return fmt::format("collectives.job{}.profile", job.value_or(0));
    case FileKind::mpi_calls: return mpi_calls_file_name;
    default: return fmt::format("{}.rank{}_comm{}{}", begin, lead, communicator, end);
  }
}

std::optional<FileName> FileName::parse(std::string_view name) {
  if (name == mpi_calls_file_name) return FileName{.kind = FileKind::mpi_calls};
  for (const auto parse : {parse_blocks, parse_call, parse_summary, parse_index, parse_time_file})
    if (auto parsed = parse(name)) return parsed;
  return std::nullopt;
}

std::size_t InputFiles::size() const {
  std::size_t in_pairs = 0;
  for (const Pair& pair : blocks) in_pairs += std::size_t{pair.send.has_value()} + pair.recv.has_value();
  return in_pairs + calls.size() + summaries.size() + time_files.size() + profiles.size();
}

std::vector<InputFile> InputFiles::texts() const {
  std::vector<InputFile> files;
  for (const Pair& pair : blocks)
    for (const auto& path : {pair.send, pair.recv})
      if (path) files.push_back({*path, pair.name});
  for (const auto* kind : {&calls, &summaries, &time_files})
    files.insert(files.end(), kind->begin(), kind->end());
  return files;
}

void InputFiles::remove(const std::set<std::string>& paths) {
  for (Pair& pair : blocks)
    for (auto* path : {&pair.send, &pair.recv})
      if (*path && paths.contains(**path)) path->reset();
  std::erase_if(blocks, [](const Pair& pair) { return !pair.send && !pair.recv; });
  for (auto* kind : {&calls, &summaries, &time_files})
    std::erase_if(*kind, [&](const InputFile& file) { return paths.contains(file.path); });
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
