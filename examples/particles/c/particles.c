/* The particle-in-cell research kernel, measured and balanced by Plimsoll. The README next to this directory
 * explains it. */
#include <mpi.h>
#include <plimsoll.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "command_line.h"

static void check(int status) {
  if (status == 0) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "%s\n", plimsoll_error_message()); /* the same on all ranks */
  MPI_Finalize();
  exit(status);
}

/* What every run must reproduce exactly, however its blocks are placed. */
struct result {
  int64_t count;
  int64_t sum_of_numbers;
  int64_t checksum;
  int64_t misplaced; /* particles that are not at their exact position */
};

static struct result collect(const struct blocks* blocks, int steps) {
  struct result result = {0, 0, 0, 0};
  for (int number = 0; number < blocks->count; ++number) {
    const struct particles* particles = &blocks->block[number].particles;
    for (int i = 0; i < particles->count; ++i) {
      result.count += 1;
      result.sum_of_numbers += particles->data[i].number;
      result.checksum += checksum(&particles->data[i]);
      if (!(position_error(&blocks->mesh, &particles->data[i], steps) < 1e-6)) result.misplaced += 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &result.count, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

/* Moves blocks if the settings say so, as in --vt_lb --vt_lb_name=RefineLB. Returns how many moved. */
static int64_t balance(struct blocks* blocks) {
  plimsoll_migration_plan plan = PLIMSOLL_MIGRATION_PLAN_INIT;
  check(plimsoll_plan(blocks->recorder, NULL, &plan));
  const int64_t moves = plan.moves;
  if (moves > 0) {
    move_blocks(blocks, &plan);
    check(plimsoll_moved(blocks->recorder, &plan));
    check(find_blocks(blocks));
  }
  plimsoll_free_plan(&plan);
  return moves;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct arguments arguments;
  parse_arguments(argc, argv, &arguments);
  if (arguments.error[0] != 0) {
    if (rank == 0) fprintf(stderr, "%s\n%s", arguments.error, usage);
    MPI_Finalize();
    return 2;
  }
  check(plimsoll_set_default("lb_check", "true")); /* finds mistakes such as a block on two ranks */
  plimsoll_recorder* recorder = NULL;
  check(plimsoll_start(&recorder, MPI_COMM_WORLD, &argc, argv));
  check(plimsoll_start_balancer(recorder));

  struct blocks blocks = create_blocks(&arguments.mesh, &arguments.distribution, recorder);
  const int64_t particles = collect(&blocks, 0).count;
  if (rank == 0) {
    printf("%lld particles (%s) on %d x %d cells in %d blocks on %d ranks\n", (long long)particles,
           shape_names[arguments.distribution.shape], arguments.mesh.cells, arguments.mesh.cells,
           blocks.count, blocks.ranks);
  }

  double first_imbalance = 0;
  int64_t migrations = 0;
  plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
  const double start_s = MPI_Wtime();
  for (int step = 0; step < arguments.steps; ++step) {
    step_blocks(&blocks);
    check(plimsoll_next_phase(recorder, &summary)); /* each step is one phase */
    if (step == 0) first_imbalance = summary.imbalance;
    migrations += balance(&blocks);
  }
  const double time_s = MPI_Wtime() - start_s;

  const struct result result = collect(&blocks, arguments.steps);
  const int complete = result.count == particles && result.sum_of_numbers == particles * (particles + 1) / 2;
  const int correct = complete && result.misplaced == 0;
  if (rank == 0) {
    printf("time: %.3f s, %.3f ms per step\n", time_s, 1e3 * time_s / arguments.steps);
    printf("imbalance: %.4f in the first step, %.4f in the last\n", first_imbalance, summary.imbalance);
    printf("migrations: %lld\n", (long long)migrations);
    printf("checksum: %lld\n", (long long)result.checksum);
    printf("%s: %s, %lld misplaced\n", correct ? "verified" : "NOT VERIFIED",
           complete ? "all particles present" : "particles lost or doubled", (long long)result.misplaced);
    const char* data_files = plimsoll_data_files(recorder);
    if (data_files[0] != 0) printf("LB data: %s\n", data_files);
  }
  check(plimsoll_finish(&recorder));
  free_blocks(&blocks);
  MPI_Finalize();
  return correct ? 0 : 1;
}
