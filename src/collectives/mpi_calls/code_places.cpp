#include <utility>

#include <plimsoll/collectives/internal/code_places.hpp>
#include <plimsoll/collectives/internal/python_code.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

CodePlaces::Number CodePlaces::number_of(const CodeAddress& address) {
  const auto next = static_cast<Number>(places_.size());
  const auto [known, is_new_address] = of_addresses_.try_emplace({address.module_path, address.offset}, next);
  if (!is_new_address) return known->second;

  const std::optional<PythonLine> python = python_line_of(address.module_path);
  const CodeAddress code = python ? CodeAddress{python_module, address.offset} : address;
  const SourcePlace source = python ? SourcePlace{.function = python->function,
                                                  .offset_in_function = address.offset,
                                                  .file = python->file,
                                                  .line = python->line}
                                    : names_->place_of(address);
  if (source.file.empty()) return add_place(code, source);
  const auto [line, is_new_line] = of_lines_.try_emplace(
      {code.module_path, without_clone(source.function), source.file, source.line}, next);
  if (is_new_line) return add_place(code, source);
  if (source.may_be_line_of_outer_statement) {
    mark_shared_line(line->second);
    const Number added = add_place(code, source);
    mark_shared_line(added);
    return added;
  }
  Place& place = places_[line->second];
  if (code.offset < place.lowest_offset) {
    place.lowest_offset = code.offset;
    place.location = to_text(code, source);
  }
  return known->second = line->second;
}

CodePlaces::Number CodePlaces::add_place(const CodeAddress& code, const SourcePlace& source) {
  Place& place = places_.emplace_back();
  place.lowest_offset = code.offset;
  place.location = to_text(code, source);
  if (source.is_line_of_function) place.location += line_of_function_mark;
  place.is_in_main = source.function == "main";
  return static_cast<Number>(places_.size() - 1);
}

void CodePlaces::mark_shared_line(Number number) {
  std::string& location = places_[number].location;
  if (!location.ends_with(')')) location += line_of_several_calls_mark;
}

}  // namespace plimsoll::collectives
