#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

#include "pelayout/solvers/staircase.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Staircases of all parts of an expression, and the table entries that reach their times. The problem must
/// outlive this object. O(entries of the tables x depth) in time and memory.
class StaircaseTree {
 public:
  /// `total`: maximum number of processors of the expression.
  StaircaseTree(const LayoutProblem& problem, const LayoutExpression& expression, std::int64_t total);

  /// Returns the minimum time of the whole expression.
  const Staircase& stairs() const { return root_.stairs; }
  /// Sets the entry of each component of the expression. The number of processors must be feasible.
  void choose(std::int64_t processors, std::vector<std::size_t>& choice) const {
    choose(root_, processors, choice);
  }

 private:
  struct Part {
    LayoutExpression::Kind kind = LayoutExpression::Kind::component;
    std::size_t table = 0;
    Staircase stairs = {};
    std::vector<Part> parts = {};
    std::optional<std::size_t> spanning = {};  // part of a sequence whose processors contain the others
  };

  Part build(const LayoutExpression& expression) const;
  void choose(const Part& part, std::int64_t processors, std::vector<std::size_t>& choice) const;
  static std::vector<std::int64_t> share_out(const Part& part, std::int64_t processors);

  const LayoutProblem& problem_;
  std::int64_t total_;
  Part root_;
};

}  // namespace plimsoll::pelayout
