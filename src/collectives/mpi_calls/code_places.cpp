#include <utility>

#include <plimsoll/collectives/internal/code_places.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

CodePlaces::Number CodePlaces::number_of(const CodeAddress& code) {
  const auto next = static_cast<Number>(places_.size());
  const auto [known, is_new_address] = of_addresses_.try_emplace({code.module_path, code.offset}, next);
  if (!is_new_address) return known->second;

  const SourcePlace place = names_->place_of(code);
  const bool has_line = !place.file.empty() && !place.is_line_of_function;
  const auto [line, is_new_line] = of_lines_.try_emplace(
      {code.module_path, without_clone(place.function), place.file, place.line, has_line ? 0 : code.offset},
      next);
  known->second = line->second;
  if (is_new_line) places_.push_back({UINT64_MAX, {}, place.function == "main"});
  Place& named = places_[line->second];
  if (code.offset < named.lowest_offset) {
    named.lowest_offset = code.offset;
    named.location = to_text(code, place);
    if (place.is_line_of_function) named.location += line_of_function_mark;
  }
  return line->second;
}

}  // namespace plimsoll::collectives
