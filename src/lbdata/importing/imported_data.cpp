#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/import.hpp>
#include <plimsoll/support/files.hpp>

#include "lbdata/importing/object_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// A short file must not lead to a data set of many files.
constexpr std::int64_t ranks_without_loads = 1000;
constexpr std::int64_t ranks_per_load = 100;

/// Sorts the loads by phase and object, and throws if an object has two loads in a phase.
void check_objects(std::vector<ObjectLoad>& loads, const std::string& file) {
  std::ranges::sort(loads, {},
                    [](const ObjectLoad& load) { return std::tuple(load.phase, load.object, load.line); });
  const auto twice = std::ranges::adjacent_find(loads, [](const ObjectLoad& left, const ObjectLoad& right) {
    return left.phase == right.phase && left.object == right.object;
  });
  if (twice == loads.end()) return;
  throw invalid_line(fmt::format("object {} has two loads in phase {}; the other one is in line {}",
                                 twice->object, twice->phase, twice->line),
                     file, std::next(twice)->line, "state each object once per phase");
}

std::int64_t number_of_ranks(const ObjectLoads& all, const std::string& file) {
  const auto highest = std::ranges::max_element(all.loads, {}, &ObjectLoad::rank);
  const std::int64_t most = ranks_without_loads + ranks_per_load * std::ssize(all.loads);
  if (std::max<std::int64_t>(highest->rank + std::int64_t{1}, all.n_ranks) > most)
    throw invalid_line(
        fmt::format("rank {} is too high for a file with {} loads", highest->rank, all.loads.size()), file,
        highest->line, "number the ranks from 0 without gaps");
  return std::max<std::int64_t>(highest->rank + std::int64_t{1}, all.n_ranks);
}

RankData empty_rank(std::int64_t rank) {
  RankData data;
  data.metadata.present = true;
  data.metadata.type = "LBDatafile";
  data.metadata.rank = rank;
  data.metadata.phases.emplace();
  data.metadata.attributes = R"({"generator":"plimsoll import"})";
  return data;
}

/// Turns loads into the tasks and edges of a data set, phase by phase.
class Import {
 public:
  Import(ObjectLoads all, const std::string& file) : all_(std::move(all)), file_(file) {
    imported_.dataset.resources = NameTable({"cpu"});
    const std::int64_t n_ranks = number_of_ranks(all_, file);
    for (std::int64_t rank = 0; rank < n_ranks; ++rank) imported_.dataset.ranks.push_back(empty_rank(rank));
    std::ranges::stable_sort(all_.edges, {}, &ObjectEdge::phase);
  }

  ImportedData run() && {
    auto edge = all_.edges.begin();
    for (auto load = all_.loads.begin(); load != all_.loads.end();) {
      const std::int64_t phase = load->phase;
      begin_phase(*load);
      for (; load != all_.loads.end() && load->phase == phase; ++load) add(*load);
      for (; edge != all_.edges.end() && edge->phase == phase; ++edge) add(*edge);
    }
    imported_.objects = std::ssize(homes_);
    return std::move(imported_);
  }

 private:
  struct Place {
    EntityIndex entity = 0;
    std::int32_t rank = 0;
  };

  void begin_phase(const ObjectLoad& first) {
    if (++imported_.phases > static_cast<std::int64_t>(max_phases))
      throw invalid_line(fmt::format("the file has more than {} phases", max_phases), file_, first.line);
    places_.clear();
    const auto description = all_.phases.find(first.phase);
    for (RankData& rank : imported_.dataset.ranks) {
      PhaseRecord& record = rank.phases.emplace_back();
      record.id = first.phase;
      if (description != all_.phases.end()) record.user_defined = description->second;
    }
  }

  void add(const ObjectLoad& load) {
    const std::int32_t home = homes_.try_emplace(load.object, load.rank).first->second;
    // vt requires a collection for migratable objects with `seq_id`.
    const EntityIndex entity =
        imported_.dataset.entities.intern({.seq_id = WideInteger{static_cast<std::uint64_t>(load.object)},
                                           .collection_id = WideInteger{first_collection_id},
                                           .home = home,
                                           .migratable = load.migratable});
    places_.emplace(load.object, Place{entity, load.rank});
    Tasks& tasks = record_of(load.rank).tasks;
    tasks.entity.push_back(entity);
    tasks.time_s.push_back(load.load_s);
    tasks.node.push_back(load.rank);
    tasks.resource.push_back(0);
    tasks.subphase_end.push_back(0);
    if (!load.user_defined.empty())
      tasks.user_defined.add(static_cast<std::uint32_t>(tasks.size() - 1), load.user_defined);
  }

  /// The receiver's rank records an edge.
  void add(const ObjectEdge& edge) {
    const auto from = places_.find(edge.from);
    const auto to = places_.find(edge.to);
    if (from == places_.end() || to == places_.end()) {
      ++imported_.edges_without_object;
      return;
    }
    std::optional<Communications>& communications = record_of(to->second.rank).communications;
    if (!communications) communications.emplace();
    communications->from.push_back(from->second.entity);
    communications->to.push_back(to->second.entity);
    communications->bytes.push_back(edge.bytes);
    communications->messages.push_back(edge.messages);
    communications->category.push_back(static_cast<std::uint8_t>(CommCategory::SendRecv) - 1);
  }

  PhaseRecord& record_of(std::int32_t rank) {
    return imported_.dataset.ranks[static_cast<std::size_t>(rank)].phases.back();
  }

  ObjectLoads all_;
  const std::string& file_;
  ImportedData imported_;
  std::map<std::int64_t, std::int32_t> homes_;      // rank of each object in its first phase
  std::unordered_map<std::int64_t, Place> places_;  // of the objects of this phase
};

ObjectLoads loads_of(std::string_view text, const std::string& name, ImportFormat format) {
  switch (format) {
    case ImportFormat::csv: return csv_loads(text, name);
    case ImportFormat::warpx: return warpx_loads(text, name);
    case ImportFormat::charm: break;
  }
  return charm_loads(text, name);
}

ImportedData imported_data(ObjectLoads all, const std::string& file) {
  if (all.loads.empty()) throw support::bad_input("the file contains no loads", file, "check its format");
  check_objects(all.loads, file);
  return Import(std::move(all), file).run();
}

/// Appends the loads of one more phase.
void append_phase(ObjectLoads& all, ObjectLoads next, std::int64_t phase) {
  for (ObjectLoad& load : next.loads) load.phase = phase;
  for (ObjectEdge& edge : next.edges) edge.phase = phase;
  std::ranges::move(next.loads, std::back_inserter(all.loads));
  std::ranges::move(next.edges, std::back_inserter(all.edges));
  all.n_ranks = std::max(all.n_ranks, next.n_ranks);
}

}  // namespace

ImportedData import_text(std::string_view text, const std::string& name, ImportFormat format) {
  return imported_data(loads_of(text, name, format), name);
}

ImportedData import_files(const std::vector<std::string>& paths, ImportFormat format,
                          std::uint64_t max_bytes) {
  if (paths.empty()) throw support::usage_error("no file to import");
  if (paths.size() > 1 && format != ImportFormat::charm)
    throw support::usage_error(
        fmt::format("{} files, but one file of this format has all phases", paths.size()),
        "specify one file");
  ObjectLoads all;
  std::int64_t phase = 0;
  for (const std::string& path : paths) {
    ObjectLoads next = loads_of(support::read_text_file(path, max_bytes), path, format);
    if (paths.size() == 1) return imported_data(std::move(next), path);
    append_phase(all, std::move(next), phase++);
  }
  return imported_data(std::move(all), paths.front());
}

}  // namespace plimsoll::lbdata
