#include "lbdata/importing/object_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr double max_imported_amount = 1e30;

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

std::int64_t number_of_ranks(const std::vector<ObjectLoad>& loads, const std::string& file) {
  const auto highest = std::ranges::max_element(loads, {}, &ObjectLoad::rank);
  const std::int64_t most = ranks_without_loads + ranks_per_load * std::ssize(loads);
  if (highest->rank >= most)
    throw invalid_line(
        fmt::format("rank {} is too high for a file with {} loads", highest->rank, loads.size()), file,
        highest->line, "number the ranks from 0 without gaps");
  return highest->rank + std::int64_t{1};
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

void add_phase(Dataset& dataset, std::int64_t phase, const ObjectLoads& all) {
  const auto description = all.phases.find(phase);
  for (RankData& rank : dataset.ranks) {
    PhaseRecord& record = rank.phases.emplace_back();
    record.id = phase;
    if (description != all.phases.end()) record.user_defined = description->second;
  }
}

void add_load(Dataset& dataset, const ObjectLoad& load, std::int32_t home) {
  Tasks& tasks = dataset.ranks[static_cast<std::size_t>(load.rank)].phases.back().tasks;
  // vt requires a collection for migratable objects with `seq_id`.
  tasks.entity.push_back(
      dataset.entities.intern({.seq_id = WideInteger{static_cast<std::uint64_t>(load.object)},
                               .collection_id = WideInteger{first_collection_id},
                               .home = home,
                               .migratable = true}));
  tasks.time_s.push_back(load.load_s);
  tasks.node.push_back(load.rank);
  tasks.resource.push_back(0);
  tasks.subphase_end.push_back(0);
  if (!load.user_defined.empty())
    tasks.user_defined.add(static_cast<std::uint32_t>(tasks.size() - 1), load.user_defined);
}

ImportedData dataset_of(ObjectLoads all, const std::string& file) {
  if (all.loads.empty()) throw support::bad_input("the file contains no loads", file, "check its format");
  check_objects(all.loads, file);
  ImportedData imported;
  Dataset& dataset = imported.dataset;
  dataset.resources = NameTable({"cpu"});
  const std::int64_t n_ranks = number_of_ranks(all.loads, file);
  for (std::int64_t rank = 0; rank < n_ranks; ++rank) dataset.ranks.push_back(empty_rank(rank));
  std::map<std::int64_t, std::int32_t> homes;  // rank of each object in its first phase
  for (std::size_t k = 0; k < all.loads.size(); ++k) {
    const ObjectLoad& load = all.loads[k];
    if (k == 0 || load.phase != all.loads[k - 1].phase) {
      if (++imported.phases > static_cast<std::int64_t>(max_phases))
        throw invalid_line(fmt::format("the file has more than {} phases", max_phases), file, load.line);
      add_phase(dataset, load.phase, all);
    }
    add_load(dataset, load, homes.try_emplace(load.object, load.rank).first->second);
  }
  imported.objects = std::ssize(homes);
  return imported;
}

}  // namespace

Error invalid_line(std::string what, const std::string& file, std::uint64_t line, std::string suggestion) {
  return Error(ErrorKind::bad_input,
               {.what = std::move(what), .file = file, .line = line, .suggestion = std::move(suggestion)});
}

std::int64_t integer_in(std::string_view text, std::string_view column, std::int64_t max,
                        const std::string& file, std::uint64_t line) {
  const auto number = support::parse_number<std::int64_t>(text);
  if (!number || *number < 0 || *number > max)
    throw invalid_line(
        fmt::format("invalid {} {}: expected an integer from 0 to {}", column, support::in_quotes(text), max),
        file, line);
  return *number;
}

double amount_in(std::string_view text, std::string_view column, const std::string& file,
                 std::uint64_t line) {
  const auto number = support::parse_number<double>(text);
  if (!number || !(*number >= 0 && *number <= max_imported_amount))
    throw invalid_line(fmt::format("invalid {} {}: expected a number from 0 to {}", column,
                                   support::in_quotes(text), max_imported_amount),
                       file, line);
  return *number;
}

ImportedData import_text(std::string_view text, const std::string& name, ImportFormat format) {
  return dataset_of(format == ImportFormat::csv ? csv_loads(text, name) : warpx_loads(text, name), name);
}

ImportedData import_file(const std::string& path, ImportFormat format, std::uint64_t max_bytes) {
  return import_text(support::read_text_file(path, max_bytes), path, format);
}

}  // namespace plimsoll::lbdata
