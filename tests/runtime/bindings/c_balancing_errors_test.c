/* Makes mistakes when the objects of a C program are balanced. */
#include "runtime/bindings/c_balanced_program.h"

void check_errors(void) {
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

void check_different_calls(void) {
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

static void no_hook(const plimsoll_migration_plan* plan, void* context) {
  (void)plan;
  (void)context;
}

void check_missing_balancer(void) {
  struct program program;
  plimsoll_recorder* recorder = start_program(&program, "RotateLB");
  plimsoll_set_available(recorder, 1);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  plimsoll_on_migration(recorder, no_hook, NULL);
  CHECK(plimsoll_next_phase(recorder, NULL) == 2);
  CHECK(message_contains("call plimsoll_start_balancer() first"));
  end_program(&program, &recorder);
}
