// The cases of object_messages_bench. Usage: cases NAME [settings of the recorder]. Rank 0 prints one line
// per result: name, value.
#include "object_messages/cases.hpp"

#include <mpi.h>

#include <map>
#include <string>

#include <plimsoll/runtime/load_recorder.hpp>

namespace {

using namespace plimsoll::bench;
using plimsoll::ObjectSystem;
using plimsoll::mpi::Communicator;

const std::map<std::string, void (*)(const Communicator&)> exchange_cases = {
    {"exchange_small", &exchange_small},
    {"exchange_large", &transfer_large},
};

const std::map<std::string, void (*)(ObjectSystem&)> system_cases = {
    {"local_64_bytes", &send_64_bytes_here},
    {"remote_64_bytes", &send_64_bytes_to_other_rank},
    {"one_mib_messages", &send_one_mib},
    {"one_mib_elements", &migrate_one_mib_elements},
    {"one_mib_elements_returned", &migrate_one_mib_elements},
    {"memory_per_element", &measure_memory_per_element},
    {"million_elements", &create_million_elements},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string name = argc > 1 ? argv[1] : "";
  if (const auto found = exchange_cases.find(name); found != exchange_cases.end()) {
    const Communicator communicator(MPI_COMM_WORLD);
    found->second(communicator);
  } else {
    plimsoll::LoadRecorder recorder(argc, argv, {.lb_quiet = true});
    ObjectSystem system(recorder, {.keep_freed_memory = name != "one_mib_elements_returned"});
    system_cases.at(name)(system);
  }
  MPI_Finalize();
}
