#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <plimsoll/support/error.hpp>

#include "lbdata/checking/checks.hpp"
#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

struct FileWork {
  std::size_t file;
  const PhaseReferences* references;
};

/// Returns the phase that replaces a missing ID in a file: the last earlier phase, if the metadata list the
/// ID as identical.
const PhaseReferences* identical_phase(const FileReferences& file, const WorkId& id) {
  if (id.second || !file.metadata.phases || !file.metadata.phases->identical_to_previous.contains(id.first)) {
    return nullptr;
  }
  const PhaseReferences* previous = nullptr;
  for (const PhaseReferences& work : file.phases) {
    if (!work.iteration && work.phase < id.first && (previous == nullptr || work.phase > previous->phase)) {
      previous = &work;
    }
  }
  return previous;
}

bool skips(const FileReferences& file, const WorkId& id) {
  return file.metadata.phases && file.metadata.phases->skipped.contains(id.first);
}

/// Rereads a document only to find the positions of its dangling references.
class DanglingFinder : public RecordSink {
 public:
  DanglingFinder(const std::vector<DanglingReferences>& dangling, std::string file, std::size_t rank_count,
                 std::size_t most)
      : file_(std::move(file)), rank_count_(rank_count), most_(most) {
    for (const DanglingReferences& work : dangling) dangling_.emplace(work.pointer, &work);
  }

  struct LimitReached {};
  std::vector<Diagnostic> found;

  void begin_phase(RecordPlace place) override {
    phase_ = fmt::format("/phases/{}", place.position);
    enter(phase_);
  }
  void begin_iteration(RecordPlace place) override {
    enter(fmt::format("{}/lb_iterations/{}", phase_, place.position));
  }
  void end_iteration(PhaseHeader&&) override { enter(phase_); }

  void communication(const CommunicationRecord& edge, RecordPlace place) override {
    if (current_ == nullptr) return;
    look_at(*edge.from, "from", place);
    look_at(*edge.to, "to", place);
  }

 private:
  void enter(const std::string& pointer) {
    const auto known = dangling_.find(pointer);
    current_ = known == dangling_.end() ? nullptr : known->second;
  }

  void look_at(const EntityRecord& entity, const char* end, RecordPlace place) {
    const std::uint64_t number = entity.value.number().bits;
    const EntityKind kind = entity.value.kind();
    const bool object =
        kind == EntityKind::object && std::ranges::binary_search(current_->numbers.objects, number);
    const bool node = kind == EntityKind::node && std::ranges::binary_search(current_->numbers.nodes, number);
    if (!object && !node) return;
    Diagnostic dangling =
        finding(Check::dangling_reference,
                node ? fmt::format("invalid node {}: the data set has {} ranks", number, rank_count_)
                     : fmt::format("object {} is not a task of {} on any rank", number, current_->what));
    dangling.file = file_;
    dangling.byte = entity.byte;
    dangling.pointer = fmt::format("{}/communications/{}/{}", current_->pointer, place.position, end);
    if (found.size() == most_) throw LimitReached{};
    found.push_back(std::move(dangling));
  }

  std::string file_;
  std::size_t rank_count_;
  std::size_t most_;
  std::map<std::string, const DanglingReferences*> dangling_;
  std::string phase_;
  const DanglingReferences* current_ = nullptr;
};

}  // namespace

std::vector<std::vector<DanglingReferences>> check_across_files(
    const CheckSet& checks, const std::vector<FileReferences>& files,
    const std::function<void(std::size_t, Diagnostic&&)>& add) {
  std::vector<std::vector<DanglingReferences>> dangling(files.size());
  std::map<WorkId, std::vector<FileWork>> by_id;
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (const PhaseReferences& work : files[file].phases) {
      by_id[{work.phase, work.iteration}].push_back({file, &work});
    }
  }
  for (const auto& [id, recorded] : by_id) {
    const std::string what = id.second ? fmt::format("iteration {} of phase {}", *id.second, id.first)
                                       : fmt::format("phase {}", id.first);
    NumberSet tasks;
    std::set<std::uint64_t> reported;
    bool all_known = true;
    std::vector<bool> has_work(files.size(), false);
    const auto insert = [&](std::size_t file, const PhaseReferences& work) {
      // The file's own check reports a phase that appears twice. Its tasks are not on another rank.
      const bool is_repeated = has_work[file];
      has_work[file] = true;
      const auto& numbers = work.migratable;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        constexpr std::size_t ahead = 16;
        if (i + ahead < numbers.size()) tasks.prefetch(numbers[i + ahead]);
        const std::uint64_t number = numbers[i];
        if (tasks.insert(number) || is_repeated || !checks.has(Check::duplicate_task) ||
            !reported.insert(number).second)
          continue;
        Diagnostic twice =
            finding(Check::duplicate_task,
                    fmt::format("migratable task {} is also on another rank in {}", number, what));
        twice.pointer = work.pointer + "/tasks";
        add(file, std::move(twice));
      }
      for (const std::uint64_t number : work.not_migratable) tasks.insert(number);
    };
    for (const FileWork& work : recorded) insert(work.file, *work.references);
    for (std::size_t file = 0; file < files.size(); ++file) {
      if (has_work[file]) continue;
      if (const PhaseReferences* previous = identical_phase(files[file], id)) insert(file, *previous);
      all_known = all_known && !skips(files[file], id);
    }
    if (!checks.has(Check::dangling_reference) || !all_known) continue;
    for (const FileWork& work : recorded) {
      DanglingReferences nowhere{.id = id, .pointer = work.references->pointer, .what = what};
      std::ranges::copy_if(work.references->open.objects, std::back_inserter(nowhere.numbers.objects),
                           [&](std::uint64_t number) { return !tasks.contains(number); });
      std::ranges::copy_if(work.references->open.nodes, std::back_inserter(nowhere.numbers.nodes),
                           [&](std::uint64_t number) { return number >= files.size(); });
      if (nowhere.numbers.objects.empty() && nowhere.numbers.nodes.empty()) continue;
      dangling[work.file].push_back(std::move(nowhere));
    }
  }
  return dangling;
}

std::vector<Diagnostic> find_dangling(const OpenSource& open, SchemaVersion version,
                                      const std::vector<DanglingReferences>& dangling, std::size_t rank_count,
                                      std::size_t most) {
  if (dangling.empty()) return {};
  support::TextSource source = open();
  DanglingFinder finder(dangling, source.name(), rank_count, most);
  try {
    // Findings were reported when the document was read first.
    DocumentParser(
        source, version, [](Diagnostic&&, bool) {}, finder)
        .parse_data_file();
  } catch (const DanglingFinder::LimitReached&) {
    // Stop at the requested number of findings.
  } catch (const Error&) {
    // Ignore the error: it was reported when the document was read first.
  }
  return std::move(finder.found);
}

}  // namespace plimsoll::lbdata
