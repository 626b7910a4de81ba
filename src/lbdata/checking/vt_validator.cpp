#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include <plimsoll/lbdata/vt_validator.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/parse.hpp>

#include "lbdata/json/json_position.hpp"
#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

/// Finds the type of a document where vt's validator looks for it.
class TypeFinder : public RecordSink {
 public:
  struct Found {};
  std::optional<std::string> type;

  void metadata_so_far(const RankMetadata& metadata) override {
    type = metadata.present ? metadata.type : metadata.top_level_type;
    if (metadata.present) throw Found{};  // a type at the top level has no effect
  }
};

std::optional<std::string> type_of(const std::string& path) {
  support::TextSource source(path, data_file_format);
  TypeFinder finder;
  try {
    // check_schema_as_vt() reports the findings.
    DocumentParser(
        source, SchemaVersion::current, [](Diagnostic&&, bool) {}, finder)
        .parse_data_file();
  } catch (const TypeFinder::Found&) {
    // Skip the rest of the document.
  } catch (const IsStatisticsFile&) {
    // Skip the phases, which are those of an LBStatsfile.
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
  }
  return finder.type;
}

bool concerns_syntax(const Diagnostic& finding) {
  return finding.check == "syntax" || finding.check.empty();
}

/// Returns whether a finding concerns a value that should contain the type, or the type itself. For vt's
/// validator, the type null is missing.
bool hides_type(const Diagnostic& finding) {
  const std::string pointer = finding.pointer.value_or("/");
  if (pointer == "/metadata/type" || pointer == "/type") return !finding.what.ends_with("found null");
  return pointer == "/metadata" || (pointer.empty() && finding.what.starts_with("expected an object"));
}

VtVerdict verdict_of(const std::optional<std::string>& type, const std::vector<Diagnostic>& findings) {
  if (std::ranges::any_of(findings, concerns_syntax)) return VtVerdict::unreadable;
  if (type && *type != "LBDatafile" && *type != "LBStatsfile") return VtVerdict::unsupported_type;
  if (!type && std::ranges::none_of(findings, hides_type)) return VtVerdict::missing_type;
  return findings.empty() ? VtVerdict::valid : VtVerdict::invalid;
}

/// Returns the rank in a file's name: the last number if the name does not have one of the usual forms.
std::optional<std::int64_t> rank_in_name(const std::string& path) {
  if (const auto rank = rank_of_file(path)) return rank;
  constexpr const char* digits = "0123456789";
  const std::string name = fs::path(path).filename().string();
  const std::size_t last = name.find_last_of(digits);
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of(digits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return support::parse_number<std::int64_t>(std::string_view(name).substr(first, last + 1 - first));
}

bool by_rank(const RankFile& left, const RankFile& right) {
  return left.rank != right.rank ? left.rank < right.rank : left.path < right.path;
}

/// Returns whether the file of rank 0 of a file's data set is next to it, for names BASE.<rank>.json.
bool has_rank_0(const fs::path& file) {
  std::error_code unknown;
  return std::ranges::any_of(std::array{false, true}, [&](bool compressed) {
    return fs::exists(rank_file_path(file.parent_path(), set_name(file), 0, compressed), unknown);
  });
}

/// Returns the files of the data set that a file belongs to, by rank.
std::vector<RankFile> data_set_of(const fs::path& file) {
  std::vector<RankFile> files = files_of_base(file.parent_path(), set_name(file));
  std::ranges::sort(files, by_rank);
  return files.empty() ? find_rank_files({file.parent_path() / set_name(file)}, RankCheck::any) : files;
}

std::string prefix_of(std::string_view name) {
  return std::string(name.substr(0, name.find('.')));
}

std::string suffix_of(std::string_view name) {
  return std::string(name.substr(name.rfind('.') + 1));
}

bool is_json_name(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".json.br");
}

/// Returns the most common part of the names, or the first in alphabetical order of several.
std::string most_common(const std::vector<std::string>& names, std::string (*part)(std::string_view)) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& name : names) ++counts[part(name)];
  const auto common = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return common == counts.end() ? "" : common->first;
}

}  // namespace

VtSchemaCheck check_schema_as_vt(const std::string& path) {
  const std::optional<std::string> type = type_of(path);
  ValidationReport report = validate({{0, path}}, {.checks = {"type"}, .max_errors = 10});
  return {.verdict = verdict_of(type, report.findings),
          .type = type.value_or(""),
          .findings = std::move(report.findings)};
}

VtLinkCheck check_links_as_vt(const std::string& path) {
  const std::optional<std::int64_t> rank = rank_in_name(path);
  if (rank.value_or(0) != 0 && has_rank_0(path)) return {};
  const std::vector<RankFile> files = rank ? data_set_of(path) : std::vector<RankFile>{{0, path}};
  if (rank.value_or(0) != files.front().rank) return {};
  // Tasks with numbers that are not finite or out of range cannot be read, but are not missing.
  ValidationReport report = validate(files, {.checks = {"dangling-reference", "finite", "range"}});
  VtLinkCheck check{.files = {}, .missing = std::move(report.missing_tasks), .errors = {}};
  for (const RankFile& file : files) check.files.push_back(file.path);
  std::erase_if(report.findings, [](const Diagnostic& each) { return each.severity != Severity::error; });
  check.is_readable = std::ranges::none_of(report.findings, concerns_syntax);
  const bool is_complete = check.is_readable && !report.cut_off && check.missing.empty();
  if (report.findings.empty() || is_complete) return check;
  check.missing.clear();
  check.errors = std::move(report.findings);
  return check;
}

VtSelection select_as_vt(const std::string& folder, const std::string& prefix, const std::string& suffix) {
  VtSelection selection{.prefix = prefix, .suffix = suffix, .files = {}};
  std::vector<std::string> names;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    ++selection.n_entries;
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  });
  const bool chooses = prefix.empty() && suffix.empty();
  if (chooses && std::ranges::any_of(names, is_json_name)) std::erase_if(names, std::not_fn(is_json_name));
  if (chooses) {
    selection.prefix = most_common(names, prefix_of);
    selection.suffix = most_common(names, suffix_of);
  }
  const auto is_other = [&](const std::string& name) {
    return (!selection.prefix.empty() && prefix_of(name) != selection.prefix) ||
           (!selection.suffix.empty() && suffix_of(name) != selection.suffix);
  };
  const std::size_t n_others = std::erase_if(names, is_other);
  if (chooses) selection.n_other_files = n_others;
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(rank_in_name(name).value_or(-1), name); });
  for (const std::string& name : names) selection.files.push_back((fs::path(folder) / name).string());
  return selection;
}

}  // namespace plimsoll::lbdata
