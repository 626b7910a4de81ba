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
  /// Relations by their letters in CBC.
  enum class Relation : char { at_most = 'L', at_least = 'G', equal = 'E' };

  /// Throws Error (system) if CBC cannot be loaded.
  MixedIntegerProgram();

  int add_variable(double minimum, double maximum, bool integer = false);
  /// Adds a constraint. A variable may occur in `terms` only once.
  void add_constraint(const Terms& terms, Relation relation, double bound);
  /// Returns the value of each variable where `objective` is minimal, or nothing if no solution exists. Call
  /// it once. Throws Error (system) if CBC fails.
  std::optional<std::vector<double>> minimise(const Terms& objective);

 private:
  std::unique_ptr<void, void (*)(void*)> model_;  ///< Cbc_Model, which is void
  int n_variables_ = 0;
};

}  // namespace plimsoll::pelayout
