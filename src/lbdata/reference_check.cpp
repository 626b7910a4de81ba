#include "lbdata/reference_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace plimsoll::lbdata {

namespace {

using WorkId = std::pair<std::int64_t, std::optional<std::int64_t>>;  // phase, and iteration if it is one

struct FileWork {
  std::size_t file;
  const PhaseReferences* references;
};

/// Where a file has nothing under an id, what stands for it: the last phase before, if the metadata say so.
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

}  // namespace

void check_across_files(const CheckSet& checks, const std::vector<FileReferences>& files,
                        const std::function<void(std::size_t, Diagnostic&&)>& add) {
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
      has_work[file] = true;
      for (const std::uint64_t number : work.migratable) {
        if (tasks.insert(number) || !checks.has(Check::duplicate_task) || !reported.insert(number).second) continue;
        Diagnostic twice = finding(Check::duplicate_task,
                                   fmt::format("the migratable task {} is on another rank as well in {}", number, what));
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
      for (const OpenReference& reference : work.references->open) {
        const bool exists = reference.node ? reference.number < files.size() : tasks.contains(reference.number);
        if (exists) continue;
        Diagnostic dangling =
            finding(Check::dangling_reference,
                    reference.node ? fmt::format("node {} is none of the {} ranks", reference.number, files.size())
                                   : fmt::format("object {} is no task of {} on any rank", reference.number, what));
        dangling.byte = reference.byte;
        dangling.pointer = fmt::format("{}/communications/{}/{}", work.references->pointer, reference.position,
                                       reference.to ? "to" : "from");
        add(work.file, std::move(dangling));
      }
    }
  }
}

}  // namespace plimsoll::lbdata
