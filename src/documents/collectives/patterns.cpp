#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/documents/collectives.hpp>

#include "documents/collectives/numbers.hpp"
#include "documents/describe.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

using collectives::CallAmount;
using collectives::Degree;
using collectives::LeadPatterns;
using collectives::Operation;
using collectives::Pattern;
using collectives::PatternClass;
using collectives::RepeatedCycle;
using collectives::Shape;
using collectives::StructureTotal;

namespace {

std::vector<std::string> names_of(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const Operation& operation : operations) names.push_back(operation.name());
  return names;
}

std::vector<StructureTotal> all_structures(const PatternList& list) {
  return collectives::total_structures(*list.patterns);
}

/// This number of ranks has this number of peers each.
struct PeerCount {
  std::uint64_t ranks = 0;
  std::uint64_t peers = 0;
};

std::vector<PeerCount> peer_counts(const collectives::PeerCounts& counts) {
  std::vector<PeerCount> list;
  for (const auto& [peers, ranks] : counts) list.push_back({ranks, peers});
  return list;
}

/// A pattern with its number.
struct NumberedPattern {
  std::size_t number = 0;
  const Pattern* pattern = nullptr;
  const PatternList* list = nullptr;
};

std::vector<std::string> classes(const NumberedPattern& numbered) {
  return classes_of(*numbered.pattern, numbered.list->factor);
}

/// A part of a repeated cycle.
struct CyclePart {
  std::size_t pattern = 0;
  std::uint64_t calls = 0;
};

/// The patterns of a lead, with the options of their document.
struct PatternsOfLead {
  const LeadPatterns* lead = nullptr;
  const PatternList* list = nullptr;
};

std::vector<NumberedPattern> numbered_patterns(const PatternsOfLead& of_lead) {
  std::vector<NumberedPattern> patterns;
  for (std::size_t k = 0; k < of_lead.lead->patterns.size(); ++k)
    patterns.push_back({k, &of_lead.lead->patterns[k], of_lead.list});
  return patterns;
}

std::vector<std::size_t> heavy(const PatternsOfLead& of_lead) {
  return collectives::heaviest(*of_lead.lead, of_lead.list->order, of_lead.list->heavy);
}

std::vector<PatternsOfLead> leads(const PatternList& list) {
  std::vector<PatternsOfLead> leads;
  for (const LeadPatterns& lead : *list.patterns) leads.push_back({&lead, &list});
  return leads;
}

}  // namespace

std::vector<std::string> classes_of(const Pattern& pattern, std::optional<double> factor) {
  std::vector<std::string> names;
  if (factor) {
    for (const PatternClass one : {PatternClass::one_to_n, PatternClass::n_to_one, PatternClass::n_to_n})
      if (is_of_class(pattern.shape, one, {.factor = *factor})) names.emplace_back(to_string(one));
    return names;
  }
  for (const auto& [structure, amount] : pattern.structures)
    if (const char* name = to_string(structure.kind); names.empty() || names.back() != name)
      names.emplace_back(name);
  return names;
}

template <>
inline constexpr std::array fields<Degree> = {
    field<&Degree::min>("min"),
    field<&Degree::max>("max"),
};

template <>
inline constexpr std::array fields<StructureTotal> = {
    field<&StructureTotal::structure, &collectives::Structure::kind>(
        "class",
        "`empty`, `local`, `pairwise`, `shift`, `gather`, `scatter`, `dense`, `transpose`, `halo` or "
        "`irregular`"),
    field<&StructureTotal::structure, &collectives::Structure::senders>(
        "senders", "number of ranks that send to other ranks"),
    field<&StructureTotal::structure, &collectives::Structure::receivers>(
        "receivers", "number of ranks that receive from other ranks"),
    field<&StructureTotal::structure, &collectives::Structure::sends_to>(
        "sends_to", "number of other ranks to which a sender sends"),
    field<&StructureTotal::structure, &collectives::Structure::receives_from>(
        "receives_from", "number of other ranks from which a receiver receives"),
    field<&StructureTotal::structure, &collectives::Structure::symmetric>(
        "symmetric", "whether each rank sends to exactly the ranks from which it receives"),
    field<&StructureTotal::amount, &CallAmount::calls>("calls", "number of calls"),
    field<&StructureTotal::amount, &CallAmount::bytes>("bytes", "bytes sent in them"),
    field<&StructureTotal::operations, names_of>("operations", "names of the operations"),
    field<&StructureTotal::leads, ranges_of>("leads", "lead ranks such as `\"0, 4-5\"`"),
};

template <>
inline constexpr std::array fields<PeerCount> = {
    field<&PeerCount::ranks>("ranks"),
    field<&PeerCount::peers>("peers"),
};

template <>
inline constexpr std::array fields<Shape> = {
    field<&Shape::send, peer_counts>("sent", "this number of ranks sends to this number of peers each"),
    field<&Shape::recv, peer_counts>("received",
                                     "this number of ranks receives from this number of peers each"),
};

template <>
inline constexpr std::array fields<NumberedPattern> = {
    field<&NumberedPattern::number>("pattern", "its number"),
    field<&NumberedPattern::pattern, &Pattern::calls, &collectives::NumberList::size>("calls",
                                                                                      "number of calls"),
    field<&NumberedPattern::pattern, &Pattern::calls, ranges_of>("call_ids", "such as `\"0, 2-3\"`"),
    field<&NumberedPattern::pattern, &Pattern::bytes>("bytes", "bytes sent in these calls"),
    field<&NumberedPattern::pattern, &Pattern::shape, &Shape::empty>(
        "empty", "whether no rank sends or receives data"),
    field<classes>("classes",
                   "one or more of the classes above; with `--factor`, any of `1-to-n`, `n-to-1`, `n-to-n`"),
    merged<&NumberedPattern::pattern, &Pattern::shape>(),
};

template <>
inline constexpr std::array fields<CyclePart> = {
    field<&CyclePart::pattern>("pattern"),
    field<&CyclePart::calls>("calls"),
};

template <>
inline constexpr std::array fields<RepeatedCycle> = {
    field<&RepeatedCycle::first_call>("first_call"),
    field<&RepeatedCycle::last_call>("last_call"),
    field<&RepeatedCycle::repeats>("repeats", "number of consecutive repetitions of the cycle"),
    entries<CyclePart, &RepeatedCycle::cycle>("cycle", ""),
};

template <>
inline constexpr std::array fields<PatternsOfLead> = {
    field<&PatternsOfLead::lead, &LeadPatterns::job>("job", "job ID"),
    field<&PatternsOfLead::lead, &LeadPatterns::lead>("lead", "lead rank"),
    field<&PatternsOfLead::lead, &LeadPatterns::operation, &Operation::name>("operation"),
    field<&PatternsOfLead::lead, &LeadPatterns::calls>("calls", "number of calls"),
    field<numbered_patterns>("patterns", "sorted by first call"),
    field<heavy>("heavy", "the numbers of the heaviest patterns, selected by `--heavy` and `--by`"),
    field<&PatternsOfLead::lead, &LeadPatterns::timeline>("timeline", "sequence of the patterns"),
    field<&PatternsOfLead::lead, &LeadPatterns::sum>("sum", "ranks summed over all calls"),
};

template <>
inline constexpr std::array fields<PatternList> = {
    field<&PatternList::factor>("factor", "value of `--factor`; `null` without it"),
    field<all_structures>(
        "structures",
        "most calls first; [analyse-collectives.md](../how-to/analyse-collectives.md) defines the classes"),
    field<leads>("leads", "the patterns of each lead rank and operation"),
    field<&PatternList::files>("files", "the files written"),
};

template <>
const Structure& structure<PatternList>() {
  return structure_of<PatternList>;
}

}  // namespace plimsoll::documents
