#include "lbdata/checking/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/json/number_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

const std::vector<CheckDescription>& checks() {
  static const std::vector<CheckDescription> all = {
      {"type", Severity::warning, "the document specifies its type (LBDatafile or LBStatsfile)"},
      {"range", Severity::error,
       "integers are in range: ranks and subphases fit in 32 bits, all others in 64 bits"},
      {"finite", Severity::error, "times and bytes are finite numbers"},
      {"negative-value", Severity::error, "times, bytes and messages are not negative"},
      {"duplicate-phase", Severity::error,
       "each phase appears once per file, and each iteration once per phase"},
      {"duplicate-task", Severity::error,
       "each task appears once per phase, and migratable tasks on only one rank"},
      {"complete-set", Severity::error,
       "the data set has a file of each rank, and phases with data on all ranks"},
      {"dangling-reference", Severity::warning,
       "both ends of a communication exist: objects as tasks, nodes as ranks"},
      {"unknown-communication-type", Severity::warning,
       "communications have one of the ten documented types"},
      {"task-node", Severity::warning, "the node of each task is the rank of its file"},
      {"metadata", Severity::error, "metadata match the file's rank and phases"},
      {"memory-value", Severity::warning,
       "memory sizes in user_defined are not negative, and block and home numbers are integers"},
      {"local-messages", Severity::warning, "messages between objects of one rank are recorded"},
      {"object-messages", Severity::warning,
       "most bytes are sent between objects, rather than from or to ranks"},
  };
  return all;
}

std::vector<std::string> ValidateOptions::all_checks() {
  std::vector<std::string> names;
  for (const CheckDescription& check : lbdata::checks()) names.emplace_back(check.name);
  return names;
}

CheckSet::CheckSet(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = std::ranges::find(checks(), name, &CheckDescription::name);
    if (found == checks().end()) throw support::unknown_name("check", name, ValidateOptions::all_checks());
    bits_ |= 1U << static_cast<unsigned>(found - checks().begin());
  }
}

bool CheckSet::wants(std::string_view check_name) const {
  const auto found = std::ranges::find(checks(), check_name, &CheckDescription::name);
  return found == checks().end() || (bits_ & (1U << static_cast<unsigned>(found - checks().begin()))) != 0;
}

Diagnostic finding(Check check, std::string what, std::string suggestion) {
  const CheckDescription& description = checks()[static_cast<std::size_t>(check)];
  return {.severity = description.severity,
          .check = std::string(description.name),
          .what = std::move(what),
          .suggestion = std::move(suggestion)};
}

namespace {

constexpr std::string_view size_members[] = {"rank_working_bytes", "task_footprint_bytes",
                                             "task_working_bytes", "task_serialized_bytes", "shared_bytes"};
constexpr std::string_view number_members[] = {"shared_id", "home_rank"};

bool mentions(std::string_view text, std::string_view name) {
  return text.find(name) != std::string_view::npos;
}

/// Returns whether the text may contain one of the members. Most tasks have none, and need not be parsed.
bool may_describe_memory(std::string_view text) {
  return mentions(text, "_bytes") ||
         std::ranges::any_of(number_members, [&](std::string_view name) { return mentions(text, name); });
}

/// Returns whether all members of a JSON object without spaces are whole numbers >= 0 of at most 300 digits,
/// such as 12 or 12.0: then none of them is wrong. Most objects are of this kind, and parsing takes longer.
bool has_only_whole_numbers(std::string_view object) {
  if (!object.starts_with('{') || !object.ends_with('}')) return false;
  const char* at = object.data() + 1;
  const char* const end = object.data() + object.size() - 1;  // "}" ends all loops
  for (;; ++at) {
    if (*at != '"') return false;
    at = std::find(at + 1, end, '"');
    if (at == end || *++at != ':') return false;
    const char* const digits = ++at;
    while (is_digit(*at)) ++at;
    if (at == digits || at - digits > 300) return false;
    if (*at == '.') at = std::find_if(at + 1, end, [](char digit) { return digit != '0'; });
    if (*at != ',') return at == end;
  }
}

std::string size_problem(const std::optional<double>& bytes) {
  if (!bytes) return "expected a number";
  if (*bytes >= 0 && std::isfinite(*bytes)) return "";
  return fmt::format("invalid size {}: must be >= 0", *bytes);
}

std::string number_problem(const std::optional<double>& number) {
  return number && *number == std::trunc(*number) ? "" : "expected an integer";
}

namespace fs = std::filesystem;

/// Returns the ranks that have a file in the directory and set of `file`.
std::set<std::int64_t> ranks_of_set(const fs::path& file) {
  std::set<std::int64_t> ranks;
  try {
    for (const RankFile& other : files_of_base(file.parent_path(), set_name(file))) ranks.insert(other.rank);
  } catch (const Error&) {
    // A file can be readable in a directory that is not.
  }
  return ranks;
}

/// Returns whether an edge refers to an object that its file does not contain, or to a rank without a file.
bool refers_to_other_files(const std::vector<FileReferences>& references) {
  return std::ranges::any_of(references, [&](const FileReferences& file) {
    return std::ranges::any_of(file.phases, [&](const PhaseReferences& phase) {
      const std::vector<std::uint64_t>& nodes = phase.open.nodes;
      return !phase.open.objects.empty() || (!nodes.empty() && nodes.back() >= references.size());
    });
  });
}

Diagnostic note(const std::vector<RankFile>& files, const std::string& reason, std::string suggestion) {
  Diagnostic note = finding(Check::dangling_reference, "references to other files not checked: " + reason,
                            std::move(suggestion));
  note.severity = Severity::note;
  note.file = files.front().path;
  return note;
}

/// Kinds of the messages of one record.
class RecordKinds {
 public:
  RecordKinds(const EntityTable& entities, const PhaseRecord& record)
      : entities_(entities), record_(record) {}

  MessageKinds count(bool find_within_ranks) {
    std::size_t n_migratable = 0;
    for (const EntityIndex entity : record_.tasks.entity) {
      if (find_within_ranks) tasks_.insert(entities_.number(entity).bits);
      if (entities_.migratable(entity)) ++n_migratable;
    }
    kinds_.several_objects = n_migratable > 1;
    if (!record_.communications) return kinds_;
    const Communications& edges = *record_.communications;
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
      add(edges.from[edge], edges.to[edge], edges.bytes[edge],
          static_cast<CommCategory>(edges.category[edge] + 1));
    return kinds_;
  }

 private:
  void add(EntityIndex from, EntityIndex to, double bytes, CommCategory category) {
    if (!is_end(from) || !is_end(to)) return;
    const bool has_rank = is_rank(from) || is_rank(to);
    if (has_rank && is_broadcast(category)) return;
    kinds_.bytes += bytes;
    if (has_rank) {
      kinds_.rank_bytes += bytes;
      return;
    }
    const std::uint64_t numbers[] = {entities_.number(from).bits, entities_.number(to).bits};
    if (numbers[0] == numbers[1]) return;
    ++kinds_.between_objects;
    if (!kinds_.within_ranks)
      kinds_.within_ranks = tasks_.contains(numbers[0]) && tasks_.contains(numbers[1]);
  }
  bool is_end(EntityIndex entity) const {
    const EntityKind kind = entities_.kind(entity);
    return kind == EntityKind::object || kind == EntityKind::node;
  }
  bool is_rank(EntityIndex entity) const {
    return entities_.kind(entity) == EntityKind::node ||
           is_rank_object(entities_.number(entity).bits, entities_.home(entity),
                          entities_.migratable(entity));
  }

  const EntityTable& entities_;
  const PhaseRecord& record_;
  NumberSet tasks_;
  MessageKinds kinds_;
};

}  // namespace

void check_memory_members(std::string_view user_defined, support::JsonParser& parser,
                          const std::function<void(std::string_view member, std::string what)>& add) {
  if (has_only_whole_numbers(user_defined) || !may_describe_memory(user_defined)) return;
  std::optional<support::JsonView> object;
  try {
    object = parser.parse(user_defined);
  } catch (const Error& error) {
    return add("", error.diagnostic().what);
  }
  const auto check = [&](std::string_view name, auto problem_of) {
    const std::optional<support::JsonView> member = object->find(name);
    if (!member || member->is_null()) return;
    if (std::string problem = problem_of(member->get<double>()); !problem.empty())
      add(name, std::move(problem));
  };
  for (const std::string_view name : size_members) check(name, size_problem);
  for (const std::string_view name : number_members) check(name, number_problem);
}

std::optional<Diagnostic> note_of_missing_files(const std::vector<RankFile>& files,
                                                const std::vector<FileReferences>& references) {
  if (files.empty() || !refers_to_other_files(references)) return {};
  const fs::path first = files.front().path;
  const std::size_t in_set = ranks_of_set(first).size();
  if (in_set > files.size()) {
    const std::string set = (first.parent_path() / set_name(first)).string();
    return note(files, fmt::format("the data set has {} files, {} specified", in_set, files.size()),
                fmt::format("use plimsoll validate {} to check all files", support::shell_quoted(set)));
  }
  const std::int64_t last = files.back().rank;
  const std::int64_t named = references.front().highest_rank;
  const bool has_gaps = last >= static_cast<std::int64_t>(files.size());
  const bool names_another_rank = files.size() == 1 && named > last;
  if (!has_gaps && !names_another_rank) return {};
  return note(files,
              fmt::format("the data set has files of other ranks, up to at least {}", std::max(last, named)),
              "specify all files of the data set to check them");
}

void MessageKinds::merge(const MessageKinds& other) {
  between_objects += other.between_objects;
  within_ranks = within_ranks || other.within_ranks;
  several_objects = several_objects || other.several_objects;
  bytes += other.bytes;
  rank_bytes += other.rank_bytes;
}

MessageKinds message_kinds(const Dataset& dataset) {
  MessageKinds kinds;
  for (const RankData& rank : dataset.ranks)
    for (const PhaseRecord& record : rank.phases)
      kinds.merge(RecordKinds(dataset.entities, record).count(!kinds.within_ranks));
  return kinds;
}

bool is_rank_object(std::uint64_t number, std::int64_t home, bool migratable) {
  if (migratable) return false;
  const auto parts = decode_identifier(number);
  return parts && parts->kind == IdentifierKind::bare_handler && parts->home == home;
}

bool is_broadcast(CommCategory category) {
  using enum CommCategory;
  return category == Broadcast || category == CollectionToNodeBcast || category == NodeToCollectionBcast ||
         category == CollectiveToCollectionBcast;
}

std::vector<Diagnostic> message_warnings(const MessageKinds& kinds, std::size_t rank_count) {
  std::vector<Diagnostic> warnings;
  if (!kinds.several_objects || rank_count < 2) return warnings;
  // A few edges may join different ranks by chance.
  if (!kinds.within_ranks && kinds.between_objects >= rank_count)
    warnings.push_back(finding(
        Check::local_messages,
        fmt::format("none of the {} edges between objects joins two objects of one rank",
                    kinds.between_objects),
        "record messages within ranks, too: strategies need them to keep communicating objects together"));
  if (kinds.rank_bytes > kinds.bytes / 2)
    warnings.push_back(
        finding(Check::object_messages,
                fmt::format("{} of the bytes are sent from or to ranks rather than objects",
                            support::format_percentage(kinds.rank_bytes / kinds.bytes)),
                "record messages between objects: those of ranks do not show which objects communicate"));
  return warnings;
}

}  // namespace plimsoll::lbdata
