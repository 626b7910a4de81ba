// Feeds text to the parser of LB configuration files. A schedule must be unchanged after writing its entries
// and parsing them again. Plug-ins and strategies that read files are not part of the test.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/support/error.hpp>

namespace balance = plimsoll::balance;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* reads_files : {"/", ".so", "PrescribedLB"})
    if (text.find(reads_files) != std::string_view::npos) return 0;
  try {
    const balance::LbSchedule schedule = balance::LbSchedule::parse(text, "lb.conf");
    std::string again;
    for (const balance::LbScheduleEntry& entry : schedule.entries()) {
      again += (entry.modulus ? "%" : "") + std::to_string(entry.number) + " " + entry.strategy.name;
      for (const auto& [key, value] : entry.strategy.parameters) again += " " + key + "=" + value;
      again += "\n";
    }
    const balance::LbSchedule parsed = balance::LbSchedule::parse(again, "again");
    if (parsed.table() != schedule.table()) std::abort();
    for (const std::int64_t phase : {0, 1, 2, 10, 60, 97})
      if (parsed.strategy(phase) != schedule.strategy(phase)) std::abort();
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
