#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "lbdata/repair/repair_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

/// Parts of the name of a file of a data set. `base` refers to the parsed text.
struct ParsedName {
  std::string_view base;
  std::int64_t rank;
};

std::optional<std::int64_t> parse_rank(std::string_view digits) {
  if (digits.starts_with('-')) return std::nullopt;
  return support::parse_number<std::int32_t>(digits);
}

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

/// Parses BASE.<rank>.json[.br].
std::optional<ParsedName> parse_name(std::string_view name) {
  name = without_suffix(name, ".br");
  if (!name.ends_with(".json")) return std::nullopt;
  name = without_suffix(name, ".json");
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto rank = parse_rank(name.substr(dot + 1));
  if (!rank) return std::nullopt;
  return ParsedName{name.substr(0, dot), *rank};
}

/// Parses BASE.json<rank>[.br], which vt uses for a name without %p.
std::optional<ParsedName> parse_appended_name(std::string_view name) {
  name = without_suffix(name, ".br");
  const std::size_t suffix = name.rfind(".json");
  if (suffix == std::string_view::npos) return std::nullopt;
  const auto rank = parse_rank(name.substr(suffix + 5));
  if (!rank) return std::nullopt;
  return ParsedName{name.substr(0, suffix), *rank};
}

std::optional<std::int64_t> rank_between(std::string_view name, std::string_view prefix,
                                         std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size()) return std::nullopt;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  return parse_rank(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
}

/// Returns the name of a file or a partial output file without directory, `.partial` and `.br`.
std::string plain_name(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::string_view name = file;
  for (const char* suffix : {".partial", ".pending", ".unfinished", ".br"})
    name = without_suffix(name, suffix);
  return std::string(name);
}

/// Returns whether a name belongs to a set, given by a name or a pattern with %p for the rank.
bool matches(std::string_view name, std::string_view set) {
  const std::size_t mark = set.find("%p");
  if (mark == std::string_view::npos) return name == set;
  return rank_between(name, set.substr(0, mark), set.substr(mark + 2)).has_value();
}

bool is_directory(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// Calls `visit(name, path, entry)` for every entry of a directory, also for subdirectories.
void for_each_name(
    const fs::path& folder,
    const std::function<void(const std::string&, const fs::path&, const support::FolderEntry&)>& visit) {
  support::for_each_entry(folder.empty() ? "." : folder.string(), [&](const support::FolderEntry& entry) {
    const fs::path name = entry.path().filename();
    visit(name.string(), folder / name, entry);
  });
}

std::map<std::string, std::vector<RankFile>> files_by_base(const fs::path& folder) {
  std::map<std::string, std::vector<RankFile>> bases;
  for_each_name(folder, [&](const std::string& name, const fs::path& path, const auto&) {
    if (const auto parsed = parse_name(name))
      bases[std::string(parsed->base)].push_back({parsed->rank, path.string()});
  });
  std::erase_if(bases, [](const auto& base) {
    return std::ranges::all_of(base.second, is_directory, &RankFile::path);
  });
  // The time in the name of an LBStatsfile may look like a rank.
  std::erase_if(bases,
                [](const auto& base) { return is_readable_statistics_file(base.second.front().path); });
  return bases;
}

Error no_data_files(const fs::path& folder) {
  const auto count = [&](std::string_view suffix) {
    std::size_t files = 0;
    for_each_name(folder, [&](const std::string& name, const fs::path&, const support::FolderEntry& entry) {
      files += name.ends_with(suffix) && !entry.is_directory();
    });
    return files;
  };
  constexpr const char* what = "the directory contains no LB data files";
  if (const std::size_t n_partial = count(".partial"); n_partial > 0)
    return support::bad_input(
        fmt::format("{}, only {} partial file{} (.partial)", what, n_partial, n_partial == 1 ? "" : "s"),
        folder.string(),
        fmt::format("wait for the program that writes them; if it was killed, use {} to complete them",
                    repair_in_place_command(folder.string())));
  if (count(".pending") > 0)
    return support::bad_input(
        what, folder.string(),
        fmt::format("a killed program left pending phases (.pending); use {} to keep them",
                    copy_folder_command(folder.string())));
  if (const std::size_t n_unfinished = count(".unfinished"); n_unfinished > 0)
    return support::bad_input(
        fmt::format("{}, only {} unfinished file{} (.unfinished)", what, n_unfinished,
                    n_unfinished == 1 ? "" : "s"),
        folder.string(),
        "wait for the command that writes them; if it was killed, repeat it, or use 'plimsoll repair FILE -o "
        "OUTPUT' to recover single files");
  return support::bad_input(
      what, folder.string(),
      "use files named BASE.<rank>.json or BASE.<rank>.json.br; for other names specify "
      "a pattern with %p for the rank");
}

std::vector<RankFile> files_of_folder(const fs::path& folder) {
  auto bases = files_by_base(folder);
  if (bases.empty()) throw no_data_files(folder);
  if (bases.size() == 1) return std::move(bases.begin()->second);

  std::vector<std::string> names;
  for (const auto& [base, files] : bases) names.push_back(support::in_quotes(base));
  throw support::usage_error(
      fmt::format("the directory contains {} data sets: {}", bases.size(), support::listed(names, 5)),
      folder.string(),
      fmt::format("specify one, e.g. {}", support::in_quotes((folder / bases.begin()->first).string())));
}

std::vector<RankFile> files_of_stem(const fs::path& stem) {
  const fs::path folder = stem.parent_path();
  const std::string base = stem.filename().string();
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw support::system_error("cannot be found", stem.string(), ENOENT, "check the name");
  }
  auto bases = files_by_base(folder);
  if (const auto found = bases.find(base); found != bases.end()) return std::move(found->second);

  std::vector<std::string> known;
  known.reserve(bases.size());
  for (const auto& [name, files] : bases) known.push_back(name);
  // Compare only the bases: in a long directory path, all paths are similar.
  const std::string meant = support::nearest(base, known);
  throw support::system_error("cannot be found", stem.string(), ENOENT,
                              meant.empty()
                                  ? "specify a directory, DIR/BASE, a file, or a pattern with %p for the rank"
                                  : support::did_you_mean(stem.string(), {(folder / meant).string()}));
}

std::vector<RankFile> files_of_pattern(const fs::path& pattern) {
  const std::string name = pattern.filename().string();
  const std::size_t mark = name.find("%p");
  if (mark == std::string::npos) {
    throw support::usage_error(
        fmt::format("{} contains %p in a directory name", support::in_quotes(pattern.string())),
        "use %p for the rank in the file name only");
  }
  const std::string_view prefix = std::string_view(name).substr(0, mark);
  const std::string_view suffix = without_suffix(std::string_view(name).substr(mark + 2), ".br");
  const bool only_compressed = name.ends_with(".br");
  std::vector<RankFile> files;
  for_each_name(pattern.parent_path(), [&](const std::string& candidate, const fs::path& path, const auto&) {
    if (only_compressed && !candidate.ends_with(".br")) return;
    if (const auto rank = rank_between(without_suffix(candidate, ".br"), prefix, suffix))
      files.push_back({*rank, path.string()});
  });
  if (files.empty()) {
    throw support::bad_input("no file matches the pattern", pattern.string(),
                             "use %p for the rank, 0 to n-1");
  }
  return files;
}

std::vector<RankFile> files_of_input(const std::string& input) {
  std::error_code ignored;
  if (input.empty())
    throw support::usage_error("the name of a data set is empty", "specify a directory or a file");
  const fs::file_status status = fs::status(input, ignored);
  if (fs::is_directory(status)) return files_of_folder(input);
  if (fs::exists(status)) return {{rank_of_file(input).value_or(0), input}};
  if (input.find("%p") != std::string::npos) return files_of_pattern(input);
  return files_of_stem(input);
}

std::vector<RankFile> files_of_list(const std::vector<std::string>& inputs) {
  std::vector<RankFile> files;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    const fs::file_status status = fs::status(input, ignored);
    if (!fs::exists(status)) {
      throw support::system_error("cannot be found", input, ENOENT, "check the name");
    }
    if (fs::is_directory(status)) {
      throw support::usage_error("is a directory among several inputs", input,
                                 "specify a single directory, or only files");
    }
    const auto rank = rank_of_file(input);
    if (!rank) {
      throw support::usage_error("missing rank in the file name: required if several files are specified",
                                 input, "rename it to BASE.<rank>.json");
    }
    files.push_back({*rank, input});
  }
  return files;
}

// Throws Error (usage) if the names of listed files have different bases, because these are different runs.
void check_one_base(const std::vector<RankFile>& files) {
  const std::string base = set_name(files.front().path);
  const auto other =
      std::ranges::find_if(files, [&](const RankFile& file) { return set_name(file.path) != base; });
  if (other == files.end()) return;
  throw support::usage_error(fmt::format("the files belong to two data sets: {} and {}",
                                         support::in_quotes(fs::path(files.front().path).filename().string()),
                                         support::in_quotes(fs::path(other->path).filename().string())),
                             "specify the files of one data set: names that differ only in the rank");
}

bool is_regular_file(const std::string& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

void check_are_files(const std::vector<RankFile>& files) {
  const auto folder = std::ranges::find_if(files, is_directory, &RankFile::path);
  if (folder == files.end()) return;
  throw support::bad_input(fmt::format("is a directory in place of the file of rank {}", folder->rank),
                           folder->path, "remove the directory, or rename it, and add the file");
}

void check_once(const std::vector<RankFile>& files) {
  const auto twice = std::ranges::adjacent_find(files, {}, &RankFile::rank);
  if (twice == files.end()) return;
  throw support::bad_input(
      fmt::format("duplicate file of rank {}: the other one is {}", twice->rank, std::next(twice)->path),
      twice->path, "remove one of them, or list the files to read");
}

void check_complete(const std::vector<RankFile>& files) {
  const std::int64_t missing = files.back().rank + 1 - static_cast<std::int64_t>(files.size());
  if (missing == 0) return;
  std::int64_t rank = 0;
  while (files[static_cast<std::size_t>(rank)].rank == rank) ++rank;
  throw support::bad_input(
      missing == 1
          ? fmt::format("the file of rank {} is missing (the highest rank is {})", rank, files.back().rank)
          : fmt::format("the files of {} ranks are missing, starting with rank {} (the highest rank is {})",
                        missing, rank, files.back().rank),
      fs::path(files.front().path).parent_path().string(), "use one file per rank from 0 to n-1");
}

/// Throws Error (bad_input) if ranks without a file have partial output files: the data set is incomplete.
void check_streams(const std::vector<RankFile>& files) {
  const fs::path folder = fs::path(files.front().path).parent_path();
  const std::string set = set_name(files.front().path);
  std::optional<fs::path> incomplete;
  bool replaces_file = false;  // `repair` in place does not mix two runs
  for_each_name(
      folder, [&](const std::string& name, const fs::path& path, const support::FolderEntry& entry) {
        const bool is_stream = name.ends_with(".partial");
        if ((!is_stream && !name.ends_with(".pending")) || set_name(name) != set || entry.is_directory())
          return;
        const auto rank = rank_of_file(path.stem().string());
        const bool has_file = rank && std::ranges::binary_search(files, *rank, {}, &RankFile::rank);
        replaces_file = replaces_file || (is_stream && has_file);
        if (rank && !has_file && (!incomplete || path < *incomplete)) incomplete = path;
      });
  if (!incomplete) return;
  const bool is_partial = incomplete->extension() == ".partial";
  throw support::bad_input(
      fmt::format("rank {} only has a {} file: a program is writing it, or was killed",
                  *rank_of_file(incomplete->stem().string()), is_partial ? "partial" : "pending"),
      incomplete->string(),
      fmt::format("wait for the program, or use {} to complete the partial files",
                  is_partial && !replaces_file ? repair_in_place_command(folder.string())
                                               : copy_folder_command(folder.string())));
}

bool is_being_published(const std::string& path) {
  const std::string folder = support::folder_of(path);
  if (support::is_being_published(folder, set_name(path))) return true;
  if (parse_name(plain_name(path)) || ::access(folder.c_str(), R_OK) != 0) return false;
  return !other_possible_sets(path, support::sets_being_published(folder)).empty();
}

std::vector<RankFile> files_of(const std::vector<std::string>& inputs) {
  std::vector<RankFile> files = inputs.size() == 1 ? files_of_input(inputs.front()) : files_of_list(inputs);
  std::ranges::sort(files, [](const RankFile& left, const RankFile& right) {
    return left.rank != right.rank ? left.rank < right.rank : left.path < right.path;
  });
  return files;
}

/// Returns the files, and ensures that none of them was replaced during the search.
std::vector<RankFile> settled_files_of(const std::vector<std::string>& inputs) {
  constexpr int attempts = 10;
  for (int k = 0; k < attempts; ++k) {
    std::vector<RankFile> files = files_of(inputs);
    for (RankFile& file : files) file.version = support::version(file.path);
    if (files_of(inputs) == files) return files;
  }
  throw support::bad_input("the data set keeps changing", inputs.front(),
                           "wait for the programs that write it");
}

}  // namespace

void expect_unchanged(const std::vector<RankFile>& files) {
  std::set<std::string> sets;
  for (const RankFile& file : files) {
    const std::string folder = fs::path(file.path).parent_path().string();
    const std::string set = set_name(file.path);
    if (!sets.insert(fmt::format("{}/{}", folder, set)).second) continue;
    if (is_being_published(file.path)) {
      throw support::bad_input("a program is replacing its files, or was killed while replacing them",
                               folder.empty() ? "." : folder,
                               fmt::format("wait for the program, or use {} to complete the files",
                                           repair_in_place_command(folder)));
    }
  }
  // Check afterwards: the journal of files that were replaced earlier may be gone by now.
  for (const RankFile& file : files) {
    if (!file.version || support::version(file.path) == file.version) continue;
    throw support::bad_input("was replaced while the data set was being read", file.path, "try again");
  }
}

std::string set_of_pattern(const std::string& pattern) {
  constexpr std::string_view usual_end = ".%p.json";
  const std::string name = plain_name(pattern);
  const std::string_view base = without_suffix(name, usual_end);
  const bool is_usual =
      name.ends_with(usual_end) && !base.empty() && base.find("%p") == std::string_view::npos;
  return is_usual ? std::string(base) : name;
}

std::string set_name(const std::string& path) {
  constexpr const char* digits = "0123456789";
  std::string name = plain_name(path);
  if (const auto parsed = parse_name(name)) return std::string(parsed->base);
  const std::size_t last = name.find_last_of(digits);
  if (last == std::string::npos) return name;
  const std::size_t before = name.find_last_not_of(digits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return name.replace(first, last + 1 - first, "%p");
}

std::vector<std::string> other_possible_sets(const std::string& path, const std::vector<std::string>& sets) {
  const std::string name = plain_name(path);
  std::vector<std::string> possible;
  if (parse_name(name)) return possible;
  std::ranges::copy_if(sets, std::back_inserter(possible),
                       [&](const std::string& set) { return set != set_name(path) && matches(name, set); });
  return possible;
}

std::optional<std::int64_t> rank_of_file(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (const auto parsed = parse_name(name)) return parsed->rank;
  if (const auto parsed = parse_appended_name(name)) return parsed->rank;
  return std::nullopt;
}

std::vector<RankFile> find_rank_files(const std::vector<std::string>& inputs, RankCheck check) {
  if (inputs.empty()) throw support::usage_error("no data set specified", "specify a directory or a file");
  std::vector<RankFile> files = settled_files_of(inputs);
  expect_unchanged(files);
  if (inputs.size() > 1 && check == RankCheck::complete) check_one_base(files);
  check_are_files(files);
  check_once(files);
  if (check == RankCheck::any) return files;
  if (check_for(inputs) == RankCheck::complete) check_streams(files);
  check_complete(files);
  return files;
}

RankCheck check_for(const std::vector<std::string>& inputs) {
  return inputs.size() > 1 || is_regular_file(inputs.front()) ? RankCheck::any : RankCheck::complete;
}

std::uint64_t total_bytes(const std::vector<RankFile>& files) {
  std::uint64_t total = 0;
  for (const RankFile& file : files) {
    std::error_code unknown_size;
    const std::uintmax_t bytes = std::filesystem::file_size(file.path, unknown_size);
    if (!unknown_size) total += bytes;
  }
  return total;
}

std::vector<std::string> sets_of_folder(const std::string& folder) {
  std::vector<std::string> sets;
  for (const auto& [base, files] : files_by_base(folder)) sets.push_back(base);
  return sets;
}

std::vector<RankFile> files_of_base(const std::string& folder, const std::string& base) {
  std::vector<RankFile> files;
  for_each_name(folder, [&](const std::string& name, const fs::path& path, const auto&) {
    const auto parsed = parse_name(name);
    if (parsed && parsed->base == base) files.push_back({parsed->rank, path.string()});
  });
  return files;
}

std::string rank_file_path(const std::string& folder, const std::string& base, std::int64_t rank,
                           bool compressed) {
  return (fs::path(folder) / fmt::format("{}.{}.json{}", base, rank, compressed ? ".br" : "")).string();
}

}  // namespace plimsoll::lbdata
