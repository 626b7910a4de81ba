#include "cli/commands/collectives/traffic_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands/collectives/profile_input.hpp"
#include "cli/options/named_option.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::TrafficKind;

/// Parses LEAD:NUMBER, if specified, into the selection's lead rank and `number`.
template <class Integer>
void read(const char* option, const std::string& text, collectives::TrafficSelection& selection,
          std::optional<Integer>& number) {
  if (text.empty()) return;
  const LeadNumber named = read_lead_number(option, text);
  if (named.number > std::numeric_limits<Integer>::max())
    throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(text), option),
                               fmt::format("use a number <= {}", std::numeric_limits<Integer>::max()));
  selection.lead = named.lead;
  number = static_cast<Integer>(named.number);
}

constexpr support::Named<TrafficKind> traffic_kinds[] = {{"collectives", TrafficKind::collectives},
                                                         {"p2p", TrafficKind::point_to_point},
                                                         {"all", TrafficKind::all}};

}  // namespace

Option add_traffic_kind_option(OptionParser& parser, std::string& name) {
  return parser
      .add_option(
          "--traffic collectives|p2p|all", name,
          "Traffic of collectives, of point-to-point messages and\none-sided transfers (p2p), or of both "
          "(all)\n[default: collectives if the profile contains them]")
      .check(one_of(support::names_of(traffic_kinds)));
}

std::optional<TrafficKind> traffic_kind(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return support::value_of(traffic_kinds, name, "traffic");
}

void add_traffic_options(OptionParser& parser, TrafficOptions& options) {
  std::vector<Option> exclusive = {
      parser.add_option("--call LEAD:ID", options.call, "Only this call on communicators led by LEAD"),
      parser.add_option("--signature LEAD:N", options.signature,
                        "Only calls with the N-th count set of LEAD, counted from 0"),
      parser.add_option("--communicator LEAD:ID", options.communicator,
                        "Only calls on the communicator with this ID and lead rank LEAD")};
  for (std::size_t k = 0; k < exclusive.size(); ++k)
    for (std::size_t other = 0; other < k; ++other) exclusive[k].excludes(exclusive[other]);
  parser.add_option("--operation NAME", options.operation,
                    "Only this operation, e.g. Alltoallv [default: all]");
}

collectives::TrafficSelection traffic_selection(const TrafficOptions& options) {
  collectives::TrafficSelection selection;
  read("--call", options.call, selection, selection.call);
  read("--signature", options.signature, selection, selection.signature);
  read("--communicator", options.communicator, selection, selection.communicator);
  if (!options.operation.empty()) selection.operation = collectives::operation_named(options.operation);
  return selection;
}

}  // namespace plimsoll::cli
