#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>

#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

/// Writes a VTK XML PolyData file of one piece, in ASCII. The caller calls the functions in the order in
/// which they are declared. Source: VTK User's Guide, "VTK XML file formats".
class PolyDataWriter {
 public:
  PolyDataWriter(std::size_t n_points, std::size_t n_lines, const std::function<void(std::string_view)>& sink)
      : n_points_(n_points), n_lines_(n_lines), text_(sink) {
    text_.append("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData>\n");
    text_.append("<Piece NumberOfPoints=\"");
    text_.append(n_points);
    text_.append("\" NumberOfVerts=\"");
    text_.append(n_points);
    text_.append("\" NumberOfLines=\"");
    text_.append(n_lines);
    text_.append("\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n");
  }

  void begin_point_data() { text_.append("<PointData Scalars=\"load\">\n"); }
  void end_point_data() { text_.append("</PointData>\n"); }
  void begin_line_data() { text_.append("<CellData>\n"); }
  void end_line_data() { text_.append("</CellData>\n"); }

  /// Writes an array of numbers: doubles as Float64, integers as Int64 or UInt64.
  template <std::ranges::input_range Values>
  void array(std::string_view name, Values&& values, int n_components = 1) {
    using Value = std::ranges::range_value_t<Values>;
    text_.append("<DataArray type=\"");
    text_.append(std::is_floating_point_v<Value> ? "Float64" : std::is_signed_v<Value> ? "Int64" : "UInt64");
    text_.append("\" Name=\"");
    text_.append(drawing::xml_escaped(name));
    text_.append("\" NumberOfComponents=\"");
    text_.append(n_components);
    text_.append("\" format=\"ascii\">\n");
    for (const Value value : values) {
      append(value);
      text_.append("\n");
    }
    text_.append("</DataArray>\n");
  }

  /// Writes the coordinates, three per point.
  template <std::ranges::input_range Coordinates>
  void points(Coordinates&& coordinates) {
    text_.append("<Points>\n");
    array("points", coordinates, 3);
    text_.append("</Points>\n");
    text_.append("<Verts>\n");
    cells(std::views::iota(std::int64_t{0}, static_cast<std::int64_t>(n_points_)), n_points_, 1);
    text_.append("</Verts>\n");
  }

  /// Writes the lines as indices of points, two per line.
  template <std::ranges::input_range Ends>
  void lines(Ends&& ends) {
    text_.append("<Lines>\n");
    cells(ends, n_lines_, 2);
    text_.append("</Lines>\n");
  }

  void finish() {
    text_.append("</Piece>\n</PolyData>\n</VTKFile>\n");
    text_.drain();
  }

 private:
  template <class Ends>
  void cells(Ends&& ends, std::size_t count, std::int64_t points_per_cell) {
    array("connectivity", ends);
    array("offsets", std::views::iota(std::int64_t{1}, static_cast<std::int64_t>(count) + 1) |
                         std::views::transform([=](std::int64_t k) { return k * points_per_cell; }));
  }

  void append(double value) {
    if (!std::isfinite(value)) return text_.append("nan");
    text_.make_room(support::TextBuffer::number_room);
    text_.put_double(value);
  }
  template <std::integral Integer>
  void append(Integer value) {
    text_.append(value);
  }

  std::size_t n_points_;
  std::size_t n_lines_;
  support::TextBuffer text_;
};

}  // namespace plimsoll::report
