#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A variable with a factor; several terms form a sum.
struct Term {
  int variable = 0;
  double factor = 1;
};
using Terms = std::vector<Term>;

/// A mixed-integer linear program that CBC solves to optimality, without output and files.
class MixedIntegerProgram {
 public:
  enum class Relation { at_most, at_least, equal };

  static bool available();

  /// Throws Error (usage) if Plimsoll was built without CBC.
  MixedIntegerProgram();
  ~MixedIntegerProgram();

  int add_variable(double minimum, double maximum);
  int add_integer(double minimum, double maximum);
  /// Adds a constraint. A variable may occur in `terms` only once.
  void add_constraint(const Terms& terms, Relation relation, double bound);
  /// Returns the value of each variable where `objective` is minimal, or nothing if no solution exists. Call
  /// it once. Throws Error (system) if CBC fails.
  std::optional<std::vector<double>> minimise(const Terms& objective);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

inline double value(const Terms& terms, const std::vector<double>& of_variables) {
  double sum = 0;
  for (const Term& term : terms) sum += term.factor * of_variables[static_cast<std::size_t>(term.variable)];
  return sum;
}

}  // namespace plimsoll::pelayout
