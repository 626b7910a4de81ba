#include "documents/describe.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::documents {
namespace {

struct Point {
  int x = 1;
  double y = 0.5;

  double sum() const { return x + y; }
};

struct Sample {
  Point point;
  std::vector<Point> list;
  std::optional<double> maybe;
  std::string name;
  const Point* other = nullptr;
  std::map<int, int> counts;
  std::map<std::string, double> by_name;
  std::variant<bool, double, std::string> any = true;
  std::vector<std::tuple<int, double>> pairs;
  bool is_known = false;
};

std::size_t size_of_list(const Sample& sample) {
  return sample.list.size();
}

Point temporary(const Sample& sample) {
  return {.x = sample.point.x + 1};
}

struct Count {
  int size;
  int calls;
};

/// A part whose description needs the sample that contains it.
struct Part {
  int size = 2;
};

struct Whole {
  int factor = 3;
  Part part;
};

}  // namespace

template <>
constexpr std::array fields<Point> = {
    field<&Point::x>("x", "first coordinate"),
    field<&Point::y>("y").or_null(),
};

template <>
constexpr std::array fields<Count> = {members<&Count::size, &Count::calls>()};

template <>
constexpr std::array fields<Part> = {
    field<[](const Part& part, const Whole& whole) { return part.size * whole.factor; }>("product"),
    only_if<[](const Part&, const Whole& whole) { return whole.factor == 3; }>(field<&Part::size>("size")),
};

template <>
constexpr std::array fields<Whole> = {field<&Whole::part>("part")};

namespace {

/// Writes a sample of which one field is described.
std::string written(const Field& field, const Sample& sample) {
  std::string text;
  support::JsonWriter json(text);
  const Structure structure = {qualified_name<Sample>(), {&field, 1}};
  json.begin_object();
  write_members(json, {structure, &sample});
  json.end_object();
  return text;
}

struct DescriptionCase {
  const char* what;
  Field field;
  Sample sample;
  const char* expected;
};

TEST(Description, WritesValuesAtTheEndOfPaths) {
  const DescriptionCase cases[] = {
      {"structure", field<&Sample::point>("p"), {}, R"({"p":{"x":1,"y":0.5}})"},
      {"path", field<&Sample::point, &Point::sum>("s"), {}, R"({"s":1.5})"},
      {"function", field<size_of_list>("n"), {.list = {{}, {}}}, R"({"n":2})"},
      {"lambda", field<[](const Sample& sample) { return sample.name + "!"; }>("t"), {}, R"({"t":"!"})"},
      {"member", member<&Sample::point, &Point::x>(), {}, R"({"x":1})"},
      {"members", members<&Sample::name, &Sample::is_known>(), {}, R"({"name":"","is_known":false})"},
      {"path through a null pointer", field<&Sample::other, &Point::x>("x"), {}, R"({"x":null})"},
      {"absent path", field<&Sample::other, &Point::x>("x").or_absent(), {}, "{}"},
      {"path through a temporary", field<temporary, &Point::x>("x"), {}, R"({"x":2})"},
      {"list", field<&Sample::list>("l"), {.list = {{.x = 3}}}, R"({"l":[{"x":3,"y":0.5}]})"},
      {"empty optional", field<&Sample::maybe>("m"), {}, R"({"m":null})"},
      {"absent optional", field<&Sample::maybe>("m").or_absent(), {}, "{}"},
      {"present optional", field<&Sample::maybe>("m").or_absent(), {.maybe = 2}, R"({"m":2.0})"},
      {"empty text", field<&Sample::name>("t"), {}, R"({"t":""})"},
      {"empty text or null", field<&Sample::name>("t").or_null(), {}, R"({"t":null})"},
      {"null pointer", field<&Sample::other>("o"), {}, R"({"o":null})"},
      {"entries of a map",
       entries<Count, &Sample::counts>("c", ""),
       {.counts = {{4, 2}}},
       R"({"c":[{"size":4,"calls":2}]})"},
      {"named values", field<&Sample::by_name>("v"), {.by_name = {{"a", 1}}}, R"({"v":{"a":1.0}})"},
      {"alternatives", field<&Sample::any>("a"), {.any = "text"}, R"({"a":"text"})"},
      {"tuples", field<&Sample::pairs>("t"), {.pairs = {{1, 2.5}}}, R"({"t":[[1,2.5]]})"},
      {"not a number", field<&Sample::point>("p"), {.point = {.y = NAN}}, R"({"p":{"x":1,"y":null}})"},
      {"merged", merged<&Sample::point>(), {}, R"({"x":1,"y":0.5})"},
      {"merged null pointer", merged<&Sample::other>(), {}, "{}"},
      {"condition that fails", only_if<&Sample::is_known>(field<&Sample::name>("t")), {}, "{}"},
      {"condition that holds",
       only_if<&Sample::is_known>(field<&Sample::name>("t")),
       {.is_known = true},
       R"({"t":""})"},
  };
  for (const DescriptionCase& each : cases)
    EXPECT_EQ(written(each.field, each.sample), each.expected) << each.what;
}

TEST(Description, UsesTheStructureThatContainsAValue) {
  const Whole wholes[] = {{}, {.factor = 5}};
  const char* const expected[] = {R"({"part":{"product":6,"size":2}})", R"({"part":{"product":10}})"};
  for (std::size_t k = 0; k < std::size(wholes); ++k) {
    std::string text;
    support::JsonWriter json(text);
    detail::write_value(json, wholes[k], {structure_of<Whole>});
    EXPECT_EQ(text, expected[k]);
  }
}

TEST(Description, KnowsTypes) {
  using Kind = Type::Kind;
  EXPECT_EQ(field<&Point::x>("x").type->kind, Kind::integer);
  EXPECT_EQ(field<&Point::sum>("s").type->kind, Kind::number);
  EXPECT_EQ(field<&Sample::is_known>("b").type->kind, Kind::boolean);
  EXPECT_EQ(field<&Sample::any>("a").type->kind, Kind::any);
  EXPECT_EQ(field<&Sample::by_name>("v").type->kind, Kind::map);
  EXPECT_EQ(field<&Sample::list>("l").type->element->structure->fields.front().meaning, "first coordinate");
  EXPECT_TRUE(field<&Sample::maybe>("m").may_be_null());
  EXPECT_FALSE(field<&Sample::maybe>("m").or_absent().may_be_null());
  EXPECT_TRUE(field<&Sample::maybe>("m").or_absent().may_be_absent());
  EXPECT_FALSE(field<&Sample::other>("o").may_be_null());
  EXPECT_TRUE(field<&Sample::other>("o").or_null().may_be_null());
  EXPECT_EQ(field<&Sample::pairs>("t").type->element->size, 2U);
  EXPECT_EQ((members<&Point::x, &Point::y>().type->structure->fields[1].key), "y");
}

}  // namespace
}  // namespace plimsoll::documents
