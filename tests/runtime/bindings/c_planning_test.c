/* Plans migrations in C without a recorder. */
#include "runtime/bindings/c_balanced_program.h"

void check_plan_without_recorder(void) {
  uint64_t ids[16];
  double loads_s[16];
  double positions[32];
  double sizes_bytes[16];
  uint8_t migratable[16];
  plimsoll_edge edges[8];
  for (int k = 0; k < 2 * ranks; ++k) {
    ids[k] = 5000000000u + (uint64_t)k;
    loads_s[k] = 1;
    positions[2 * k] = k / 2;
    positions[2 * k + 1] = 0.5;
    sizes_bytes[k] = 100;
    migratable[k] = 1;
  }
  for (int k = 0; k < ranks; ++k) {
    const plimsoll_edge edge = {ids[2 * k], ids[2 * k + 1], 1e6, 10};
    edges[k] = edge;
  }
  plimsoll_plan_input input = PLIMSOLL_PLAN_INPUT_INIT;
  if (rank == 0) {
    input.count = 2 * ranks;
    input.ids = ids;
    input.loads_s = loads_s;
    input.edge_count = ranks;
    input.edges = edges;
    input.sizes_bytes = sizes_bytes;
  }
  plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedyLB", &plan) == 0);
  CHECK(plan.moves == 2 * ranks - 2);
  CHECK(near_to(plan.max_time_before_s, 2 * ranks) && near_to(plan.max_time_after_s, 2));
  CHECK(plan.export_count == (rank == 0 ? plan.moves : 0));
  CHECK(plan.import_count == (rank == 0 ? 0 : 2));
  for (int64_t k = 0; k < plan.import_count; ++k) {
    CHECK(plan.imports[k].from == 0 && plan.imports[k].to == rank);
    CHECK(plan.imports[k].object.number - 5000000000u < 2 * (uint64_t)ranks);
    CHECK(near_to(plan.imports[k].bytes, 100));
  }

  /* Geometry keeps each pair together. */
  if (rank == 0) {
    input.axes = 2;
    input.positions = positions;
  }
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "OrbLB", &plan) == 0);
  CHECK(near_to(plan.max_time_after_s, 2));
  for (int64_t k = 0; k + 1 < plan.import_count; k += 2)
    CHECK(plan.imports[k].object.number / 2 == plan.imports[k + 1].object.number / 2);

  if (rank == 0) {
    memset(migratable, 0, sizeof migratable);
    input.migratable = migratable;
  }
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedyLB", &plan) == 0);
  CHECK(plan.moves == 0);

  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedLB", &plan) == 2);
  CHECK(message_contains("GreedLB"));
  CHECK(plimsoll_plan_objects(MPI_COMM_NULL, &input, "GreedyLB", &plan) == 2);
  CHECK(message_contains("MPI_COMM_NULL"));
  input.loads_s = NULL;
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedyLB", &plan) == 2);
  CHECK(message_contains("invalid loads"));
  input.count = rank == ranks - 1 ? -1 : 0;
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedyLB", &plan) == 2);
  CHECK(message_contains("array of -1 ids"));
  input.struct_size = 0;
  CHECK(plimsoll_plan_objects(MPI_COMM_WORLD, &input, "GreedyLB", &plan) == 2);
  CHECK(message_contains("PLIMSOLL_PLAN_INPUT_INIT"));
  plimsoll_free_plan(&plan);
}
