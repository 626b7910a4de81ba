#pragma once

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/objects/object_system.hpp>

// The cases of object_messages_bench. Each prints its results on rank 0.

namespace plimsoll::bench {

// Messages of MessageExchange between two ranks (exchange_cases.cpp).
void exchange_small(const mpi::Communicator& communicator);
void transfer_large(const mpi::Communicator& communicator);

// Messages between elements of collections, recorded (message_cases.cpp).
void send_64_bytes_here(ObjectSystem& system);
void send_64_bytes_to_other_rank(ObjectSystem& system);
void send_one_mib(ObjectSystem& system);

// Elements of collections (element_cases.cpp).
void migrate_one_mib_elements(ObjectSystem& system);
void measure_memory_per_element(ObjectSystem& system);
void create_million_elements(ObjectSystem& system);

}  // namespace plimsoll::bench
