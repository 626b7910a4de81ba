/* The particle-in-cell kernel of Georganas, van der Wijngaart and Mattson (IPDPS 2016), written from its
 * description, in C with MPI only. The README in this directory explains it.
 *
 * A periodic grid has L x L cells of size 1. Each vertex in an even column carries the charge 1, each vertex
 * in an odd column the charge -1. A particle starts at the centre of a cell. Its charge is such that it moves
 * exactly 2k + 1 cells to the right in each step of length 1, and m cells up. The grid is divided into
 * blocks, which own the particles in their cells. */
#include <math.h>
#include <mpi.h>
#include <plimsoll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct particle {
  double x, y;     /* position: 0 <= x, y < L */
  double v_x, v_y; /* velocity */
  double charge;   /* the mass is 1 */
  double start_x, start_y;
  int64_t number; /* from 1 */
};

struct list {
  struct particle* data;
  int count, capacity;
};

/* Neighbours of a block. Direction 3 * (dx + 1) + dy + 1 leads to the block dx to the right and dy above. */
enum { stay = 4, directions = 9 };

struct block {
  plimsoll_object object;
  int number, column, row;
  int left, right, bottom, top; /* its cells: left <= column < right, bottom <= row < top */
  struct list particles;
  struct list leaving[directions]; /* particles for each neighbour */
  MPI_Request sends[directions];
};

enum shape { GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, shape_count };
static const char* const shape_names[shape_count] = {"GEOMETRIC", "SINUSOIDAL", "LINEAR", "PATCH"};
static const int parameter_counts[shape_count] = {1, 0, 2, 4};

static struct {
  int steps, cells, k, m;
  double particles; /* approximate number */
  enum shape shape;
  double parameters[4]; /* rho; alpha, beta; or left, right, bottom, top */
} problem;

static int rank, ranks;
static int grid[2]; /* number of columns and rows of blocks */
enum { blocks_per_rank = 32 };
static int block_count;
static struct block* blocks; /* all blocks by number; those of other ranks are empty */
static int* owner;           /* rank of each block */
static plimsoll_id* ids;     /* ID of each block */
static MPI_Datatype particle_type;
static double computing_s; /* CPU time for moving particles */
static plimsoll_recorder* recorder;

static void check(int status) {
  if (status == 0) return;
  fprintf(stderr, "%s\n", plimsoll_error_message());
  MPI_Abort(MPI_COMM_WORLD, status);
}

static void resize(struct list* list, int count) {
  list->count = count;
  if (list->data != NULL && count <= list->capacity) return;
  list->capacity = 2 * count + 16;
  list->data = realloc(list->data, (size_t)list->capacity * sizeof *list->data);
  if (list->data == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
}

static void append(struct list* list, const struct particle* particle) {
  resize(list, list->count + 1);
  list->data[list->count - 1] = *particle;
}

static void release(struct list* list) {
  free(list->data);
  *list = (struct list){0};
}

/* Expected number of particles in a cell of a column, within the rows of the patch. */
static double expected(int column) {
  const double n = problem.particles, cells = problem.cells, *p = problem.parameters;
  switch (problem.shape) {
    case GEOMETRIC: return n / cells * (1 - p[0]) / (1 - pow(p[0], cells)) * pow(p[0], column);
    case SINUSOIDAL: return 2 * n / (cells * cells) * pow(cos(column * 3.141592653589793 / cells), 2);
    case LINEAR:
      return n / cells * (p[1] - p[0] * column / (cells - 1)) / (p[1] * cells - 0.5 * p[0] * cells);
    default: return p[0] <= column && column < p[1] ? n / ((p[1] - p[0]) * (p[3] - p[2])) : 0;
  }
}

/* Number of particles in the cells of a column below a row. Whole particles are spread evenly over the rows,
 * so that they do not depend on the number of ranks. */
static int64_t particles_below(int column, int row) {
  const double bottom = problem.shape == PATCH ? problem.parameters[2] : 0;
  const double top = problem.shape == PATCH ? problem.parameters[3] : problem.cells;
  return (int64_t)(expected(column) * fmax(0, fmin(row, top) - bottom));
}

/* Number of particles in the columns left of a column. */
static int64_t particles_left_of(int column) {
  int64_t count = 0;
  for (int i = 0; i < column; ++i) count += particles_below(i, problem.cells);
  return count;
}

/* Returns the particle at the centre of a cell that moves 2k + 1 cells to the right and m cells up. */
static struct particle particle_in(int column, int row, int64_t number) {
  const double distance = sqrt(0.5);                               /* to each of the four vertices */
  const double force = 4 * 0.5 / (distance * distance * distance); /* on charge 1 in an even column */
  const double charge = (column % 2 == 0 ? 2 : -2) * (2 * problem.k + 1) / force;
  const double x = column + 0.5, y = row + 0.5;
  return (struct particle){x, y, 0, problem.m, charge, x, y, number};
}

static struct block create_block(int number) {
  const int column = number / grid[1], row = number % grid[1], cells = problem.cells;
  struct block block = {.number = number, .column = column, .row = row};
  block.left = column * cells / grid[0];
  block.right = (column + 1) * cells / grid[0];
  block.bottom = row * cells / grid[1];
  block.top = (row + 1) * cells / grid[1];
  return block;
}

/* Creates the particles of a block. They are numbered by column and row. */
static void fill(struct block* block) {
  block->object = plimsoll_register_id(recorder, ids[block->number], 0, NULL, NULL);
  int64_t before = particles_left_of(block->left);
  resize(&block->particles, 0);
  for (int column = block->left; column < block->right; ++column) {
    for (int row = block->bottom; row < block->top; ++row) {
      for (int64_t i = particles_below(column, row); i < particles_below(column, row + 1); ++i) {
        const struct particle particle = particle_in(column, row, before + i + 1);
        append(&block->particles, &particle);
      }
    }
    before += particles_below(column, problem.cells);
  }
}

/* Adds the acceleration by a vertex at the given distance; `charge` is the product of both charges. */
static void add_vertex(double charge, double distance_x, double distance_y, double* a_x, double* a_y) {
  const double r_squared = distance_x * distance_x + distance_y * distance_y;
  const double force = charge / (r_squared * sqrt(r_squared));
  *a_x += force * distance_x;
  *a_y += force * distance_y;
}

/* Moves a particle by one step: adds up the Coulomb forces of the four vertices of its cell. */
static void move(struct particle* particle) {
  const int column = (int)particle->x;
  const double x = particle->x - column, y = particle->y - (int)particle->y;
  const double charge = column % 2 == 0 ? particle->charge : -particle->charge;
  double a_x = 0, a_y = 0;
  add_vertex(charge, x, y, &a_x, &a_y);
  add_vertex(charge, x, y - 1, &a_x, &a_y);
  add_vertex(-charge, x - 1, y, &a_x, &a_y);
  add_vertex(-charge, x - 1, y - 1, &a_x, &a_y);
  particle->x += particle->v_x + 0.5 * a_x;
  particle->y += particle->v_y + 0.5 * a_y;
  particle->v_x += a_x;
  particle->v_y += a_y;
}

static double wrap(double coordinate) {
  if (coordinate < 0) return coordinate + problem.cells;
  return coordinate >= problem.cells ? coordinate - problem.cells : coordinate;
}

/* Moves the particles of a block, and sorts out those that leave it. */
static void move_particles(struct block* block) {
  const clock_t start = clock();
  plimsoll_begin(recorder, block->object);
  struct list* particles = &block->particles;
  for (int i = 0; i < particles->count;) {
    struct particle* particle = &particles->data[i];
    move(particle);
    const int dx = (particle->x >= block->right) - (particle->x < block->left);
    const int dy = (particle->y >= block->top) - (particle->y < block->bottom);
    particle->x = wrap(particle->x);
    particle->y = wrap(particle->y);
    if (dx == 0 && dy == 0) {
      ++i;
    } else {
      append(&block->leaving[3 * (dx + 1) + dy + 1], particle);
      *particle = particles->data[--particles->count];
    }
  }
  plimsoll_end(recorder, block->object);
  computing_s += (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Returns the number of the neighbour of a block in a direction. */
static int neighbour(const struct block* block, int direction) {
  const int column = (block->column + direction / 3 - 1 + grid[0]) % grid[0];
  const int row = (block->row + direction % 3 - 1 + grid[1]) % grid[1];
  return column * grid[1] + row;
}

static void start_sending(struct block* block) {
  for (int direction = 0; direction < directions; ++direction) {
    struct list* leaving = &block->leaving[direction];
    block->sends[direction] = MPI_REQUEST_NULL;
    if (direction == stay) continue;
    const int to = neighbour(block, direction);
    MPI_Isend(leaving->data, leaving->count, particle_type, owner[to], directions * to + direction,
              MPI_COMM_WORLD, &block->sends[direction]);
  }
}

static void receive(struct block* block) {
  struct list* particles = &block->particles;
  for (int direction = 0; direction < directions; ++direction) {
    if (direction == stay) continue;
    const int from = owner[neighbour(block, directions - 1 - direction)]; /* the opposite neighbour */
    const int tag = directions * block->number + direction;
    MPI_Status status;
    int old = particles->count, count;
    MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, particle_type, &count);
    resize(particles, old + count);
    MPI_Recv(particles->data + old, count, particle_type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void finish_sending(struct block* block) {
  for (int direction = 0; direction < directions; ++direction) {
    MPI_Wait(&block->sends[direction], MPI_STATUS_IGNORE);
    block->leaving[direction].count = 0;
  }
}

static void destroy(struct block* block) {
  release(&block->particles);
  for (int direction = 0; direction < directions; ++direction) release(&block->leaving[direction]);
}

/* Calls a function for each block of this rank. */
static void for_each_block(void (*function)(struct block*)) {
  for (int number = 0; number < block_count; ++number) {
    if (owner[number] == rank) function(&blocks[number]);
  }
}

static struct block* block_of(plimsoll_id id, void* context) {
  return (struct block*)context + plimsoll_number_of(id);
}

static int64_t size_of_block(plimsoll_id id, void* context) {
  return block_of(id, context)->particles.count * (int64_t)sizeof(struct particle);
}

static int64_t pack_block(plimsoll_id id, void* bytes, int64_t size_bytes, void* context) {
  memcpy(bytes, block_of(id, context)->particles.data, (size_t)size_bytes);
  return size_bytes;
}

static int64_t unpack_block(plimsoll_id id, const void* bytes, int64_t size_bytes, void* context) {
  struct block* block = block_of(id, context);
  block->object = plimsoll_find(recorder, id);
  resize(&block->particles, (int)(size_bytes / (int64_t)sizeof(struct particle)));
  memcpy(block->particles.data, bytes, (size_t)size_bytes);
  return size_bytes;
}

static void remove_block(plimsoll_id id, void* context) {
  destroy(block_of(id, context));
}

static int64_t found[3]; /* number of particles, sum of their numbers, number of misplaced particles */

/* Compares the particles of a block with their exact positions after all steps. */
static void verify(struct block* block) {
  const double moved_x = (double)((int64_t)problem.steps * (2 * problem.k + 1) % problem.cells);
  const double moved_y = (double)((int64_t)problem.steps * problem.m % problem.cells);
  for (int i = 0; i < block->particles.count; ++i) {
    const struct particle* particle = &block->particles.data[i];
    const double error_x = fabs(particle->x - wrap(particle->start_x + moved_x));
    const double error_y = fabs(particle->y - wrap(particle->start_y + moved_y));
    found[0] += 1;
    found[1] += particle->number;
    found[2] += !(error_x < 1e-6 && error_y < 1e-6);
  }
}

/* Reads STEPS L N K M DISTRIBUTION [PARAMETER...]. Returns what is wrong, or NULL. */
static const char* read_arguments(int argc, char** argv) {
  if (argc < 7) return "missing arguments";
  problem.steps = atoi(argv[1]);
  problem.cells = atoi(argv[2]);
  problem.particles = atof(argv[3]);
  problem.k = atoi(argv[4]);
  problem.m = atoi(argv[5]);
  while (problem.shape < shape_count && strcmp(argv[6], shape_names[problem.shape]) != 0) ++problem.shape;
  if (problem.shape == shape_count) return "unknown distribution";
  if (argc != 7 + parameter_counts[problem.shape]) return "wrong number of parameters of the distribution";
  for (int i = 7; i < argc; ++i) problem.parameters[i - 7] = atof(argv[i]);
  if (problem.steps < 1 || problem.cells < 2 || problem.cells % 2 != 0)
    return "STEPS must be >= 1, and L even";
  return NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(plimsoll_start(&recorder, MPI_COMM_WORLD, &argc, argv));
  const char* mistake = read_arguments(argc, argv);
  block_count = blocks_per_rank * ranks;
  MPI_Dims_create(block_count, 2, grid);
  if (mistake == NULL && (problem.k < 0 || 2 * problem.k + 1 > problem.cells / grid[0] ||
                          abs(problem.m) > problem.cells / grid[1])) {
    mistake = "particles would move further than the next block: use smaller K and M, or a larger L";
  }
  if (mistake != NULL) {
    const char* usage =
        "STEPS L N K M GEOMETRIC RHO | SINUSOIDAL | LINEAR ALPHA BETA | PATCH LEFT RIGHT BOTTOM TOP";
    if (rank == 0) fprintf(stderr, "%s\nusage: %s %s\n", mistake, argv[0], usage);
    MPI_Finalize();
    return 2;
  }
  MPI_Type_contiguous(sizeof(struct particle), MPI_BYTE, &particle_type);
  MPI_Type_commit(&particle_type);

  blocks = malloc((size_t)block_count * sizeof *blocks);
  owner = malloc((size_t)block_count * sizeof *owner);
  ids = malloc((size_t)block_count * sizeof *ids);
  if (blocks == NULL || owner == NULL || ids == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int number = 0; number < block_count; ++number) {
    blocks[number] = create_block(number);
    owner[number] = number / blocks_per_rank;
    ids[number] = plimsoll_make_id(owner[number], number, 1);
  }
  for_each_block(fill);
  const plimsoll_transport transport = {.struct_size = sizeof transport,
                                        .context = blocks,
                                        .size_bytes = size_of_block,
                                        .pack = pack_block,
                                        .unpack = unpack_block,
                                        .remove = remove_block};
  check(plimsoll_start_balancer(recorder));
  check(plimsoll_balance_at_phase_ends(recorder, &transport));
  const double start_s = MPI_Wtime();
  for (int step = 0; step < problem.steps; ++step) {
    for_each_block(move_particles);
    for_each_block(start_sending);
    plimsoll_begin_idle(recorder);
    for_each_block(receive);
    for_each_block(finish_sending);
    plimsoll_end_idle(recorder);
    plimsoll_summary summary = PLIMSOLL_SUMMARY_INIT;
    check(plimsoll_next_phase(recorder, &summary));
    if (summary.migrations > 0) check(plimsoll_owner(recorder, block_count, ids, owner));
  }
  const double time_s = MPI_Wtime() - start_s;
  for_each_block(verify);
  for_each_block(destroy);

  const int64_t particles = particles_left_of(problem.cells);
  MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &computing_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int complete = found[0] == particles && found[1] == particles * (particles + 1) / 2;
  if (rank == 0) {
    printf("%lld particles on %d ranks, %d x %d blocks\n", (long long)found[0], ranks, grid[0], grid[1]);
    printf("time: %.3f s; moving particles: maximum %.3f s of CPU time per rank\n", time_s, computing_s);
    printf("%s: %lld particles, %lld misplaced\n", complete && found[2] == 0 ? "verified" : "NOT VERIFIED",
           (long long)found[0], (long long)found[2]);
  }
  check(plimsoll_finish(&recorder));
  MPI_Type_free(&particle_type);
  MPI_Finalize();
  return complete && found[2] == 0 ? 0 : 1;
}
