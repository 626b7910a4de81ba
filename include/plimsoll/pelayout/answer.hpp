#pragma once

#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// What a study advises, in sentences. The command and the report page print the same ones.
struct Answer {
  std::string layout;  ///< "Best layout on 3,072 tasks (24 nodes)", or "Keep your layout on ..."
  std::string time;    ///< expected or, of a kept layout, measured time: "22.11"
  std::string unit;    ///< unit of the time: "s/model day"
  std::string range;   ///< " (90 %: 18.63 to 32.80)"; empty without a useful range
  /// How the time compares with runs, and from what it follows; the most important sentence first.
  std::vector<std::string> remarks;
  /// Faster layouts, the critical path, the cost of waiting, and what other totals bring.
  std::vector<std::string> notes;

  /// Returns the first line: "Best layout on 3,072 tasks (24 nodes): 22.11 s/model day (90 %: 18.63 to
  /// 32.80)".
  std::string headline() const;
};

/// Formulates the answer of a study. O(components + runs).
Answer answer(const Study& study);

}  // namespace plimsoll::pelayout
