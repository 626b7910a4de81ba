#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

ThreadWork::ThreadWork(int thread_number, pid_t thread_id, Clock::Source source, bool with_cpu_time)
    : number(thread_number),
      system_id(thread_id),
      timer(source),
      cpu(with_cpu_time ? std::make_unique<CpuMeter>() : nullptr) {}

void ThreadWork::clear() {
  timer.clear();
  if (cpu) cpu->clear();
  edges.end_phase();
  added.clear();
  taken_ticks = 0;
  used = false;
}

}  // namespace plimsoll::runtime
