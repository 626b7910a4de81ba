#include "lbdata/reading/text_shape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

/// Matches `text`, in which integers and strings fill the fields. Returns the fields with their ordinals, or
/// "none" for another shape.
std::string matched(const TextShape& shape, std::string text) {
  text.append(64, '\0');
  std::string fields;
  const char* const end =
      shape.match(text.data(), [&](RecordField field, std::size_t ordinal, const char*& at) {
        fields += std::to_string(static_cast<int>(field)) + '.' + std::to_string(ordinal) + ' ';
        if (field == RecordField::user_defined_begin || field == RecordField::user_defined_end) return true;
        if (field == RecordField::user_string) return skip_usual_string(at);
        return skip_usual_number(at);
      });
  return end == nullptr ? "none" : fields;
}

std::string expected(const std::vector<std::pair<RecordField, int>>& fields) {
  std::string text;
  for (const auto& [field, ordinal] : fields)
    text += std::to_string(static_cast<int>(field)) + '.' + std::to_string(ordinal) + ' ';
  return text;
}

TEST(TextShape, MatchesTextsThatDifferInNumbersOnly) {
  const TextShape shape(R"({"id": 3,"index":[1, 2],"home":0, "type":"object"})", RecordKind::entity);
  const std::string fields = expected({{RecordField::entity_id, 0},
                                       {RecordField::entity_index, 0},
                                       {RecordField::entity_index, 1},
                                       {RecordField::entity_home, 0}});
  EXPECT_EQ(matched(shape, R"({"id": 3,"index":[1, 2],"home":0, "type":"object"})"), fields);
  EXPECT_EQ(matched(shape, R"({"id": 78,"index":[12345, 2],"home":99, "type":"object"},)"), fields);
  EXPECT_EQ(matched(shape, R"({"id": 3,"index":[1, 2],"home":0,"type":"object"})"), "none");
  EXPECT_EQ(matched(shape, R"({"id": 3,"index":[1, 2],"home":0, "type":"node"})"), "none");
  EXPECT_EQ(matched(shape, R"({"id": 3,"index":[1, 2, 3],"home":0, "type":"object"})"), "none");
  EXPECT_EQ(matched(shape, R"({"id": 3,"index":[1, 2],"home":0, "type":"object")"), "none");
}

TEST(TextShape, DividesSubphasesAndUserData) {
  const std::string task =
      R"({"subphases":[{"id":0,"time":1.5},{"id":1,"time":2.5}],"time":4.0,"user_defined":{"a":[1,"x",{"b":2}],"c":true}})";
  EXPECT_EQ(matched(TextShape(task, RecordKind::task), task), expected({{RecordField::subphase_id, 0},
                                                                        {RecordField::subphase_time, 0},
                                                                        {RecordField::subphase_id, 1},
                                                                        {RecordField::subphase_time, 1},
                                                                        {RecordField::task_time, 0},
                                                                        {RecordField::user_defined_begin, 0},
                                                                        {RecordField::user_number, 0},
                                                                        {RecordField::user_string, 0},
                                                                        {RecordField::user_number, 1},
                                                                        {RecordField::user_defined_end, 0}}));
}

TEST(TextShape, StopsAtEndOfText) {
  const std::string entity = R"({"home":0,"id":262147,"migratable":true,"type":"object"})";
  const TextShape shape(entity, RecordKind::entity);
  for (std::size_t length = 0; length < entity.size(); ++length)
    EXPECT_EQ(matched(shape, entity.substr(0, length)), "none") << length;
}

TEST(NumberText, ReadsUsualFractionsOnly) {
  const auto value = [](std::string text) {
    text.append(64, '\0');
    const char* at = text.data();
    double fraction = -1;
    return take_usual_fraction(at, fraction) && *at == '\0' ? fraction : -1;
  };
  EXPECT_EQ(value("0.5"), 0.5);
  EXPECT_EQ(value("133877.51013588873"), 133877.51013588873);
  EXPECT_EQ(value("0.00012345678901234567"), 0.00012345678901234567);
  EXPECT_EQ(value("1e5"), 1e5);
  EXPECT_EQ(value("1.25E-7"), 1.25e-7);
  EXPECT_EQ(value("4.9e-324"), 4.9e-324);
  EXPECT_EQ(value("1234567890123456789.0"), -1);  // 20 digits
  for (const char* other : {"5", "-1.5", "01.5", "1.", ".5", "1e", "1e400", "NaN", "", "1.5x"})
    EXPECT_EQ(value(other), -1) << other;
}

}  // namespace
}  // namespace plimsoll::lbdata
