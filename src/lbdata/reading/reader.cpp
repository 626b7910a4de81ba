#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/checking/checks.hpp"
#include "lbdata/model/dataset_builder.hpp"
#include "lbdata/reading/complete_set.hpp"
#include "lbdata/reading/document_parser.hpp"
#include "lbdata/reading/entity_numbering.hpp"
#include "lbdata/repair/repair_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

class BuilderAndChecker final : public RecordSink {
 public:
  BuilderAndChecker(DatasetBuilder& builder, RecordChecker& checker) : builder_(builder), checker_(checker) {}
  void metadata(RankMetadata&& metadata) override {
    checker_.metadata(RankMetadata(metadata));
    builder_.metadata(std::move(metadata));
  }
  void begin_phase(RecordPlace place) override {
    checker_.begin_phase(place);
    builder_.begin_phase(place);
  }
  void begin_iteration(RecordPlace place) override {
    checker_.begin_iteration(place);
    builder_.begin_iteration(place);
  }
  void task(const TaskRecord& task, RecordPlace place) override {
    checker_.task(task, place);
    builder_.task(task, place);
  }
  void communication(const CommunicationRecord& edge, RecordPlace place) override {
    checker_.communication(edge, place);
    builder_.communication(edge, place);
  }
  void coming(const EntityRecord& entity) override { checker_.coming(entity); }
  void task_entity(EntityIndex entity) override { builder_.task_entity(entity); }
  void edge_ends(EntityIndex from, EntityIndex to) override {
    checker_.edge_ends(from, to);
    builder_.edge_ends(from, to);
  }
  void end_iteration(PhaseHeader&& header) override {
    checker_.end_iteration(PhaseHeader(header));
    builder_.end_iteration(std::move(header));
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    checker_.end_phase(PhaseHeader(header), complete);
    builder_.end_phase(std::move(header), complete);
  }

 private:
  DatasetBuilder& builder_;
  RecordChecker& checker_;
};

struct ReadFile {
  FileData data;
  FileReferences references;  // used by checks across files, if any check is requested
  std::vector<Diagnostic> findings;
};

void sort_phases(RankData& rank, const std::string& file) {
  std::ranges::stable_sort(rank.phases, {}, &PhaseRecord::id);
  const auto twice = std::ranges::adjacent_find(rank.phases, {}, &PhaseRecord::id);
  if (twice == rank.phases.end()) return;
  throw support::bad_input(fmt::format("phase {} appears twice", twice->id), file,
                           "use a unique ID for each phase");
}

ReadFile read_file(const OpenSource& open, std::int64_t rank, const CheckSet& checks,
                   const ReadOptions& options) {
  support::TextSource source = open();
  const std::string name = source.name();
  std::vector<Diagnostic> found;
  // The first finding that causes loss of data stops the reading; others are kept if requested.
  const FindingSink findings = [&](Diagnostic&& finding, bool readable) {
    if (!readable) throw Error(ErrorKind::bad_input, std::move(finding));
    if (finding.check == "type" || (finding.check != "schema" && checks.wants(finding.check)))
      found.push_back(std::move(finding));
  };
  DatasetBuilder builder(options.phases);
  RecordChecker checker(checks, rank, name, builder.file().entities, findings);
  BuilderAndChecker both(builder, checker);
  RecordSink& numbered = options.checks.empty() ? static_cast<RecordSink&>(builder) : both;
  EntityNumbering records(builder.file().entities, numbered);
  try {
    DocumentParser(source, SchemaVersion::current, findings, records).parse_data_file();
  } catch (const IsStatisticsFile&) {
    throw support::bad_input("an LBStatsfile contains statistics, but no objects", name,
                             "specify LB data files (type LBDatafile)");
  } catch (const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    if (diagnostic.file.empty()) diagnostic.file = name;
    add_line_numbers(open, {&diagnostic});
    if (diagnostic.suggestion.empty()) diagnostic.suggestion = "use 'plimsoll validate' to list all errors";
    throw Error(error.kind(), std::move(diagnostic));
  }
  ReadFile file{builder.take(), checker.take(), std::move(found)};
  sort_phases(file.data.rank, name);
  if (options.checks.empty()) {
    for (Diagnostic& contradiction : metadata_findings(file.data.rank.metadata, rank, file.data.phases)) {
      contradiction.severity = Severity::warning;
      contradiction.file = name;
      file.findings.push_back(std::move(contradiction));
    }
  }
  options.progress->advance(source.file_bytes());
  return file;
}

/// Adds finished files to the data set in the order of ranks, so that the result does not depend on the
/// number of threads.
class OrderedMerge {
 public:
  explicit OrderedMerge(ReadResult& result) : result_(result) {}

  void add(std::size_t position, ReadFile&& file) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(position, std::move(file));
    if (merging_) return;
    merging_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      ReadFile ready = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      append_rank(result_.dataset, std::move(ready.data));
      std::ranges::move(ready.findings, std::back_inserter(result_.findings));
      references.push_back(std::move(ready.references));
      lock.lock();
      ++next_;
    }
    merging_ = false;
  }

  std::vector<FileReferences> references;  // sorted by rank, complete after all files are added

 private:
  ReadResult& result_;
  std::mutex mutex_;
  std::map<std::size_t, ReadFile> waiting_;
  std::size_t next_ = 0;
  bool merging_ = false;
};

/// Throws Error (bad_input) unless the data set has a file of each rank. Adds a finding about phases that
/// only some ranks have data for.
void call_roll(const std::vector<RankFile>& files, const ReadOptions& options, ReadResult& result) {
  RankCount count;
  for (const RankData& rank : result.dataset.ranks) count.add(rank.metadata);
  if (auto missing = count.finding(files, options.expected_ranks))
    throw Error(ErrorKind::bad_input, std::move(*missing));
  PhaseCoverage coverage = phase_coverage(result.dataset);
  if (coverage.complete.empty()) return;  // commands that need phases report this
  std::erase_if(coverage.partial, [&](std::int64_t phase) { return !options.phases.contains(phase); });
  if (auto partial = finding_of_phases(coverage)) result.findings.push_back(std::move(*partial));
}

/// Document to read, and the rank that its name or position specifies.
struct Source {
  std::int64_t rank;
  OpenSource open;
};

ReadResult read_sources(const std::vector<Source>& sources, const ReadOptions& options) {
  const CheckSet checks(options.checks);
  ReadResult result;
  OrderedMerge merge(result);
  support::parallel_for(sources.size(), options.threads, [&](std::size_t position) {
    merge.add(position, read_file(sources[position].open, sources[position].rank, checks, options));
  });
  result.dataset.entities.shrink();
  const auto path = [&](std::size_t rank) { return sources[rank].open().name(); };
  if (!options.checks.empty()) {
    const auto dangling =
        check_across_files(checks, merge.references, [&](std::size_t file, Diagnostic&& finding) {
          finding.file = path(file);
          result.findings.push_back(std::move(finding));
        });
    for (std::size_t file = 0; file < sources.size(); ++file) {
      auto found =
          find_dangling(sources[file].open, SchemaVersion::current, dangling[file], sources.size(),
                        options.max_findings - std::min(options.max_findings, result.findings.size()));
      std::ranges::move(found, std::back_inserter(result.findings));
    }
  }
  return result;
}

/// Returns the error of a file with the command that repairs the file, if its text is damaged.
Error with_repair_command(const Error& error, const ReadOptions& options) {
  Diagnostic diagnostic = error.diagnostic();
  const bool may_be_damaged = diagnostic.check == "syntax" || diagnostic.check.empty();
  if (error.kind() != ErrorKind::bad_input || !may_be_damaged || diagnostic.file.empty()) return error;
  const std::string command = repair_command({diagnostic.file}, options.limits);
  if (command.empty()) return error;
  diagnostic.suggestion = fmt::format("copy it again, or use {} to keep its complete phases", command);
  return {error.kind(), std::move(diagnostic)};
}

}  // namespace

ReadResult read(const std::vector<RankFile>& files, const ReadOptions& options) {
  std::vector<Source> sources;
  sources.reserve(files.size());
  for (const RankFile& file : files) {
    sources.push_back({file.rank, [&file, &options] {
                         return support::TextSource(file.path, data_file_format, options.limits);
                       }});
  }
  options.progress->begin("reading", total_bytes(files), "bytes");
  ReadResult result;
  try {
    result = read_sources(sources, options);
  } catch (const Error& error) {
    throw with_repair_command(error, options);
  }
  expect_unchanged(files);
  if (options.ranks == RankCheck::complete) call_roll(files, options, result);
  options.progress->end();
  return result;
}

ReadResult read_text(std::string_view content, const std::string& name, const ReadOptions& options) {
  return read_sources(
      {{0, [&] { return support::TextSource(content, name, data_file_format, options.limits); }}}, options);
}

}  // namespace plimsoll::lbdata
