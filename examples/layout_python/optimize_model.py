"""Base class of layouts in Python, as in section 4 of the documentation of CIME's load balancing tool.

A layout is a class derived from OptimizeModel. It defines its components and how they share processors. plimsoll_layout.py
runs such a class for Plimsoll.
"""

import logging
import sys

import pulp

logger = logging.getLogger(__name__)


class ModelData:
    """Data and model of one component.

    name          name of the component: "ATM"
    ntasks, cost  points of its model, in ascending order of tasks; cost is linear between points
    extrapolated  for each point, whether it lies outside the measured range
    blocksize     unit of task counts: they are multiples of it
    nthrds        threads per task
    """

    def __init__(self, name, data, points):
        self.name = name
        self.blocksize = data["blocksize"]
        self.nthrds = data["nthrds"][0]
        self.ntasks = [tasks for tasks, cost, extrapolated in points]
        self.cost = [cost for tasks, cost, extrapolated in points]
        self.extrapolated = [extrapolated for tasks, cost, extrapolated in points]


class OptimizeModel:
    """A layout. Derived classes define get_required_components() and optimize().

    models       ModelData of each component, by name
    maxtasks     total number of tasks
    X            variables by name
    constraints  pairs of a constraint and its name
    prob         PuLP problem
    state        state of the solution, one of STATE_*; see set_state()
    status       PuLP status of the solution, one of LpStatus*
    """

    STATE_UNDEFINED, STATE_UNSOLVED, STATE_SOLVED_OK, STATE_SOLVED_BAD = range(4)
    states = ["Undefined", "Unsolved", "Solved", "No Solution"]

    # Defaults of the class, for derived classes whose __init__() does not call this one's.
    state = STATE_UNDEFINED
    status = pulp.constants.LpStatusUndefined
    maxtasks = 0
    prob = None

    def __init__(self):
        self.models = {}
        self.X = {}
        self.constraints = []

    def get_required_components(self):
        """Returns the components of this layout, e.g. ['ATM', 'OCN']."""
        raise NotImplementedError("get_required_components")

    def optimize(self):
        """Solves the layout: fills self.X and self.prob, and reports PuLP's status with self.set_state(self.prob.status).

        The variables of a component end in its lower-case name, e.g. 'Tatm' for its time and 'Natm' for its task count.
        """
        raise NotImplementedError("optimize")

    def set_state(self, lpstatus):
        """Sets the status and the state that corresponds to it."""
        self.status = lpstatus
        self.state = {
            pulp.constants.LpStatusOptimal: self.STATE_SOLVED_OK,
            pulp.constants.LpStatusNotSolved: self.STATE_UNSOLVED,
            pulp.constants.LpStatusUndefined: self.STATE_UNDEFINED,
        }.get(lpstatus, self.STATE_SOLVED_BAD)

    def get_state(self):
        return self.state

    def get_state_string(self, state):
        return self.states[state]

    def is_solved(self):
        """Returns whether optimize() found the best layout. Classes report this as a state or as a status."""
        return self.STATE_SOLVED_OK == self.state or pulp.constants.LpStatusOptimal == self.status

    def get_solution(self):
        """Returns the solution: the variables and their values."""
        return {name: variable.varValue for name, variable in self.X.items()}

    def write_pe_file(self, pefilename):
        """Reports the processors of each component with self.write_pe_template(pefilename, ntasks, nthrds, roots)."""
        raise NotImplementedError("write_pe_file")

    def write_pe_template(self, pefilename, ntasks, nthrds, roots):
        """Stores the task counts, thread counts and first tasks by lower-case component name. Writes no file: Plimsoll
        itself writes the PE file."""
        self.pe_layout = {
            component: (int(round(tasks)), int(nthrds.get(component, 1)), int(round(roots.get(component, 0))))
            for component, tasks in ntasks.items()
        }

    def set_data(self, data):
        """Stores the problem that Plimsoll passes to its solvers (docs/how-to/write-a-layout-solver.md)."""
        self.X = {}
        self.constraints = []
        self.maxtasks = data["totaltasks"]
        self.models = {
            name: ModelData(name, data[name], models[0]["points"]) for name, models in data["models"].items()
        }
        self.check_requirements()
        self.state = self.STATE_UNSOLVED

    def write_timings(self, fd=sys.stderr, level=logging.DEBUG):
        """Writes the points of the models to a stream, or to the log if it is None."""
        for name, model in self.models.items():
            for tasks, cost, extrapolated in zip(model.ntasks, model.cost, model.extrapolated):
                line = "%s on %d: %f%s" % (name, tasks, cost, " (extrapolated)" if extrapolated else "")
                if fd is None:
                    logger.log(level, line)
                else:
                    print(line, file=fd)

    def graph_costs(self):
        """Draws nothing: plimsoll layout solve --graph_models draws the models."""

    def check_requirements(self):
        for name in self.get_required_components():
            if name not in self.models:
                raise ValueError("missing data of component %s; available: %s" % (name, ", ".join(sorted(self.models))))

    def add_model_constraints(self):
        """Adds the lower bounds that the models set for the cost of each component to self.constraints. They are the lines
        through neighbouring points: constraint (1) in section 3 of the documentation of CIME's tool."""
        for name in self.get_required_components():
            model = self.models[name]
            time, tasks = self.X["T" + name.lower()], self.X["N" + name.lower()]
            points = list(zip(model.ntasks, model.cost))
            for number, ((n0, c0), (n1, c1)) in enumerate(zip(points, points[1:])):
                slope = (c1 - c0) / (n1 - n0)
                self.constraints.append([time - slope * tasks >= c0 - slope * n0, "model_%s_%d" % (name, number)])
                if slope >= 0:  # as in CIME's tool: further points would be overestimated
                    if slope > 0:
                        logger.warning("the cost of %s rises from %d to %d tasks", name, n0, n1)
                    break
