#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <plimsoll/report/exports.hpp>

#include "common/throws_error.hpp"
#include "report/two_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;
using Numbers = std::vector<double>;

/// Mesh read by an XML parser.
class Mesh {
 public:
  template <class Write>
  Mesh(Write&& write, const lbdata::Dataset& dataset, const RankGrid& grid) {
    std::string text;
    write(dataset, 0, grid, [&](std::string_view part) { text += part; });
    EXPECT_TRUE(document_.load_string(text.c_str())) << text;
    piece_ = document_.child("VTKFile").child("PolyData").child("Piece");
  }

  int count(const char* name) const { return piece_.attribute(name).as_int(); }
  Numbers array(const char* part, const char* name) const {
    std::istringstream text(piece_.child(part).find_child_by_attribute("Name", name).text().get());
    Numbers numbers;
    for (std::string word; text >> word;) numbers.push_back(std::stod(word));
    return numbers;
  }

 private:
  pugi::xml_document document_;
  pugi::xml_node piece_;
};

TEST(RankMesh, HasOnePointPerRankWithItsQuantities) {
  const Mesh mesh(write_rank_mesh, two_ranks(), {.x = 1, .y = 2});
  EXPECT_EQ(mesh.count("NumberOfPoints"), 2);
  EXPECT_THAT(mesh.array("PointData", "id"), ElementsAre(0, 1));
  EXPECT_THAT(mesh.array("PointData", "load"), ElementsAre(2, 3));
  EXPECT_THAT(mesh.array("PointData", "number_of_objects"), ElementsAre(2, 1));
  EXPECT_THAT(mesh.array("PointData", "number_of_migratable_objects"), ElementsAre(1, 1));
  EXPECT_THAT(mesh.array("PointData", "migratable_load"), ElementsAre(1.5, 3));
  EXPECT_THAT(mesh.array("PointData", "sentinel_load"), ElementsAre(0.5, 0));
  EXPECT_THAT(mesh.array("PointData", "sent_volume"), ElementsAre(100, 20));
  EXPECT_THAT(mesh.array("PointData", "received_volume"), ElementsAre(20, 100));
  EXPECT_THAT(mesh.array("Points", "points"), ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(mesh.array("Verts", "connectivity"), ElementsAre(0, 1));
  EXPECT_THAT(mesh.array("Verts", "offsets"), ElementsAre(1, 2));
}

TEST(ObjectMesh, HasPointsForObjectsAndLinesForTraffic) {
  const Mesh mesh(write_object_mesh, two_ranks(), {.x = 2});
  EXPECT_EQ(mesh.count("NumberOfPoints"), 3);
  EXPECT_EQ(mesh.count("NumberOfVerts"), 3);
  EXPECT_EQ(mesh.count("NumberOfLines"), 1);
  EXPECT_THAT(mesh.array("PointData", "id"), ElementsAre(3, 4, 5));
  EXPECT_THAT(mesh.array("PointData", "rank_id"), ElementsAre(0, 0, 1));
  EXPECT_THAT(mesh.array("PointData", "load"), ElementsAre(1.5, 0.5, 3));
  EXPECT_THAT(mesh.array("PointData", "migratable"), ElementsAre(1, 0, 1));
  EXPECT_THAT(mesh.array("PointData", "cost"), ElementsAre(2, IsNan(), IsNan()));
  EXPECT_THAT(mesh.array("Lines", "connectivity"), ElementsAre(0, 2));
  EXPECT_THAT(mesh.array("Lines", "offsets"), ElementsAre(2));
  EXPECT_THAT(mesh.array("CellData", "bytes"), ElementsAre(0, 0, 0, 120));
}

// Two objects of a rank share a square of 2 x 2 places; each place is 0.4 wide.
TEST(ObjectMesh, PlacesObjectsAroundTheirRank) {
  const Mesh mesh(write_object_mesh, two_ranks(), {.x = 2});
  const Numbers points = mesh.array("Points", "points");
  const Numbers expected = {-0.2, -0.2, 0, 0.2, -0.2, 0, 1, 0, 0};
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t k = 0; k < points.size(); ++k) EXPECT_NEAR(points[k], expected[k], 1e-12) << k;
}

TEST(RankGrid, IsAlmostSquare) {
  const RankGrid grid = RankGrid::for_ranks(8);
  EXPECT_EQ(grid.x, 3);
  EXPECT_EQ(grid.y, 3);
  EXPECT_EQ(RankGrid::for_ranks(1).x, 1);
  EXPECT_EQ(RankGrid::for_ranks(1).y, 1);
  EXPECT_EQ(RankGrid::for_ranks(2).y, 1);
}

TEST(RankGrid, RejectsTooFewPlaces) {
  check_grid({.x = 2, .y = 2, .z = 2}, 8);
  EXPECT_ERROR(check_grid({.x = 2, .y = 2, .z = 1}, 8), usage,
               "invalid grid 2,2,1: expected room for 8 ranks");
  EXPECT_ERROR(check_grid({.x = -2, .y = -4, .z = 1}, 8), usage, "three numbers >= 1");
}

}  // namespace
}  // namespace plimsoll::report
