#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

/// A process that keeps one core busy during its lifetime.
class BusyProcess {
 public:
  BusyProcess() : process_(fork()) {
    volatile std::uint64_t count = 0;
    while (process_ == 0) count = count + 1;
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;
  ~BusyProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_;
};
