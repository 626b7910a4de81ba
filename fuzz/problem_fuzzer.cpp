// Feeds bytes to the reader of layout problems. Writing and rereading an accepted problem must give the same
// problem, and writing it again must give the same bytes.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/error.hpp>

namespace pelayout = plimsoll::pelayout;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pelayout::Problem problem;
  try {
    problem = pelayout::parse_problem({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const plimsoll::Error&) {
    return 0;
  }
  const std::string json = pelayout::to_json(problem);
  const pelayout::Problem again = pelayout::parse_problem(json, "again");
  if (again.components != problem.components || again.total_tasks != problem.total_tasks ||
      again.layout != problem.layout || again.description != problem.description ||
      again.unit != problem.unit || pelayout::to_json(again) != json)
    std::abort();
  return 0;
}
