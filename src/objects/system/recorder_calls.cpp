// Compares collective calls of the recorder and its Balancer with those of the system.
#include <fmt/format.h>

#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

std::string_view class_of(std::string_view call) {
  return call == "next_phase" || call == "close" ? "LoadRecorder" : "Balancer";
}

}  // namespace

void ObjectSystem::Parts::compare_recorder_call(std::string_view call, const runtime::WatchedWait& wait) {
  const std::string name = fmt::format("{}::{}()", class_of(call), call);
  expect_main_program(name.c_str());
  if (!is_in_own_call) quiescence.meet(fmt::format("{} in phase {}", name, recorder.phase()), wait);
}

}  // namespace plimsoll::objects
