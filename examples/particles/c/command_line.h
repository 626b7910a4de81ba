/* Arguments of the program. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "mesh.h"

static const char* const usage =
    "usage: particles STEPS L N K M DISTRIBUTION [PARAMETER...] [--block=B] [--vt_lb_...]\n"
    "  STEPS  number of time steps\n"
    "  L      cells per side of the mesh, even\n"
    "  N      approximate number of particles\n"
    "  K, M   a particle moves 2K+1 cells in x and M cells in y per step\n"
    "  B      cells per side of a block, a divisor of L [default: 20]\n"
    "distributions: GEOMETRIC RHO, SINUSOIDAL, LINEAR ALPHA BETA, PATCH LEFT RIGHT BOTTOM TOP, UNIFORM\n"
    "Settings of Plimsoll (--vt_lb_...) come last.\n";

struct arguments {
  int steps;
  struct mesh mesh;
  struct distribution distribution;
  char error[256]; /* first error; empty if the arguments are valid */
};

/* Returns an integer from `lowest` to `highest`. */
static long to_integer(struct arguments* arguments, const char* text, const char* name, long lowest,
                       long highest) {
  char* end;
  const long number = strtol(text, &end, 10);
  if (arguments->error[0] != 0) return 0;
  if (end == text || *end != 0) {
    snprintf(arguments->error, sizeof arguments->error, "invalid value \"%s\" for %s: expected an integer",
             text, name);
  } else if (number < lowest || number > highest) {
    snprintf(arguments->error, sizeof arguments->error, "invalid value %s for %s: expected %ld to %ld", text,
             name, lowest, highest);
  }
  return number;
}

static void parse_mesh(struct arguments* arguments, const char* cells, const char* k, const char* m) {
  struct mesh* mesh = &arguments->mesh;
  mesh->cells = (int)to_integer(arguments, cells, "L", 2, 1 << 15);
  if (arguments->error[0] != 0) return;
  if (mesh->cells % 2 != 0) {
    snprintf(arguments->error, sizeof arguments->error, "invalid value %s for L: expected an even number",
             cells);
  } else if (mesh->cells % mesh->block != 0) {
    snprintf(arguments->error, sizeof arguments->error,
             "L = %s is not a multiple of the block size %d; use --block=B with a divisor of L", cells,
             mesh->block);
  }
  mesh->k = (int)to_integer(arguments, k, "K", 0, mesh->cells / 2 - 1);
  mesh->m = (int)to_integer(arguments, m, "M", 1 - mesh->cells, mesh->cells - 1);
}

static void parse_distribution(struct arguments* arguments, const char* name, char** parameters, int count) {
  struct distribution* distribution = &arguments->distribution;
  distribution->cells = arguments->mesh.cells;
  distribution->parameter_count = count;
  for (int i = 0; i < count && i < 4; ++i) {
    char* end;
    distribution->parameters[i] = strtod(parameters[i], &end);
    if (end == parameters[i] || *end != 0) {
      snprintf(arguments->error, sizeof arguments->error,
               "invalid value \"%s\" for a parameter of the distribution: expected a number", parameters[i]);
      return;
    }
  }
  int shape = 0;
  while (shape < shape_count && strcmp(name, shape_names[shape]) != 0) ++shape;
  if (shape == shape_count) {
    snprintf(arguments->error, sizeof arguments->error,
             "unknown distribution \"%s\"; available: GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, UNIFORM", name);
    return;
  }
  distribution->shape = (enum shape)shape;
  const char* missing = missing_parameters(distribution);
  if (missing != NULL) {
    snprintf(arguments->error, sizeof arguments->error, "invalid parameters of %s: expected %s", name,
             missing);
  }
}

/* Settings of Plimsoll begin with --vt and come last. */
static void parse_arguments(int argc, char** argv, struct arguments* arguments) {
  enum { most_words = 11 }; /* six, up to four parameters, and one too many */
  char* words[most_words];
  int count = 0;
  memset(arguments, 0, sizeof *arguments);
  arguments->mesh.block = 20;
  for (int i = 1; i < argc && strncmp(argv[i], "--vt", 4) != 0; ++i) {
    if (strncmp(argv[i], "--block=", 8) == 0) {
      arguments->mesh.block = (int)to_integer(arguments, argv[i] + 8, "--block", 1, 1 << 15);
    } else if (count < most_words) {
      words[count++] = argv[i];
    }
  }
  if (arguments->error[0] != 0) return;
  if (count < 6) {
    snprintf(arguments->error, sizeof arguments->error, "missing arguments");
    return;
  }
  arguments->steps = (int)to_integer(arguments, words[0], "STEPS", 1, 1000000000);
  parse_mesh(arguments, words[1], words[3], words[4]);
  arguments->distribution.particles = (double)to_integer(arguments, words[2], "N", 1, 1000000000);
  if (arguments->error[0] == 0) parse_distribution(arguments, words[5], words + 6, count - 6);
}

#endif
