/* Balances the objects of a C program. plimsoll_fortran_balancing_test.f90 is the same test in Fortran. */
#include <plimsoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bindings/c_check.h"

/* The program: all objects start on rank 0. Object k has k + 1 numbers, and a load of k + 1 seconds. */

enum { object_count = 24 };
static const double total_load_s = 300; /* 1 + 2 + ... + 24 */

struct program {
  int64_t* numbers[object_count]; /* NULL: the object is on another rank */
  int can_pack;
};

static plimsoll_id id_of(int number) {
  return plimsoll_make_id(0, number, 1);
}

static int is_complete(const struct program* program, int object) {
  for (int k = 0; k <= object; ++k)
    if (program->numbers[object][k] != 1000 * object + k) return 0;
  return 1;
}

static int count_objects(const struct program* program) {
  int count = 0;
  for (int object = 0; object < object_count; ++object)
    if (program->numbers[object] != NULL) ++count;
  return count;
}

static plimsoll_recorder* start_program(struct program* program, const char* strategy) {
  char name[64];
  snprintf(name, sizeof name, "--vt_lb_name=%s", strategy);
  char* words[] = {
      "program", "--vt_lb_quiet", "--vt_lb", name, "--vt_lb_when=always", "--vt_lb_run_lb_first_phase", NULL};
  int count = 6;
  plimsoll_recorder* recorder = NULL;
  CHECK(plimsoll_start(&recorder, MPI_COMM_WORLD, &count, words) == 0);
  program->can_pack = 1;
  for (int object = 0; object < object_count; ++object) {
    program->numbers[object] = NULL;
    if (rank != 0) continue;
    plimsoll_register_id(recorder, id_of(object), 0, NULL, NULL);
    program->numbers[object] = malloc((size_t)(object + 1) * sizeof(int64_t));
    for (int k = 0; k <= object; ++k) program->numbers[object][k] = 1000 * object + k;
  }
  return recorder;
}

static void end_program(struct program* program, plimsoll_recorder** recorder) {
  for (int object = 0; object < object_count; ++object) free(program->numbers[object]);
  CHECK(plimsoll_finish(recorder) == 0);
}

static int end_phase(struct program* program, plimsoll_recorder* recorder, plimsoll_summary* summary) {
  for (int object = 0; object < object_count; ++object) {
    const plimsoll_object found = plimsoll_find(recorder, id_of(object));
    CHECK((found.number != 0) == (program->numbers[object] != NULL));
    if (program->numbers[object] == NULL) continue;
    CHECK(is_complete(program, object));
    plimsoll_add_time(recorder, found, object + 1);
  }
  return plimsoll_next_phase(recorder, summary);
}

/* Its functions for migrations. */

static int64_t size_of_object(plimsoll_id id, void* context) {
  (void)context;
  return (plimsoll_number_of(id) + 1) * (int64_t)sizeof(int64_t);
}

static int64_t pack(plimsoll_id id, void* bytes, int64_t size_bytes, void* context) {
  struct program* program = context;
  if (!program->can_pack) return -1;
  memcpy(bytes, program->numbers[plimsoll_number_of(id)], (size_t)size_bytes);
  return size_bytes;
}

static int64_t unpack(plimsoll_id id, const void* bytes, int64_t size_bytes, void* context) {
  struct program* program = context;
  int64_t** numbers = &program->numbers[plimsoll_number_of(id)];
  CHECK(*numbers == NULL);
  *numbers = malloc((size_t)size_bytes);
  memcpy(*numbers, bytes, (size_t)size_bytes);
  return size_bytes;
}

static void remove_object(plimsoll_id id, void* context) {
  struct program* program = context;
  int64_t** numbers = &program->numbers[plimsoll_number_of(id)];
  CHECK(*numbers != NULL);
  free(*numbers);
  *numbers = NULL;
}

static plimsoll_transport transport_of(struct program* program) {
  plimsoll_transport transport = PLIMSOLL_TRANSPORT_INIT;
  transport.context = program;
  transport.size_bytes = size_of_object;
  transport.pack = pack;
  transport.unpack = unpack;
  transport.remove = remove_object;
  return transport;
}

struct migrations {
  int times;
  int64_t objects;
};

static void after_migration(const plimsoll_migration_plan* plan, void* context) {
  struct migrations* migrations = context;
  ++migrations->times;
  migrations->objects += plan->moves;
  CHECK(strcmp(plan->strategy, "GreedyLB") == 0);
  for (int64_t k = 0; k < plan->export_count; ++k) CHECK(plan->exports[k].from == rank);
  for (int64_t k = 0; k < plan->import_count; ++k) CHECK(plan->imports[k].to == rank);
}

static void check_automatic_migration(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "GreedyLB");
  const plimsoll_transport transport = transport_of(&program);
  struct migrations migrations = {0, 0};
  CHECK(plimsoll_start_balancer(recorder) == 0);
  CHECK(plimsoll_balance_at_phase_ends(recorder, &transport) == 0);
  plimsoll_on_migration(recorder, after_migration, &migrations);
  plimsoll_on_migration(recorder, NULL, NULL);

  plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
  CHECK(end_phase(&program, recorder, &summary) == 0);
  CHECK(summary.rank_load_max_s >= total_load_s);
  CHECK((summary.migrations > 0) == (ranks > 1));
  CHECK(summary.decision_s > 0);
  CHECK((summary.migration_s > 0) == (ranks > 1));
  CHECK(migrations.times == (ranks > 1 ? 1 : 0));
  CHECK(migrations.objects == summary.migrations);

  CHECK(end_phase(&program, recorder, &summary) == 0);
  CHECK(summary.rank_load_max_s < total_load_s / ranks + 12);
  int total = count_objects(&program);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(total == object_count);
  end_program(&program, &recorder);
}

/* The program's own messages for the migrations of a plan. */
static void send_and_receive(struct program* program, const plimsoll_migration_plan* plan) {
  MPI_Request requests[object_count];
  for (int64_t k = 0; k < plan->export_count; ++k) {
    const int object = (int)plimsoll_number_of(plan->exports[k].object);
    MPI_Isend(program->numbers[object], object + 1, MPI_INT64_T, plan->exports[k].to, object, MPI_COMM_WORLD,
              &requests[k]);
  }
  for (int64_t k = 0; k < plan->import_count; ++k) {
    const int object = (int)plimsoll_number_of(plan->imports[k].object);
    program->numbers[object] = malloc((size_t)(object + 1) * sizeof(int64_t));
    MPI_Recv(program->numbers[object], object + 1, MPI_INT64_T, plan->imports[k].from, object, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  for (int64_t k = 0; k < plan->export_count; ++k) {
    MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    remove_object(plan->exports[k].object, program);
  }
}

static void check_own_transport(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "RotateLB");
  CHECK(plimsoll_start_balancer(recorder) == 0);
  plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
  for (int phase = 0; phase < 3; ++phase) {
    CHECK(count_objects(&program) == (rank == phase % ranks ? object_count : 0));
    plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
    CHECK(end_phase(&program, recorder, &summary) == 0);
    CHECK(summary.migrations == (ranks > 1 && phase > 0 ? object_count : 0)); /* at the start of this phase */
    CHECK(plimsoll_plan(recorder, NULL, &plan) == 0);
    CHECK(plan.moves == (ranks > 1 ? object_count : 0));
    CHECK(plan.export_count == (rank == phase % ranks ? plan.moves : 0));
    CHECK(plan.import_count == (rank == (phase + 1) % ranks ? plan.moves : 0));
    CHECK(strcmp(plan.strategy, "RotateLB") == 0);
    CHECK(plan.max_time_before_s >= total_load_s && plan.mean_time_s >= total_load_s / ranks);
    CHECK(plan.decision_s > 0);
    send_and_receive(&program, &plan);
    CHECK(plimsoll_moved(recorder, &plan) == 0);

    const plimsoll_id ids[] = {id_of(0), id_of(7), id_of(object_count)};
    int owners[] = {-2, -2, -2};
    CHECK(plimsoll_owner(recorder, 3, ids, owners) == 0);
    CHECK(owners[0] == (phase + 1) % ranks && owners[1] == owners[0] && owners[2] == -1);
    CHECK(plimsoll_owner(recorder, rank == 0 ? 1 : 0, ids, owners) == 0);
  }
  plimsoll_free_plan(&plan);
  CHECK(plan.moves == 0 && plan.exports == NULL && plan.memory == NULL);
  plimsoll_free_plan(&plan);
  plimsoll_free_plan(NULL);
  memset(&plan, 0xff, sizeof plan); /* as without its initialiser */
  plimsoll_free_plan(&plan);
  CHECK(plan.moves == -1);
  end_program(&program, &recorder);
}

static void check_decisions_of_program(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "GreedyLB");
  const plimsoll_transport transport = transport_of(&program);
  CHECK(plimsoll_start_balancer(recorder) == 0);
  CHECK(plimsoll_set_load_model(recorder, "LinearModel(length=5)") == 0);
  CHECK(end_phase(&program, recorder, NULL) == 0);

  plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
  CHECK(plimsoll_plan(recorder, "RotateLB", &plan) == 0);
  CHECK(plimsoll_migrate(recorder, &plan, &transport) == 0);
  CHECK(count_objects(&program) == (rank == 1 % ranks ? object_count : 0));
  plimsoll_free_plan(&plan);

  CHECK(plimsoll_set_strategy(recorder, "RefineLB") == 0);
  CHECK(plimsoll_balance_at_phase_ends(recorder, &transport) == 0);
  plimsoll_set_available(recorder, rank != 1);
  CHECK(end_phase(&program, recorder, NULL) == 0);
  if (ranks > 1 && rank == 1) CHECK(count_objects(&program) == 0);
  CHECK(end_phase(&program, recorder, NULL) == 0);
  end_program(&program, &recorder);
}

static plimsoll_move to_rank(int object, int to) {
  const plimsoll_move move = {id_of(object), rank, to, 0};
  return move;
}

static void check_requests_of_program(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "RotateLB");
  const plimsoll_transport transport = transport_of(&program);
  CHECK(plimsoll_start_balancer(recorder) == 0);
  CHECK(plimsoll_balance_at_phase_ends(recorder, &transport) == 0);
  const plimsoll_move moves[] = {to_rank(3, ranks - 1), to_rank(5, 0)};
  if (rank == 0) plimsoll_request_migrations(recorder, 2, moves);
  plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
  CHECK(end_phase(&program, recorder, &summary) == 0);
  CHECK(summary.migrations == (ranks > 1 ? object_count - 1 : 0));
  for (int object = 0; object < object_count; ++object) {
    const int expected = object == 3 ? ranks - 1 : object == 5 ? 0 : 1 % ranks;
    CHECK((program.numbers[object] != NULL) == (rank == expected));
  }

  /* A fixed object stays, and a request for it is an error. */
  CHECK(plimsoll_set_strategy(recorder, "RotateLB") == 0);
  if (rank == 0) plimsoll_set_migratable(recorder, plimsoll_find(recorder, id_of(5)), 0);
  CHECK(end_phase(&program, recorder, NULL) == 0);
  CHECK((program.numbers[5] != NULL) == (rank == 0));
  const plimsoll_move fixed = to_rank(5, ranks - 1);
  if (rank == 0) plimsoll_request_migrations(recorder, 1, &fixed);
  CHECK(end_phase(&program, recorder, NULL) == (ranks > 1 ? 2 : 0));
  if (ranks > 1) CHECK(message_contains("migratable"));
  CHECK((program.numbers[5] != NULL) == (rank == 0));

  const plimsoll_move missing = to_rank(object_count, 0);
  plimsoll_request_migrations(recorder, 1, &missing);
  CHECK(end_phase(&program, recorder, NULL) == 2);
  CHECK(message_contains("is requested to migrate, but not registered on this rank"));
  plimsoll_request_migrations(recorder, -1, NULL);
  CHECK(end_phase(&program, recorder, NULL) == 2);
  CHECK(message_contains("array of -1 moves"));
  end_program(&program, &recorder);

  recorder = start_program(&program, "RotateLB");
  plimsoll_request_migrations(recorder, 0, NULL);
  CHECK(end_phase(&program, recorder, NULL) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  end_program(&program, &recorder);
}

static void check_errors(void) {
  struct program program;
  plimsoll_recorder* recorder = NULL;
  plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
  CHECK(plimsoll_start_balancer(recorder) == 2);
  CHECK(message_contains("start it first"));
  CHECK(plimsoll_plan(recorder, NULL, &plan) == 2);
  CHECK(message_contains("start it first"));

  recorder = start_program(&program, "RotateLB");
  plimsoll_transport transport = transport_of(&program);
  CHECK(plimsoll_plan(recorder, NULL, &plan) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  CHECK(plimsoll_start_balancer(recorder) == 0);
  CHECK(plimsoll_start_balancer(recorder) == 2);
  CHECK(message_contains("already has a balancer"));

  CHECK(plimsoll_set_strategy(recorder, "GreedLB") == 2);
  CHECK(message_contains("GreedLB"));
  CHECK(plimsoll_set_strategy(recorder, NULL) == 2);
  CHECK(message_contains("the strategy is NULL"));
  CHECK(plimsoll_set_load_model(recorder, "NoModel") == 2);
  CHECK(message_contains("NoModel"));
  CHECK(plimsoll_plan(recorder, "GreedyLB", &plan) == 2);
  CHECK(message_contains("call plimsoll_next_phase() before a plan is made"));
  CHECK(plan.moves == 0 && plan.exports == NULL);

  /* Errors on one rank are errors on all ranks. */
  const int is_last = rank == ranks - 1;
  transport.pack = is_last ? NULL : pack;
  CHECK(plimsoll_balance_at_phase_ends(recorder, &transport) == 2);
  CHECK(message_contains("set size_bytes, pack and unpack"));
  CHECK(plimsoll_owner(recorder, is_last ? -1 : 0, NULL, NULL) == 2);
  CHECK(message_contains("array of -1"));
  CHECK(plimsoll_plan(recorder, "RotateLB", is_last ? NULL : &plan) == 2);
  CHECK(message_contains("plimsoll_migration_plan is NULL"));
  if (is_last) plan.struct_size = 0;
  CHECK(plimsoll_plan(recorder, "RotateLB", &plan) == 2);
  CHECK(message_contains("PLIMSOLL_MIGRATION_PLAN_INIT"));
  plan.struct_size = sizeof plan;

  transport = transport_of(&program);
  program.can_pack = 0;
  CHECK(plimsoll_balance_at_phase_ends(recorder, &transport) == 0);
  CHECK(end_phase(&program, recorder, NULL) == (ranks > 1 ? 3 : 0));
  if (ranks > 1) CHECK(message_contains("pack() of object") && message_contains("failed: it returned -1"));
  program.can_pack = 1;
  CHECK(end_phase(&program, recorder, NULL) == 0);
  CHECK(count_objects(&program) == (rank == 1 % ranks ? object_count : 0));

  CHECK(plimsoll_plan(recorder, "GreedLB", &plan) == 2);
  CHECK(message_contains("GreedLB"));

  /* A plan that does not fit the objects. */
  CHECK(plimsoll_plan(recorder, "RotateLB", &plan) == 0);
  if (rank == 1) plimsoll_remove(recorder, plimsoll_find(recorder, id_of(3)));
  CHECK(plimsoll_moved(recorder, &plan) == (ranks > 1 ? 2 : 0));
  if (ranks > 1) CHECK(message_contains("is not registered on rank 1"));
  plimsoll_free_plan(&plan);
  end_program(&program, &recorder);
}

/* Ranks in different calls get an error, also if one has invalid arguments. */
static void check_different_calls(void) {
  for (int has_valid_plan = 0; has_valid_plan < 2; ++has_valid_plan) {
    struct program program;
    plimsoll_recorder* recorder = start_program(&program, "RotateLB");
    CHECK(plimsoll_start_balancer(recorder) == 0);
    CHECK(plimsoll_next_phase(recorder, NULL) == 0);
    plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
    if (rank == 0 && ranks > 1) {
      CHECK(plimsoll_plan(recorder, NULL, has_valid_plan ? &plan : NULL) == 2);
    } else {
      CHECK(plimsoll_next_phase(recorder, NULL) == (ranks > 1 ? 2 : 0));
    }
    if (ranks > 1)
      CHECK(
          message_contains("rank 0 called plimsoll_plan() in phase 1 while rank 1 called "
                           "plimsoll_next_phase() in phase 1"));
    end_program(&program, &recorder);
  }
}

static void check_missing_balancer(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "RotateLB");
  plimsoll_set_available(recorder, 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  plimsoll_on_migration(recorder, after_migration, NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  end_program(&program, &recorder);
}

/* Rank 0 has 2 objects for each rank, in pairs that send messages. */
static void check_plan_without_recorder(void) {
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

int main(int argc, char** argv) {
  start_test(&argc, &argv);
  check_automatic_migration();
  check_own_transport();
  check_decisions_of_program();
  check_requests_of_program();
  check_errors();
  check_different_calls();
  check_missing_balancer();
  check_plan_without_recorder();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
