#pragma once

#include <span>
#include <string>
#include <vector>

#include <plimsoll/documents/description.hpp>
#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// The best layout and its analysis, as `plimsoll layout solve` computes them.
struct StudyInfo {
  const pelayout::Study& study;
  std::span<const Diagnostic> warnings;  ///< about the data
  std::vector<std::string> outputs;      ///< files that were written
};

/// The built-in layouts.
struct LayoutList {};

/// Description of the layout without a fixed expression: all components of the data in sequence.
constexpr const char* sequential_layout = "All components of the data in sequence";

}  // namespace plimsoll::documents
