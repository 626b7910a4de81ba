#include <algorithm>
#include <map>
#include <set>

#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/checking/checks.hpp"
#include "lbdata/reading/complete_set.hpp"
#include "lbdata/reading/document_parser.hpp"
#include "lbdata/reading/entity_numbering.hpp"
#include "lbdata/repair/repair_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

bool drop_warning(std::vector<Diagnostic>& findings) {
  const auto last = std::find_if(findings.rbegin(), findings.rend(), [](const Diagnostic& finding) {
    return finding.severity != Severity::error;
  });
  if (last == findings.rend()) return false;
  findings.erase(std::prev(last.base()));
  return true;
}

struct EnoughFindings {};

struct CheckedFile {
  std::vector<Diagnostic> findings;
  FileReferences references;
  bool cut_off = false;
  bool whole = true;  ///< whether the file was read to its end
};

CheckedFile check_file(const OpenSource& open, std::optional<std::int64_t> rank, const CheckSet& checks,
                       const ValidateOptions& options) {
  CheckedFile result;
  const FindingSink findings = [&](Diagnostic&& finding, bool) {
    if (!checks.wants(finding.check)) return;
    if (result.findings.size() == std::max<std::size_t>(options.max_errors, 1)) {
      result.cut_off = true;
      if (finding.severity != Severity::error) return;
      if (!drop_warning(result.findings)) throw EnoughFindings{};
    }
    result.findings.push_back(std::move(finding));
  };
  const auto parse = [&](auto parse_document) {
    support::TextSource source = open();
    EntityTable entities;
    RecordChecker checker(checks, rank, source.name(), entities, findings);
    EntityNumbering records(entities, checker);
    DocumentParser parser(source, options.schema, findings, records);
    parse_document(parser);
    result.references = checker.take();
  };
  try {
    try {
      parse([](DocumentParser& parser) { parser.parse_data_file(); });
    } catch (const IsStatisticsFile&) {
      result.findings.clear();
      result.cut_off = false;
      parse([](DocumentParser& parser) { parser.parse_statistics_file(); });
    }
  } catch (const EnoughFindings&) {
    result.whole = false;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    result.findings.push_back(error.diagnostic());
    result.whole = false;
  }
  return result;
}

void locate(const OpenSource& open, std::vector<Diagnostic>& findings) {
  std::vector<Diagnostic*> to_locate;
  to_locate.reserve(findings.size());
  for (Diagnostic& finding : findings) to_locate.push_back(&finding);
  add_line_numbers(open, std::move(to_locate));
}

/// Adds a finding about the whole data set.
void add(Diagnostic&& finding, const CheckSet& checks, std::size_t most, ValidationReport& report) {
  if (!checks.wants(finding.check)) return;
  if (report.findings.size() >= most) {
    report.cut_off = true;
    if (finding.severity != Severity::error || !drop_warning(report.findings)) return;
  }
  report.findings.push_back(std::move(finding));
}

std::vector<Diagnostic> message_findings(const std::vector<FileReferences>& files) {
  MessageKinds kinds;
  for (const FileReferences& file : files) kinds.merge(file.messages);
  return message_warnings(kinds, files.size());
}

std::optional<Diagnostic> missing_ranks(const std::vector<FileReferences>& files,
                                        const std::vector<RankFile>& set, std::size_t expected_ranks) {
  RankCount count;
  for (const FileReferences& file : files) count.add(file.metadata);
  return count.finding(set, expected_ranks);
}

std::optional<Diagnostic> partial_phases(const std::vector<FileReferences>& files) {
  std::vector<RankPhases> ranks;
  for (const FileReferences& file : files) {
    RankPhases rank{.recorded = {}, .listed = file.metadata.phases ? &*file.metadata.phases : nullptr};
    for (const PhaseReferences& work : file.phases)
      if (!work.iteration) rank.recorded.push_back(work.phase);
    std::ranges::sort(rank.recorded);
    ranks.push_back(std::move(rank));
  }
  try {
    return finding_of_phases(phase_coverage(ranks));
  } catch (const Error& error) {
    return finding(Check::complete_set, error.diagnostic().what, error.diagnostic().suggestion);
  }
}

std::vector<MissingTasks> missing_tasks(const std::vector<std::vector<DanglingReferences>>& dangling) {
  std::map<WorkId, std::set<std::uint64_t>> missing;
  for (const std::vector<DanglingReferences>& file : dangling)
    for (const DanglingReferences& work : file)
      missing[work.id].insert(work.numbers.objects.begin(), work.numbers.objects.end());
  std::vector<MissingTasks> tasks;
  for (const auto& [id, numbers] : missing)
    if (!numbers.empty()) tasks.push_back({id.first, id.second, {numbers.begin(), numbers.end()}});
  return tasks;
}

/// Combines the findings of the files, and runs the checks across them. `set` contains the names of the
/// files, if they have names.
ValidationReport report(std::vector<CheckedFile>&& files, const std::vector<OpenSource>& sources,
                        const std::vector<RankFile>& set, const ValidateOptions& options) {
  ValidationReport report;
  report.files = files.size();
  const std::size_t most = std::max<std::size_t>(options.max_errors, 1);
  std::vector<FileReferences> references;
  for (CheckedFile& file : files) {
    report.phases += file.references.phase_count;
    report.tasks += file.references.task_count;
    report.communications += file.references.communication_count;
    report.cut_off = report.cut_off || file.cut_off;
    references.push_back(std::move(file.references));
  }
  // Skip checks for missing data if a file was not read to its end.
  std::vector<std::string> across = options.checks;
  const bool whole = std::ranges::all_of(files, &CheckedFile::whole);
  if (!whole) std::erase(across, "dangling-reference");
  std::optional<Diagnostic> note;
  if (std::ranges::count(across, "dangling-reference") > 0) note = note_of_missing_files(set, references);
  auto dangling =
      check_across_files(CheckSet(across), references, [&](std::size_t file, Diagnostic&& finding) {
        auto& findings = files[file].findings;
        if (findings.size() >= most) {
          report.cut_off = true;
          if (finding.severity != Severity::error || !drop_warning(findings)) return;
        }
        finding.file = sources[file]().name();
        findings.push_back(std::move(finding));
      });
  report.missing_tasks = missing_tasks(dangling);
  if (note) dangling.assign(files.size(), {});
  std::size_t errors = 0;
  for (const CheckedFile& file : files) {
    errors +=
        static_cast<std::size_t>(std::ranges::count(file.findings, Severity::error, &Diagnostic::severity));
  }
  std::size_t room_for_errors = std::min(errors, most);
  std::size_t room_for_warnings = most - room_for_errors;
  for (std::size_t file = 0; file < files.size(); ++file) {
    auto& findings = files[file].findings;
    if (room_for_warnings > 0 || !report.cut_off) {
      std::ranges::move(
          find_dangling(sources[file], options.schema, dangling[file], files.size(), room_for_warnings + 1),
          std::back_inserter(findings));
    }
    const std::size_t dropped = std::erase_if(findings, [&](const Diagnostic& finding) {
      std::size_t& room = finding.severity == Severity::error ? room_for_errors : room_for_warnings;
      return room == 0 || room-- == 0;
    });
    report.cut_off = report.cut_off || dropped > 0;
    locate(sources[file], findings);
    std::ranges::move(findings, std::back_inserter(report.findings));
  }
  const CheckSet whole_set(across);
  if (whole && !note)
    for (Diagnostic& warning : message_findings(references)) add(std::move(warning), whole_set, most, report);
  if (options.ranks == RankCheck::complete && whole_set.has(Check::complete_set)) {
    if (auto missing = missing_ranks(references, set, options.expected_ranks))
      add(std::move(*missing), whole_set, most, report);
    if (auto partial = whole ? partial_phases(references) : std::nullopt)
      add(std::move(*partial), whole_set, most, report);
  }
  if (note) report.findings.push_back(std::move(*note));
  return report;
}

std::vector<std::string> files_with_errors(const ValidationReport& report) {
  std::vector<std::string> files;
  for (const Diagnostic& finding : report.findings)
    if (finding.severity == Severity::error && (files.empty() || files.back() != finding.file))
      files.push_back(finding.file);
  return files;
}

}  // namespace

std::size_t ValidationReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Diagnostic::severity));
}

ValidationReport validate(const std::vector<RankFile>& files, const ValidateOptions& options) {
  const CheckSet checks(options.checks);
  std::vector<OpenSource> sources;
  sources.reserve(files.size());
  for (const RankFile& file : files) {
    sources.emplace_back(
        [&file, &options] { return support::TextSource(file.path, data_file_format, options.limits); });
  }
  options.progress->begin("validating", total_bytes(files), "bytes");
  std::vector<CheckedFile> checked(sources.size());
  support::parallel_for(sources.size(), options.threads, [&](std::size_t position) {
    checked[position] = check_file(sources[position], files[position].rank, checks, options);
    options.progress->advance(sources[position]().file_bytes());
  });
  options.progress->end();
  ValidationReport result = report(std::move(checked), sources, files, options);
  expect_unchanged(files);
  result.repair_command = repair_command(files_with_errors(result), options.limits);
  return result;
}

ValidationReport validate_text(std::string_view content, const std::string& name,
                               const ValidateOptions& options) {
  const CheckSet checks(options.checks);
  const std::vector<OpenSource> sources = {
      [&] { return support::TextSource(content, name, data_file_format, options.limits); }};
  std::vector<CheckedFile> checked(1);
  checked[0] = check_file(sources[0], std::nullopt, checks, options);
  return report(std::move(checked), sources, {}, options);
}

}  // namespace plimsoll::lbdata
