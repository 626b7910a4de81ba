#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A layout expression: a component, sequential parts on the same processors (`;`), or concurrent parts on
/// separate processors (`|`).
struct LayoutExpression {
  /// Type of the expression.
  enum class Kind { component, sequence, side_by_side };
  Kind kind = Kind::component;
  std::string component;                ///< upper-case name, for a component
  std::vector<LayoutExpression> parts;  ///< two or more parts of a different kind; empty for a component
  friend bool operator==(const LayoutExpression&, const LayoutExpression&) = default;
};

/// Parses an expression such as `((ICE | LND) ; ATM) | OCN`. Mixing `;` and `|` requires parentheses, because
/// neither has an obvious precedence. Ignores case. Throws Error (bad_input), with the position, for an
/// invalid expression, for nesting deeper than 100, and for duplicate components.
LayoutExpression parse_layout(std::string_view text);
/// Formats the expression as text that parse_layout() reads as the same expression.
std::string to_string(const LayoutExpression& expression);

/// Lists the components of the expression from left to right.
std::vector<std::string> components(const LayoutExpression& expression);

/// Allowed task counts of a component, and costs added to its model.
struct ComponentRule {
  std::int64_t minimum = 1;  ///< minimum task count
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> fixed;        ///< exact task count
  std::optional<std::int64_t> multiple_of;  ///< divisor of the task count; >= 1
  std::optional<std::int64_t> power_of;     ///< base p of the task counts 1, p, p^2, ...
  std::vector<std::int64_t> allowed;        ///< allowed task counts, ascending; empty for any
  std::optional<std::int64_t> block_size;   ///< block size; replaces the block size of the data
  bool spans = false;   ///< whether parts in sequence with the component stay on its processors
  double overhead = 0;  ///< overhead relative to the component's cost; 0.05 adds 5 %
  double wait = 0;      ///< wait added to the component's cost, in the unit of the costs
  bool admits(std::int64_t tasks) const;
  friend bool operator==(const ComponentRule&, const ComponentRule&) = default;
};

/// A layout: the concurrent and sequential components, and their rules.
struct Layout {
  std::string name;
  std::string description;
  LayoutExpression expression;
  std::map<std::string, ComponentRule> rules;  ///< rules by component
  double overhead = 0;  ///< overhead relative to the layout's time (coupling); 0.05 adds 5 %
  double wait = 0;      ///< wait added to the layout's time, in the unit of the costs

  const ComponentRule& rule(const std::string& component) const;
  /// Returns the index of the spanning component among the parts of a sequence; empty if no component spans
  /// the expression, or if the expression is not a sequence.
  std::optional<std::size_t> spanning_part(const LayoutExpression& sequence) const;
};

/// Returns the built-in layouts: IceLndAtmOcn, IceLndWavAtmOcn, AtmLnd, E3SM, ... Sequential is not included,
/// because its components depend on the data.
std::span<const Layout> built_in_layouts();

/// Returns whether a string is the path of a layout's YAML file, i.e. ends in .yaml or .yml.
bool is_layout_file(std::string_view text);

/// Finds a layout by its name, by an expression, or in a YAML file. As in CIME's tool, a module may precede
/// the name ("atm_lnd.AtmLnd"). "Sequential" runs the components in `available` in sequence. Throws Error:
/// usage, with the nearest name, for an unknown layout; bad_input for an invalid expression or file.
Layout find_layout(const std::string& text, std::span<const std::string> available);

/// Reads a layout from YAML with the keys `name`, `description`, `layout` (expression), `overhead`, `wait`
/// and `components`. Each component has the keys `min`, `max`, `fixed`, `multiple_of`, `power_of`, `allowed`,
/// `blocksize`, `spans`, `overhead` and `wait`; earlier names of `min` and `max` are also accepted. Throws
/// Error (bad_input), with file and line, for anything else.
Layout parse_layout_file(std::string_view yaml, const std::string& file);
/// Reads a layout from a YAML file of up to 1 MiB. Also throws Error if the file cannot be read.
Layout read_layout_file(const std::string& path);

}  // namespace plimsoll::pelayout
