// Feeds bytes, as a file in memory, to the reader of a program's needed libraries.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "collectives/launching/launch_steps.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const int file = memfd_create("program", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  if (const auto needs = plimsoll::collectives::read_elf_needs("/proc/self/fd/" + std::to_string(file)))
    for (const std::string& name : needs->libraries)
      if (name.empty() || name.size() > size) std::abort();
  return 0;
}
