#include "balance/strategies/prescribed_lb/prescribed_lb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr const char* forms = "use one rank per object, e.g. 3,3,0, or object:rank pairs, e.g. 17:3, 18:0";

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  bool at_end() {
    skip_separators();
    return rest_.empty();
  }
  bool take(char sign) {
    if (at_end() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Consumes the next word if it is a name. Returns whether it did so.
  bool take_name() {
    if (at_end() || !is_letter(rest_.front())) return false;
    while (!rest_.empty() && is_letter(rest_.front())) rest_.remove_prefix(1);
    return true;
  }
  /// Reads a 64-bit integer, with or without sign, optionally in quotes.
  std::uint64_t take_number() {
    const bool quoted = take('"');
    if (at_end()) fail("a number");
    std::uint64_t number = 0;
    std::int64_t negative = 0;
    const bool is_number =
        rest_.front() == '-' ? support::take_number(rest_, negative) : support::take_number(rest_, number);
    if (!is_number) fail("a number");
    if (quoted && !take('"')) fail("a quotation mark");
    if (!rest_.empty() && (is_letter(rest_.front()) || rest_.front() == '.')) fail("a separator");
    return number | static_cast<std::uint64_t>(negative);
  }
  [[noreturn]] void fail(const char* expected) {
    const bool ends = at_end();
    const std::string found = ends ? "the end" : fmt::format("{:?}", rest_.substr(0, 10));
    throw support::bad_input(
        fmt::format("line {} of {}: found {}, expected {}", line_, source_, found, expected), {}, forms);
  }

 private:
  static bool is_letter(char character) {
    return std::isalpha(static_cast<unsigned char>(character)) != 0 || character == '_';
  }
  void skip_separators() {
    while (!rest_.empty() &&
           (rest_.front() == ',' || std::isspace(static_cast<unsigned char>(rest_.front())) != 0)) {
      if (rest_.front() == '\n') ++line_;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  const std::string& source_;
  std::size_t line_ = 1;
};

}  // namespace

Prescription parse_prescription(std::string_view text, const std::string& source) {
  Prescription result;
  result.source = source;
  Scanner scanner(text, result.source);
  const bool is_array = scanner.take('[');
  const bool is_object = !is_array && scanner.take('{');
  const bool is_table = !is_array && !is_object && scanner.take_name();
  if (is_table && !scanner.take_name()) scanner.fail("a second name");
  result.by_number = is_object || is_table;

  const auto at_end = [&] {
    return is_array ? scanner.take(']') : is_object ? scanner.take('}') : scanner.at_end();
  };
  for (bool first = true; !at_end(); first = false) {
    const std::uint64_t number = scanner.take_number();
    if (first && !is_array && !is_table && scanner.take(':')) {
      result.by_number = true;
    } else if (result.by_number && !is_table && !scanner.take(':')) {
      scanner.fail("a colon");
    }
    if (result.by_number)
      result.entries.push_back({number, static_cast<std::int64_t>(scanner.take_number())});
    else
      result.ranks.push_back(static_cast<std::int64_t>(number));
  }
  if (!scanner.at_end()) scanner.fail("the end");
  return result;
}

namespace {

/// Reads the placement of one phase of an LB data set; -1 selects the last phase with data on all ranks.
/// Throws the same Errors as the reader and load_phase().
Prescription read_prescription(const std::string& folder, std::int64_t phase) {
  const lbdata::Dataset dataset = lbdata::read(lbdata::find_rank_files({folder})).dataset;
  if (phase < 0) phase = last_complete_phase(dataset, folder);
  const LDStats stats = load_phase(dataset, phase).stats;
  Prescription result;
  result.source = fmt::format("phase {} of {}", phase, folder);
  result.by_number = true;
  for (std::size_t object = 0; object < stats.numbers.size(); ++object)
    result.entries.push_back({stats.numbers[object], stats.from_proc[object]});
  return result;
}

/// Maximum size of a placement file, sufficient for about 10^7 objects.
constexpr std::uint64_t max_file_bytes = std::uint64_t{256} << 20;

Prescription prescription(const Parameters& parameters) {
  const auto& placement = parameters.get<std::string>("placement");
  const auto& file = parameters.get<std::string>("file");
  const auto& data = parameters.get<std::string>("data");
  const int n_given = (placement.empty() ? 0 : 1) + (file.empty() ? 0 : 1) + (data.empty() ? 0 : 1);
  if (n_given != 1)
    throw support::usage_error(
        fmt::format("PrescribedLB requires exactly one of placement, file and data: {} set",
                    n_given == 0 ? "none" : "several"),
        "set exactly one of them, e.g. placement=3,3,0,0");
  const auto phase = parameters.get<std::int64_t>("phase");
  if (phase < -1)
    throw invalid_parameter("PrescribedLB", "phase", phase,
                            "use a number >= 0, or -1 for the last phase with data on all ranks");
  if (!data.empty()) return read_prescription(data, phase);
  if (!file.empty()) return parse_prescription(support::read_text_file(file, max_file_bytes), file);
  return parse_prescription(placement, "the parameter placement");
}

class Prescriber {
 public:
  Prescriber(const Prescription& prescription, const LDStats& stats, ObjGraph& graph)
      : prescription_(prescription), stats_(stats), graph_(graph), objects_(stats.obj_data.size()) {
    std::iota(objects_.begin(), objects_.end(), 0);
    std::ranges::stable_sort(objects_, {}, std::bind_front(&Prescriber::number, this));
  }

  void prescribe() {
    if (prescription_.by_number)
      by_number();
    else
      in_order();
  }

 private:
  /// Returns the user-visible number of an object, or its index in the LDStats if objects have no numbers.
  std::uint64_t number(std::uint32_t object) const {
    return stats_.numbers.empty() ? object : stats_.numbers[object];
  }

  void in_order() {
    if (prescription_.ranks.size() != objects_.size())
      throw support::usage_error(fmt::format("{} has {} ranks for {} objects", prescription_.source,
                                             prescription_.ranks.size(), objects_.size()),
                                 "specify one rank per object, including non-migratable objects");
    for (std::size_t i = 0; i < objects_.size(); ++i) place(objects_[i], prescription_.ranks[i]);
  }

  void by_number() {
    for (const Prescription::Entry& entry : prescription_.entries) {
      const auto number_of = std::bind_front(&Prescriber::number, this);
      const std::span objects(std::ranges::lower_bound(objects_, entry.number, {}, number_of),
                              std::ranges::upper_bound(objects_, entry.number, {}, number_of));
      if (objects.empty())
        throw support::usage_error(
            fmt::format("unknown object {1} in {0}", prescription_.source, entry.number),
            "use the object's id from the files, or its seq_id if it has no id");
      // If non-migratable objects of several ranks share a number, use the one on the prescribed rank.
      const auto there = std::ranges::find_if(objects, [&](std::uint32_t object) {
        return !graph_.migratable(object) && stats_.from_proc[object] == entry.rank;
      });
      const std::uint32_t object = there == objects.end() ? objects.front() : *there;
      if (graph_.migratable(object) && graph_.new_pe(object) != ObjGraph::no_pe)
        throw support::usage_error(
            fmt::format("duplicate object {1} in {0}", prescription_.source, number(object)),
            "specify it once");
      place(object, entry.rank);
    }
    for (std::uint32_t object = 0; object < graph_.n_vertices(); ++object)
      if (graph_.migratable(object) && graph_.new_pe(object) == ObjGraph::no_pe)
        throw support::usage_error(
            fmt::format("missing rank for object {1} in {0}", prescription_.source, number(object)),
            "specify one rank per migratable object");
  }

  void place(std::uint32_t object, std::int64_t rank) {
    const auto wants = [&] {
      return fmt::format("{} places object {} on rank {}", prescription_.source, number(object), rank);
    };
    if (rank < 0 || rank >= stats_.count())
      throw support::usage_error(fmt::format("{}, but the phase has only {} ranks", wants(), stats_.count()),
                                 "use rank numbers from 0");
    if (rank != stats_.from_proc[object] && !graph_.migratable(object))
      throw support::usage_error(
          fmt::format("{}, but it is not migratable and is on rank {}", wants(), stats_.from_proc[object]),
          "specify its current rank");
    if (graph_.migratable(object) && !stats_.procs[static_cast<std::size_t>(rank)].available)
      throw support::usage_error(fmt::format("{}, which is not available", wants()), "use another rank");
    graph_.set_new_pe(object, static_cast<std::int32_t>(rank));
  }

  const Prescription& prescription_;
  const LDStats& stats_;
  ObjGraph& graph_;
  std::vector<std::uint32_t> objects_;  ///< objects by number
};

/// Places every object on the rank that the user specifies, in order to test or replay an existing placement.
/// Cost: O(objects log objects). Source: PrescribedPermutation of LBAF 1.6, OfflineLB of vt 1.6.
class PrescribedLB : public Strategy {
 public:
  /// Throws Error (usage) unless exactly one of `placement`, `file` and `data` is given. Throws the same
  /// Errors as the reader of that source.
  explicit PrescribedLB(const Parameters& parameters)
      : Strategy("PrescribedLB", parameters), prescription_(prescription(parameters)) {}

  /// Also throws Error (usage) for an invalid placement. It is invalid if it lacks a migratable object,
  /// contains unknown objects, or migrates non-migratable objects. It is also invalid if it uses ranks that
  /// do not exist or are not available.
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    ObjGraph graph(stats, GraphEdges::ignore);
    Prescriber(prescription_, stats, graph).prescribe();
    graph.convert_decisions(stats);
  }

  bool minimises_score() const override { return false; }

 private:
  Prescription prescription_;
};

}  // namespace

StrategyInfo prescribed_lb_info() {
  return {
      "PrescribedLB",
      "places every object as specified, to evaluate a placement from another source",
      {{"placement", std::string(),
        "rank of each object by ascending object number (3,3,0), or object:rank pairs"},
       {"file", std::string(), "file that contains a placement (text, JSON or CSV)"},
       {"data", std::string(), "directory of LB data files that contain the placement"},
       {"phase", std::int64_t{-1}, "phase to read from data (-1: the last phase with data on all ranks)"}},
      make_strategy<PrescribedLB>,
      {.communication = false},
      {{"PrescribedPermutation"}},
      true};
}

}  // namespace plimsoll::balance
