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

namespace plimsoll::inline v0_1::pelayout {

/// A layout expression: a component; parts in sequence on the same processors (`;`); or parts side by side
/// on processors of their own (`|`).
struct LayoutExpression {
  /// What it consists of.
  enum class Kind { component, sequence, side_by_side };
  Kind kind = Kind::component;
  std::string component;                ///< upper case, if it is one
  std::vector<LayoutExpression> parts;  ///< at least two, if it is none; never of its own kind
  friend bool operator==(const LayoutExpression&, const LayoutExpression&) = default;
};

/// Reads `((ICE | LND) ; ATM) | OCN`. `;` and `|` are not mixed without parentheses, since readers take
/// neither for the stronger. Case does not matter.
/// Throws Error (bad_input) that shows the place, for a text that is no expression, nested more than 100
/// deep, or has a component twice.
LayoutExpression parse_layout(std::string_view text);
/// The expression as parse_layout() reads it.
std::string to_string(const LayoutExpression& expression);

/// Its components from left to right.
std::vector<std::string> components(const LayoutExpression& expression);

/// What task counts a component may have, and what it costs beside its model.
struct ComponentRule {
  std::int64_t least = 1;  ///< minimum task count
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> fixed;        ///< exactly so many tasks
  std::optional<std::int64_t> multiple_of;  ///< 1 or more
  std::optional<std::int64_t> power_of;     ///< 1, p, p^2, ...
  std::vector<std::int64_t> allowed;        ///< only these, if there are any; ascending
  std::optional<std::int64_t> block_size;   ///< instead of the data's
  bool spans = false;                       ///< what runs in sequence with it stays on its processors
  double overhead = 0;                      ///< of its cost; 0.05 adds 5 %
  double wait = 0;                          ///< added to its cost, in the unit of the costs
  bool admits(std::int64_t tasks) const;
  friend bool operator==(const ComponentRule&, const ComponentRule&) = default;
};

/// A layout: who runs beside and after whom, and within what bounds.
struct Layout {
  std::string name;
  std::string description;
  LayoutExpression expression;
  std::map<std::string, ComponentRule> rules;  ///< by component
  double overhead = 0;                         ///< of the layout's time (coupling), 0.05 adds 5 %
  double wait = 0;                             ///< added to it, in the unit of the costs

  const ComponentRule& rule(const std::string& component) const;
  /// Which part of a sequence is the component that spans it; nothing if none is, or it is no sequence.
  std::optional<std::size_t> spanning_part(const LayoutExpression& sequence) const;
};

/// The layouts that have names: IceLndAtmOcn, IceLndWavAtmOcn, AtmLnd, E3SM, ... except Sequential, which has
/// whatever components the data have.
std::span<const Layout> built_in_layouts();

/// Whether a text is the path of a layout's YAML file: it ends in .yaml or .yml.
bool is_layout_file(std::string_view text);

/// A layout by its name (also with a module before it, as CIME's tool has it: "atm_lnd.AtmLnd"; "Sequential"
/// puts `available` in sequence), by an expression, or from a YAML file.
/// Throws Error: usage, with the nearest name, if it is none of these; bad_input for a broken expression or
/// file.
Layout find_layout(const std::string& text, std::span<const std::string> available);

/// Reads a layout from YAML: `name`, `description`, `layout` (expression), `overhead`, `wait`, `components`
/// with `least`, `most`, `fixed`, `multiple_of`, `power_of`, `allowed`, `blocksize`, `spans`, `overhead`,
/// `wait` of each. Throws Error (bad_input) with file and line for anything else.
Layout parse_layout_file(std::string_view yaml, const std::string& file);
/// The same from a file of at most 1 MiB. Throws Error also if it cannot be read.
Layout read_layout_file(const std::string& path);

}  // namespace plimsoll::pelayout
