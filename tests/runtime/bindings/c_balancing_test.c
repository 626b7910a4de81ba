/* Balances the objects of a C program. fortran_balancing_test.f90 is the same test in Fortran. */
#include <plimsoll.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bindings/c_balanced_program.h"

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
