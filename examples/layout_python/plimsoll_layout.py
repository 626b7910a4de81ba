#!/usr/bin/env python3
"""usage: plimsoll_layout.py MODULE.CLASS

Solves a layout with a Python class derived from optimize_model.OptimizeModel. Reads the problem from standard input and
writes the answer to standard output, as described in docs/how-to/write-a-layout-solver.md. Python searches for MODULE in the
directory of this file, in PYTHONPATH, and in the current directory.
"""

import importlib
import json
import logging
import os
import sys
import tempfile

try:
    import pulp
except ImportError:
    sys.exit("plimsoll_layout.py: missing module pulp for %s; install python3-pulp, or PuLP with pip" % sys.executable)


def load_class(name):
    module, _, class_name = name.rpartition(".")
    if not module:
        sys.exit("plimsoll_layout.py: invalid class %s: expected MODULE.CLASS" % name)
    sys.path.append(os.getcwd())  # appended, so that a file there does not replace a module of Python or PuLP
    try:
        return getattr(importlib.import_module(module), class_name)
    except (ModuleNotFoundError, AttributeError) as error:
        if error.name not in (module.partition(".")[0], module, class_name):
            raise  # error within the module
        sys.exit("plimsoll_layout.py: %s; searched in its directory, PYTHONPATH and the current directory" % error)


def places_of(layout):
    """Returns the places of the components. Empty if the class does not report them in write_pe_file()."""
    try:
        layout.write_pe_file("")
    except Exception as error:  # ignores all errors, because they do not affect the solution
        logging.warning("write_pe_file() reports no places: %s: %s", type(error).__name__, error)
    placed = getattr(layout, "pe_layout", {})
    return [
        {"component": name, "tasks": placed[name.lower()][0], "threads": placed[name.lower()][1], "root": placed[name.lower()][2]}
        for name in layout.get_required_components()
        if name.lower() in placed
    ]


def solve(layout, problem):
    layout.set_data(problem)
    layout.optimize()
    if not layout.is_solved():
        return {"infeasible": "PuLP's status is %s" % pulp.LpStatus[layout.prob.status if layout.prob else layout.status]}
    solution = {name: value for name, value in layout.get_solution().items() if value is not None}
    return {"time": pulp.value(layout.prob.objective), "solution": solution, "places": places_of(layout)}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # Only the answer goes to standard output; other output of solvers and classes goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if pulp.LpSolverDefault is not None:
        pulp.LpSolverDefault.msg = False
    sys.dont_write_bytecode = True
    layout = load_class(sys.argv[1])()
    problem = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:  # for files that PuLP and classes write
        here = os.getcwd()
        os.chdir(folder)
        answer = solve(layout, problem)
        os.chdir(here)
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main()
